/** Where a sink's consumer group is in its partitions, and where these begin and end. */
import type { IsolationLevel, TopicPartition } from '@millrace/kafka-client';
import type { GroupPartition } from '../entities';
import type { SinkGroup } from './sink-group';

/** Of one answer. */
const MOST_PARTITIONS = 10_000;

/** @param topics those that the sink reads; null: those that its group has committed offsets of */
export async function sinkPartitions(
  { admin, groupId }: SinkGroup,
  topics: readonly string[] | null,
  isolation: IsolationLevel,
): Promise<GroupPartition[]> {
  const all = await admin.listGroupOffsets(groupId);
  const committed = all.filter(({ topic }) => topics === null || topics.includes(topic));
  const found = new Map(committed.map((one) => [nameOf(one), one.offset]));
  const described = await admin.describeTopics(topics ?? [...new Set(committed.map(({ topic }) => topic))]);
  const partitions = described
    .flatMap(({ name: topic, partitions: each }) => each.map(({ partition }) => ({ topic, partition })))
    .slice(0, MOST_PARTITIONS);
  if (partitions.length === 0) return [];
  const [earliest, latest] = await Promise.all([
    admin.listOffsets(partitions, 'earliest'),
    admin.listOffsets(partitions, 'latest', isolation),
  ]);
  const starts = new Map(earliest.map((one) => [nameOf(one), one.offset]));
  const ends = new Map(latest.map((one) => [nameOf(one), one.offset]));
  return partitions.map((one) => ({
    ...one,
    committed: found.get(nameOf(one)) ?? null,
    start: starts.get(nameOf(one)) ?? null,
    end: ends.get(nameOf(one)) ?? null,
  }));
}

function nameOf({ topic, partition }: TopicPartition): string {
  return `${partition} ${topic}`;
}
