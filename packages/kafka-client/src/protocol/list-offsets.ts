import type { IsolationLevel } from '../port';
import type { WireRequest } from '../wire';
import { request, type Api } from './api';
import { groupByTopic } from './by-topic';

/** v2 has the isolation level, v4 the leader epoch. */
export const LIST_OFFSETS: Api = { name: 'ListOffsets', key: 2, min: 1, max: 5, flexibleFrom: 6 };

export const LATEST = -1;
export const EARLIEST = -2;

export interface OffsetQuery {
  readonly topic: string;
  readonly partition: number;
  readonly leaderEpoch: number;
  /** Milliseconds, `LATEST` or `EARLIEST`. */
  readonly timestamp: number;
}

export interface OffsetResponse {
  readonly topic: string;
  readonly partition: number;
  readonly errorCode: number;
  /** -1: no record at or after the timestamp. */
  readonly offset: number;
}

export function listOffsetsRequest(
  version: number,
  queries: readonly OffsetQuery[],
  isolation: IsolationLevel,
): WireRequest<OffsetResponse[]> {
  return request(
    LIST_OFFSETS,
    version,
    (w) => {
      w.int32(-1);
      if (version >= 2) w.int8(isolation === 'read_committed' ? 1 : 0);
      w.array(groupByTopic(queries), ([topic, partitions]) => {
        w.string(topic).array(partitions, (query) => {
          w.int32(query.partition);
          if (version >= 4) w.int32(query.leaderEpoch);
          w.int64(query.timestamp);
        });
      });
    },
    (r) => {
      if (version >= 2) r.int32();
      return r
        .array(() => {
          const topic = r.string();
          return r.array((): OffsetResponse => {
            const partition = r.int32();
            const errorCode = r.int16();
            r.int64();
            const offset = r.int64();
            if (version >= 4) r.int32();
            return { topic, partition, errorCode, offset };
          });
        })
        .flat();
    },
  );
}
