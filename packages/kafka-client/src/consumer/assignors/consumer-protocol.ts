/**
 * The messages of protocol type `consumer`, versions 0 to 3, as in Java. Readers ignore unknown fields, so that mixed
 * groups work.
 */
import type { TopicPartition } from '../../port';
import { ByteReader, ByteWriter } from '../../protocol/bytes';
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

function writePartitions(writer: ByteWriter, partitions: readonly TopicPartition[]): void {
  writer.array(byTopic(partitions), (entry) =>
    writer.string(entry.topic).array(entry.partitions, (partition) => writer.int32(partition)),
  );
}

function readPartitions(reader: ByteReader): TopicPartition[] {
  return reader
    .array(() => ({ topic: reader.string(), partitions: reader.array(() => reader.int32()) }))
    .flatMap(({ topic, partitions }) => partitions.map((partition) => ({ topic, partition })));
}

export interface Subscription {
  readonly topics: readonly string[];
  readonly userData: Buffer | null;
  readonly owned: readonly TopicPartition[];
  readonly generation: number;
}

export function encodeSubscription(subscription: Subscription): Buffer {
  const writer = new ByteWriter();
  writer.int16(SUBSCRIPTION_VERSION);
  writer.array([...subscription.topics].sort(), (topic) => writer.string(topic));
  writer.nullableBytes(subscription.userData);
  writePartitions(writer, subscription.owned);
  writer.int32(subscription.generation);
  writer.nullableString(null);
  return writer.finish();
}

/** Throws RangeError for truncated bytes. */
export function decodeSubscription(bytes: Buffer, groupInstanceId: string | null = null): MemberSubscription {
  const reader = new ByteReader(bytes);
  const version = reader.int16();
  const topics = reader.array(() => reader.string());
  reader.nullableBytes();
  const owned = version >= 1 ? readPartitions(reader) : [];
  const generation = version >= 2 ? reader.int32() : -1;
  return { topics, owned, generation, groupInstanceId };
}

export function encodeAssignment(partitions: readonly TopicPartition[]): Buffer {
  const writer = new ByteWriter();
  writer.int16(ASSIGNMENT_VERSION);
  writePartitions(writer, partitions);
  writer.nullableBytes(null);
  return writer.finish();
}

/** Empty bytes mean no partitions. */
export function decodeAssignment(bytes: Buffer): TopicPartition[] {
  if (bytes.length === 0) return [];
  const reader = new ByteReader(bytes);
  reader.int16();
  return readPartitions(reader);
}
