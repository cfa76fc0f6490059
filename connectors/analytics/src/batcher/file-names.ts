/**
 * Names of a partition's files: in the service's storage the topic stands there in full, on this disk only as far as a
 * name may be long. Pure.
 */
import { createHash } from 'node:crypto';

/** A topic's name may have 249 characters, a file's 255. */
const LONGEST_ON_DISK = 128;
const HASH_LENGTH = 16;

/** E.g. `kafka_t_0_5-9.csv.gz`. */
export function fileName(topic: string, partition: number, rest: string): string {
  return `kafka_${topic}_${partition}_${rest}`;
}

/** The same, or something like it that is this topic's alone: none has a `~` in its name. */
export function nameOnDisk(topic: string, partition: number, rest: string): string {
  if (topic.length <= LONGEST_ON_DISK) return fileName(topic, partition, rest);
  const hash = createHash('sha256').update(topic).digest('hex').slice(0, HASH_LENGTH);
  return fileName(`${topic.slice(0, LONGEST_ON_DISK - HASH_LENGTH)}~${hash}`, partition, rest);
}
