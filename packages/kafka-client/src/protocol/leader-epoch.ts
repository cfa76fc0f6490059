import type { WireRequest } from '../wire';
import { request, type Api } from './api';
import { groupByTopic } from './by-topic';

/** Before v3 only brokers are authorized. */
export const OFFSET_FOR_LEADER_EPOCH: Api = { name: 'OffsetForLeaderEpoch', key: 23, min: 3, max: 3, flexibleFrom: 4 };

export interface EpochQuery {
  readonly topic: string;
  readonly partition: number;
  /** Epoch of the current leader. */
  readonly currentEpoch: number;
  /** Epoch of the last record before the position. */
  readonly epoch: number;
}

export interface EpochResponse {
  readonly topic: string;
  readonly partition: number;
  readonly errorCode: number;
  /** The largest epoch of the leader's log up to the requested one; -1: none. */
  readonly epoch: number;
  /** End offset of that epoch; -1 when unknown. */
  readonly endOffset: number;
}

export function offsetForLeaderEpochRequest(
  version: number,
  queries: readonly EpochQuery[],
): WireRequest<EpochResponse[]> {
  return request(
    OFFSET_FOR_LEADER_EPOCH,
    version,
    (w) => {
      w.int32(-1).array(groupByTopic(queries), ([topic, partitions]) => {
        w.string(topic).array(partitions, ({ partition, currentEpoch, epoch }) =>
          w.int32(partition).int32(currentEpoch).int32(epoch),
        );
      });
    },
    (r) => {
      r.int32();
      const topics = r.array(() => {
        const topic = r.string();
        return r.array((): EpochResponse => {
          const errorCode = r.int16();
          return { topic, errorCode, partition: r.int32(), epoch: r.int32(), endOffset: r.int64() };
        });
      });
      return topics.flat();
    },
  );
}
