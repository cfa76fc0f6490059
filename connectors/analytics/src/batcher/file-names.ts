/**
 * Names of a partition's files. In the service's storage they contain the full topic, on the local disk as much of it
 * as a file name allows. Pure.
 */
import { createHash } from 'node:crypto';

/** A topic name has at most 249 characters, a file name 255. */
const MAX_TOPIC_ON_DISK = 128;
const HASH_LENGTH = 16;

/** E.g. `kafka_t_0_5-9.csv.gz`. */
export function fileName(topic: string, partition: number, rest: string): string {
  return `kafka_${topic}_${partition}_${rest}`;
}

/** The same, or a shortened name unique to the topic: topic names cannot contain the `~` before the hash. */
export function nameOnDisk(topic: string, partition: number, rest: string): string {
  if (topic.length <= MAX_TOPIC_ON_DISK) return fileName(topic, partition, rest);
  const hash = createHash('sha256').update(topic).digest('hex').slice(0, HASH_LENGTH);
  return fileName(`${topic.slice(0, MAX_TOPIC_ON_DISK - HASH_LENGTH)}~${hash}`, partition, rest);
}
