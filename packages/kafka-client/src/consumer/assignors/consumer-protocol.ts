/**
 * The messages of protocol type `consumer`, versions 0 to 3, as in Java. Readers ignore unknown fields, so that mixed
 * groups work.
 */
import { Reader, Writer } from '@millrace/kafka-protocol';
import type { TopicPartition } from '../../port';
import type { MemberSubscription } from './assignor';

const SUBSCRIPTION_VERSION = 3;
const ASSIGNMENT_VERSION = 1;

interface TopicPartitions {
  readonly topic: string;
  readonly partitions: readonly number[];
}

function byTopic(partitions: readonly TopicPartition[]): TopicPartitions[] {
  const topics = new Map<string, number[]>();
  for (const { topic, partition } of partitions) {
    const list = topics.get(topic);
    if (list) list.push(partition);
    else topics.set(topic, [partition]);
  }
  return [...topics]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([topic, list]) => ({ topic, partitions: list.sort((a, b) => a - b) }));
}

function writeArray<T>(to: Writer, items: readonly T[], write: (item: T) => void): void {
  to.length(items.length, false, true);
  for (const item of items) write(item);
}

/** A null array is returned as an empty one. */
function readArray<T>(from: Reader, read: () => T): T[] {
  const items: T[] = [];
  for (let left = from.count(false); left > 0; left--) items.push(read());
  return items;
}

const readText = (from: Reader): string => from.string(false) ?? '';

function writePartitions(to: Writer, partitions: readonly TopicPartition[]): void {
  writeArray(to, byTopic(partitions), (entry) => {
    to.string(entry.topic, false);
    writeArray(to, entry.partitions, (partition) => to.int32(partition));
  });
}

function readPartitions(from: Reader): TopicPartition[] {
  return readArray(from, () => {
    const topic = readText(from);
    return readArray(from, () => ({ topic, partition: from.int32() }));
  }).flat();
}

export interface Subscription {
  readonly topics: readonly string[];
  readonly userData: Buffer | null;
  readonly owned: readonly TopicPartition[];
  readonly generation: number;
}

export function encodeSubscription(subscription: Subscription): Buffer {
  const to = new Writer();
  to.int16(SUBSCRIPTION_VERSION);
  writeArray(to, [...subscription.topics].sort(), (topic) => to.string(topic, false));
  to.byteString(subscription.userData, false);
  writePartitions(to, subscription.owned);
  to.int32(subscription.generation);
  to.string(null, false);
  return to.toBuffer();
}

/** Throws MalformedMessage for truncated bytes. */
export function decodeSubscription(bytes: Buffer, groupInstanceId: string | null = null): MemberSubscription {
  const from = new Reader(bytes);
  const version = from.int16();
  const topics = readArray(from, () => readText(from));
  from.byteString(false);
  const owned = version >= 1 ? readPartitions(from) : [];
  const generation = version >= 2 ? from.int32() : -1;
  return { topics, owned, generation, groupInstanceId };
}

export function encodeAssignment(partitions: readonly TopicPartition[]): Buffer {
  const to = new Writer();
  to.int16(ASSIGNMENT_VERSION);
  writePartitions(to, partitions);
  to.byteString(null, false);
  return to.toBuffer();
}

/** Empty bytes mean no partitions. */
export function decodeAssignment(bytes: Buffer): TopicPartition[] {
  if (bytes.length === 0) return [];
  const from = new Reader(bytes);
  from.int16();
  return readPartitions(from);
}
