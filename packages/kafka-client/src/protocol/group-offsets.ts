/** OffsetCommit, OffsetFetch, OffsetDelete. */
import type { TopicPartition, TopicPartitionOffset } from '../port';
import type { WireRequest } from '../wire';
import { request, type Api } from './api';
import { groupByTopic } from './by-topic';
import type { MemberIdentity } from './group-membership';

/** v10 has topic ids in place of names. */
export const OFFSET_COMMIT: Api = { name: 'OffsetCommit', key: 8, min: 2, max: 10, flexibleFrom: 8 };
/** Its versions with names, for topics whose id is unknown. */
export const OFFSET_COMMIT_BY_NAME: Api = { ...OFFSET_COMMIT, max: 9 };
/** v7 can reject offsets of open transactions. */
export const OFFSET_FETCH: Api = { name: 'OffsetFetch', key: 9, min: 2, max: 7, flexibleFrom: 6 };
export const OFFSET_DELETE: Api = { name: 'OffsetDelete', key: 47, min: 0, max: 0, flexibleFrom: 1 };

export interface PartitionError extends TopicPartition {
  readonly errorCode: number;
}

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
  const byId = version > OFFSET_COMMIT_BY_NAME.max;
  // Partitions of one name may belong to the old topic and to the new one.
  const topics = groupByTopic(byId ? offsets.map((at) => ({ ...at, topic: at.topicId ?? '' })) : offsets);
  const names = new Map(byId ? offsets.map(({ topic, topicId }) => [topicId, topic]) : []);
  return request(
    OFFSET_COMMIT,
    version,
    (w) => {
      w.string(identity.groupId).int32(generation).string(identity.memberId);
      if (version >= 7) w.nullableString(identity.groupInstanceId);
      // -1: the broker's retention.
      if (version <= 4) w.int64(-1);
      w.array(topics, ([topic, partitions]) => {
        if (byId) w.uuid(topic);
        else w.string(topic);
        w.array(partitions, ({ partition, offset }) => {
          w.int32(partition).int64(offset);
          if (version >= 6) w.int32(-1);
          w.nullableString('').tags();
        }).tags();
      }).tags();
    },
    (r) => {
      if (version >= 3) r.int32();
      const topics = r.array(() => {
        const topic = byId ? (names.get(r.uuid()) ?? '') : r.string();
        const partitions = r.array((): PartitionError => {
          const response = { topic, partition: r.int32(), errorCode: r.int16() };
          r.tags();
          return response;
        });
        r.tags();
        return partitions;
      });
      return topics.flat();
    },
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
  return request(
    OFFSET_FETCH,
    version,
    (w) => {
      w.string(groupId).nullableArray(partitions === null ? null : groupByTopic(partitions), ([topic, items]) => {
        w.string(topic)
          .array(items, ({ partition }) => w.int32(partition))
          .tags();
      });
      if (version >= 7) w.boolean(requireStable);
      w.tags();
    },
    (r) => {
      if (version >= 3) r.int32();
      const topics = r.array(() => {
        const topic = r.string();
        const items = r.array((): FetchedOffset => {
          const partition = r.int32();
          const offset = r.int64();
          if (version >= 5) r.int32();
          r.nullableString();
          const errorCode = r.int16();
          r.tags();
          return { topic, partition, offset, errorCode };
        });
        r.tags();
        return items;
      });
      return { errorCode: r.int16(), offsets: topics.flat() };
    },
  );
}

export function offsetDeleteRequest(
  version: number,
  groupId: string,
  partitions: readonly TopicPartition[],
): WireRequest<{ errorCode: number; partitions: PartitionError[] }> {
  return request(
    OFFSET_DELETE,
    version,
    (w) => {
      w.string(groupId).array(groupByTopic(partitions), ([topic, items]) => {
        w.string(topic).array(items, ({ partition }) => w.int32(partition));
      });
    },
    (r) => {
      const errorCode = r.int16();
      r.int32();
      const topics = r.array(() => {
        const topic = r.string();
        return r.array((): PartitionError => ({ topic, partition: r.int32(), errorCode: r.int16() }));
      });
      return { errorCode, partitions: topics.flat() };
    },
  );
}
