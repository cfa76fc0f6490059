import type { IsolationLevel } from '../port';
import type { WireRequest } from '../wire';
import { request, type Api } from './api';
import { groupByTopic } from './by-topic';

/**
 * Event Hubs supports v4 to v6; v9 checks leader epochs, v10 allows zstd, v13 has topic ids in place of names. Without
 * fetch sessions: each request lists all its partitions.
 */
export const FETCH: Api = { name: 'Fetch', key: 1, min: 4, max: 13, flexibleFrom: 12 };
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
  return request(
    FETCH,
    version,
    (w) => {
      w.int32(-1).int32(limits.maxWaitMs).int32(limits.minBytes).int32(limits.maxBytes);
      w.int8(limits.isolation === 'read_committed' ? 1 : 0);
      if (version >= 7) w.int32(0).int32(-1);
      w.array(groupByTopic(queries), ([topic, partitions]) => {
        if (byId) w.uuid(partitions[0]?.topicId ?? '');
        else w.string(topic);
        w.array(partitions, (query) => {
          w.int32(query.partition);
          if (version >= 9) w.int32(query.leaderEpoch);
          w.int64(query.offset);
          // The epoch of the last record, which the client compares itself: see truncation-check.
          if (version >= 12) w.int32(-1);
          if (version >= 5) w.int64(-1);
          w.int32(query.maxBytes).tags();
        }).tags();
      });
      if (version >= 7) w.array([], () => undefined);
      if (version >= 11) w.string('');
      w.tags();
    },
    (r) => {
      const throttleMs = r.int32();
      let errorCode = 0;
      if (version >= 7) {
        errorCode = r.int16();
        r.int32();
      }
      const topics = r.array(() => {
        const topic = byId ? (names.get(r.uuid()) ?? '') : r.string();
        const partitions = r.array((): PartitionResponse => {
          const partition = r.int32();
          const errorCode = r.int16();
          const highWatermark = r.int64();
          const lastStableOffset = r.int64();
          const logStartOffset = version >= 5 ? r.int64() : -1;
          const abortedTransactions = r.array(() => {
            const aborted = { producerId: r.int64(), firstOffset: r.int64() };
            r.tags();
            return aborted;
          });
          if (version >= 11) r.int32();
          const records = r.bytes();
          r.tags();
          return {
            ...{ topic, partition, errorCode, highWatermark, lastStableOffset },
            ...{ logStartOffset, abortedTransactions, records },
          };
        });
        r.tags();
        return partitions;
      });
      return { errorCode, throttleMs, partitions: topics.flat() };
    },
    { timeoutMs, sizeHint: 128 + 64 * queries.length },
  );
}
