import * as kafka from '@millrace/kafka-protocol';
import type { ElementOf, MessageOf } from '@millrace/kafka-protocol';
import type { IsolationLevel } from '../port';
import type { WireRequest } from '../wire';
import { request } from './api';
import { groupByTopic } from './by-topic';

/**
 * Event Hubs supports v4 to v6; v9 checks leader epochs, v10 allows zstd, v13 has topic ids in place of names. Without
 * fetch sessions: each request lists all its partitions.
 */
export const FETCH = kafka.withVersions(kafka.FETCH, 4, 13);
/** The last version with names, for topics whose id is unknown. */
export const LAST_WITH_NAMES = 12;

export interface FetchQuery {
  readonly topic: string;
  /** Required from v13 on. The broker rejects it after the topic was created again. */
  readonly topicId: string | undefined;
  readonly partition: number;
  readonly leaderEpoch: number;
  readonly offset: number;
  /** Bytes; a larger first batch is still returned. */
  readonly maxBytes: number;
}

export interface FetchLimits {
  readonly maxWaitMs: number;
  readonly minBytes: number;
  readonly maxBytes: number;
  readonly isolation: IsolationLevel;
}

export interface PartitionResponse {
  readonly topic: string;
  readonly partition: number;
  readonly errorCode: number;
  readonly highWatermark: number;
  /** -1 if the broker does not report it. */
  readonly lastStableOffset: number;
  readonly logStartOffset: number;
  readonly abortedTransactions: { producerId: number; firstOffset: number }[];
  /** A view of the response. */
  readonly records: Buffer;
}

export interface FetchResponse {
  readonly errorCode: number;
  /** How long the broker delayed the response because of a quota. */
  readonly throttleMs: number;
  readonly partitions: readonly PartitionResponse[];
}

export function fetchRequest(
  version: number,
  queries: readonly FetchQuery[],
  limits: FetchLimits,
  timeoutMs: number,
): WireRequest<FetchResponse> {
  const byId = version > LAST_WITH_NAMES;
  const names = new Map(byId ? queries.map(({ topic, topicId }) => [topicId, topic]) : []);
  const { maxWaitMs, minBytes, maxBytes, isolation } = limits;
  const topics = groupByTopic(queries).map(([topic, group]) => ({
    topic,
    topicId: group[0]?.topicId ?? '',
    // Not the epoch of the last record, which the client compares itself: see truncation-check.
    partitions: group.map(({ partition, leaderEpoch, offset, maxBytes }) => ({
      partition,
      currentLeaderEpoch: leaderEpoch,
      fetchOffset: offset,
      partitionMaxBytes: maxBytes,
    })),
  }));
  return request(
    FETCH,
    version,
    { maxWaitMs, minBytes, maxBytes, isolationLevel: isolation === 'read_committed' ? 1 : 0, topics },
    ({ throttleTimeMs, errorCode, responses }) => ({
      throttleMs: throttleTimeMs,
      errorCode,
      partitions: responses.flatMap(({ topic, topicId, partitions }) => {
        const name = byId ? (names.get(topicId) ?? '') : topic;
        return partitions.map((partition) => fetchedPartition(name, partition));
      }),
    }),
    { timeoutMs, sizeHint: 128 + 64 * queries.length },
  );
}

const NO_RECORDS = Buffer.alloc(0);

function fetchedPartition(
  topic: string,
  partition: ElementOf<ElementOf<MessageOf<typeof FETCH.response>['responses']>['partitions']>,
): PartitionResponse {
  return {
    topic,
    partition: partition.partitionIndex,
    errorCode: partition.errorCode,
    highWatermark: partition.highWatermark,
    lastStableOffset: partition.lastStableOffset,
    logStartOffset: partition.logStartOffset,
    abortedTransactions: partition.abortedTransactions ?? [],
    records: partition.records ?? NO_RECORDS,
  };
}
