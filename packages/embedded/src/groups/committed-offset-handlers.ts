/** OffsetCommit, OffsetFetch, TxnOffsetCommit. */
import type { Clock } from '../clock';
import { handles, type Handler } from '../requests/handler';
import {
  OFFSET_COMMIT,
  OFFSET_FETCH,
  TXN_OFFSET_COMMIT,
  type ElementOf,
  type RequestOf,
} from '@millrace/kafka-protocol';
import { ErrorCode } from '../protocol/errors';
import type { Partitions, TopicPartition } from '../partitions';
import type { MemberIdentity } from './member';
import type { OffsetCommit } from './offset-store';
import type { GroupRegistry } from './registry';

export interface CommittedOffsetHandlerDeps {
  readonly groups: GroupRegistry;
  readonly clock: Clock;
  readonly partitions: Pick<Partitions, 'exists' | 'topicName'>;
  /** `offset.metadata.max.bytes` */
  readonly maxMetadataBytes: number;
  /** Whether the producer may add offsets of the group to its transaction, as an error code. */
  checkTransaction(request: RequestOf<typeof TXN_OFFSET_COMMIT>): number;
}

/** With an id in place of the name in later versions of OffsetCommit, otherwise ''. */
type Topics = readonly (Omit<ElementOf<RequestOf<typeof OFFSET_COMMIT>['topics']>, 'topicId'> & {
  readonly topicId?: string;
})[];
type FetchRequest = RequestOf<typeof OFFSET_FETCH>;
type Store = (accepted: readonly OffsetCommit[]) => Promise<void>;

const BATCHED_SINCE_VERSION = 8;
const UNKNOWN_OFFSET = { committedOffset: -1, committedLeaderEpoch: -1, metadata: '' };

export function committedOffsetHandlers(deps: CommittedOffsetHandlerDeps): [number, Handler][] {
  const { groups, clock, partitions } = deps;

  function check(groupId: string, identity: MemberIdentity, generationId: number, transactional: boolean): number {
    const group = groups.get(groupId);
    if (group !== undefined) return group.checkCommit(identity, generationId, transactional);
    if (generationId >= 0) return ErrorCode.ILLEGAL_GENERATION;
    groups.ensure(groupId);
    return ErrorCode.NONE;
  }

  function checkPartition(at: TopicPartition, metadata: string): number {
    if (Buffer.byteLength(metadata) > deps.maxMetadataBytes) return ErrorCode.OFFSET_METADATA_TOO_LARGE;
    return partitions.exists(at) ? ErrorCode.NONE : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
  }

  /** @param refused an error code that applies to all partitions */
  async function commitAll(topics: Topics, refused: number, store: Store) {
    const committedAt = clock.now();
    const accepted: OffsetCommit[] = [];
    const responses = topics.map(({ name: given, topicId = '', partitions }) => ({
      ...{ name: given, topicId },
      partitions: partitions.map(({ partitionIndex, committedOffset, committedLeaderEpoch, committedMetadata }) => {
        const name = topicId === '' ? given : deps.partitions.topicName(topicId);
        if (name === undefined) return { partitionIndex, errorCode: refused || ErrorCode.UNKNOWN_TOPIC_ID };
        const at = { topic: name, partition: partitionIndex };
        const metadata = committedMetadata ?? '';
        const errorCode = refused || checkPartition(at, metadata);
        const value = { offset: committedOffset, leaderEpoch: committedLeaderEpoch, metadata, committedAt };
        if (errorCode === ErrorCode.NONE) accepted.push({ ...at, value });
        return { partitionIndex, errorCode };
      }),
    }));
    if (accepted.length > 0) await store(accepted);
    return { topics: responses };
  }

  function fetch({ groupId, topics }: Pick<FetchRequest, 'groupId' | 'topics'>, requireStable: boolean) {
    const requested = topics ?? byTopic(groups.offsets.all(groupId));
    const responses = requested.map(({ name, partitionIndexes }) => ({
      name,
      partitions: partitionIndexes.map((partitionIndex) => {
        const at = { topic: name, partition: partitionIndex };
        if (requireStable && groups.offsets.isPending(groupId, at)) {
          return { partitionIndex, ...UNKNOWN_OFFSET, errorCode: ErrorCode.UNSTABLE_OFFSET_COMMIT };
        }
        const found = groups.offsets.get(groupId, at);
        if (found === undefined) return { partitionIndex, ...UNKNOWN_OFFSET };
        const { offset, leaderEpoch, metadata } = found;
        return { partitionIndex, committedOffset: offset, committedLeaderEpoch: leaderEpoch, metadata };
      }),
    }));
    return { groupId, topics: responses, errorCode: ErrorCode.NONE };
  }

  return [
    handles(OFFSET_COMMIT, (request) => {
      const { groupId, generationIdOrMemberEpoch, topics } = request;
      const refused = check(groupId, request, generationIdOrMemberEpoch, false);
      return commitAll(topics, refused, (accepted) => groups.offsets.commit(groupId, accepted));
    }),

    handles(TXN_OFFSET_COMMIT, (request) => {
      const { groupId, generationId, producerId, topics } = request;
      const fenced = deps.checkTransaction(request);
      const refused = fenced === ErrorCode.NONE ? check(groupId, request, generationId, true) : fenced;
      return commitAll(topics, refused, (accepted) => groups.offsets.addPending(groupId, producerId, accepted));
    }),

    handles(OFFSET_FETCH, ({ groups: batched, requireStable, ...single }, { apiVersion }) =>
      apiVersion < BATCHED_SINCE_VERSION
        ? fetch(single, requireStable)
        : { groups: batched.map((requested) => fetch(requested, requireStable)) },
    ),
  ];
}

function byTopic(offsets: readonly TopicPartition[]): { name: string; partitionIndexes: number[] }[] {
  const topics = new Map<string, number[]>();
  for (const { topic, partition } of offsets) topics.set(topic, [...(topics.get(topic) ?? []), partition]);
  return [...topics].map(([name, partitionIndexes]) => ({ name, partitionIndexes }));
}
