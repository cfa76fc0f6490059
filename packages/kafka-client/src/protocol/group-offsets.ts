/** OffsetCommit, OffsetFetch, OffsetDelete. */
import * as kafka from '@millrace/kafka-protocol';
import type { TopicPartition, TopicPartitionOffset } from '../port';
import type { WireRequest } from '../wire';
import { request } from './api';
import { groupByTopic, partitionErrorsOf, partitionsOf, topicsOf, type PartitionError } from './by-topic';
import type { MemberIdentity } from './group-membership';

/** v10 has topic ids in place of names. */
export const OFFSET_COMMIT = kafka.withVersions(kafka.OFFSET_COMMIT, 2, 10);
/** Its versions with names, for topics whose id is unknown. */
export const OFFSET_COMMIT_BY_NAME = kafka.withVersions(kafka.OFFSET_COMMIT, 2, 9);
/** v7 can reject offsets of open transactions. */
export const OFFSET_FETCH = kafka.withVersions(kafka.OFFSET_FETCH, 2, 7);
export const OFFSET_DELETE = kafka.withVersions(kafka.OFFSET_DELETE, 0, 0);

export interface CommittedOffset extends TopicPartitionOffset {
  /** Required from v10 on. The broker rejects it after the topic was created again. */
  readonly topicId?: string | undefined;
}

/** A commit from outside the group has generation -1 and an empty member id, and requires an empty group. */
export function offsetCommitRequest(
  version: number,
  identity: MemberIdentity,
  generation: number,
  offsets: readonly CommittedOffset[],
): WireRequest<PartitionError[]> {
  const byId = version > OFFSET_COMMIT_BY_NAME.versions[1];
  const { groupId, memberId, groupInstanceId } = identity;
  // Partitions of one name may belong to the old topic and to the new one.
  const keyed = byId ? offsets.map((at) => ({ ...at, topic: at.topicId ?? '' })) : offsets;
  const names = new Map(byId ? offsets.map(({ topic, topicId }) => [topicId, topic]) : []);
  const topics = topicsOf(keyed, ({ partition, offset }) => ({
    ...{ partitionIndex: partition, committedOffset: offset, committedMetadata: '' },
  })).map(({ name, partitions }) => ({ name, topicId: name, partitions }));
  return request(
    OFFSET_COMMIT,
    version,
    { groupId, generationIdOrMemberEpoch: generation, memberId, groupInstanceId, topics },
    ({ topics }) =>
      partitionErrorsOf(
        topics.map(({ name, topicId, partitions }) => ({ name: byId ? (names.get(topicId) ?? '') : name, partitions })),
      ),
  );
}

export interface FetchedOffset extends PartitionError {
  /** -1: no committed offset. */
  readonly offset: number;
}

/** `partitions` null: all partitions of the group. */
export function offsetFetchRequest(
  version: number,
  groupId: string,
  partitions: readonly TopicPartition[] | null,
  requireStable: boolean,
): WireRequest<{ errorCode: number; offsets: FetchedOffset[] }> {
  const topics =
    partitions &&
    groupByTopic(partitions).map(([name, group]) => ({ name, partitionIndexes: group.map((p) => p.partition) }));
  return request(OFFSET_FETCH, version, { groupId, topics, requireStable }, ({ errorCode, topics }) => ({
    errorCode,
    offsets: partitionsOf(topics, (topic, { partitionIndex, committedOffset, errorCode }) => ({
      ...{ topic, partition: partitionIndex, offset: committedOffset, errorCode },
    })),
  }));
}

export function offsetDeleteRequest(
  version: number,
  groupId: string,
  partitions: readonly TopicPartition[],
): WireRequest<{ errorCode: number; partitions: PartitionError[] }> {
  const topics = topicsOf(partitions, ({ partition }) => ({ partitionIndex: partition }));
  return request(OFFSET_DELETE, version, { groupId, topics }, ({ errorCode, topics }) => ({
    errorCode,
    partitions: partitionErrorsOf(topics),
  }));
}
