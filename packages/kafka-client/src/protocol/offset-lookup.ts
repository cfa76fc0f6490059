/** ListOffsets to all leaders of the partitions. One attempt; callers retry. */
import { KafkaError } from '../errors';
import type { IsolationLevel, TopicPartition, TopicPartitionOffset } from '../port';
import { call } from './api';
import { protocolError } from './protocol-error';
import { LIST_OFFSETS, listOffsetsRequest } from './list-offsets';
import type { Wire } from '../wire';

export function partitionName({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`;
}

/**
 * Groups partitions by their leader. Rejects (retriable) when one has no leader; fetches metadata of unknown topics.
 */
export async function byLeader<T extends TopicPartition>(
  wire: Wire,
  partitions: readonly T[],
): Promise<Map<number, T[]>> {
  for (const topic of new Set(partitions.map((tp) => tp.topic))) await wire.partitions(topic);
  const groups = new Map<number, T[]>();
  for (const tp of partitions) {
    const leader = wire.leader(tp);
    if (leader === undefined) {
      await wire.refresh([tp.topic]);
      const known = wire.cachedPartitions(tp.topic)?.some(({ partition }) => partition === tp.partition) === true;
      throw protocolError(known ? 5 : 3, `use partition ${partitionName(tp)}`, tp);
    }
    const group = groups.get(leader);
    if (group === undefined) groups.set(leader, [tp]);
    else group.push(tp);
  }
  return groups;
}

/**
 * In the order of `partitions`. `offset` is -1 when no record is at or after the timestamp. Rejects with the first
 * error, after a metadata refresh.
 */
export async function lookUpOffsets(
  wire: Wire,
  partitions: readonly TopicPartition[],
  timestamp: number,
  isolation: IsolationLevel,
): Promise<TopicPartitionOffset[]> {
  const groups = await byLeader(wire, partitions);
  const found = new Map<string, number>();
  const listFrom = async (node: number, group: readonly TopicPartition[]): Promise<void> => {
    const queries = group.map((tp) => ({ ...tp, timestamp, leaderEpoch: cachedLeaderEpoch(wire, tp) }));
    const responses = await call(wire, node, LIST_OFFSETS, (version) =>
      listOffsetsRequest(version, queries, isolation),
    );
    for (const response of responses) {
      if (response.errorCode !== 0) {
        throw protocolError(response.errorCode, `list offsets of ${partitionName(response)}`, {
          topic: response.topic,
          partition: response.partition,
        });
      }
      found.set(partitionName(response), response.offset);
    }
  };
  try {
    await Promise.all([...groups].map(([node, group]) => listFrom(node, group)));
  } catch (error) {
    if (error instanceof KafkaError && error.retriable) {
      await wire.refresh([...new Set(partitions.map((tp) => tp.topic))]).catch(() => undefined);
    }
    throw error;
  }
  return partitions.map(({ topic, partition }) => ({
    topic,
    partition,
    offset: found.get(partitionName({ topic, partition })) ?? -1,
  }));
}

export function cachedTopicId(wire: Wire, topic: string): string | undefined {
  return wire.cachedPartitions(topic)?.[0]?.topicId;
}

export function cachedLeaderEpoch(wire: Wire, tp: TopicPartition): number {
  const partitions = wire.cachedPartitions(tp.topic);
  const direct = partitions?.[tp.partition];
  if (direct?.partition === tp.partition) return direct.leaderEpoch;
  return partitions?.find(({ partition }) => partition === tp.partition)?.leaderEpoch ?? -1;
}
