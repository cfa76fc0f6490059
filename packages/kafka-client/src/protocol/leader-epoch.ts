import * as kafka from '@millrace/kafka-protocol';
import type { WireRequest } from '../wire';
import { request } from './api';
import { groupByTopic } from './by-topic';

/** Before v3 only brokers are authorized. */
export const OFFSET_FOR_LEADER_EPOCH = kafka.withVersions(kafka.OFFSET_FOR_LEADER_EPOCH, 3, 3);

/** As of every consumer. */
const NO_REPLICA = -1;

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
  const topics = groupByTopic(queries).map(([topic, group]) => ({
    topic,
    partitions: group.map(({ partition, currentEpoch, epoch }) => ({
      ...{ partition, currentLeaderEpoch: currentEpoch, leaderEpoch: epoch },
    })),
  }));
  return request(OFFSET_FOR_LEADER_EPOCH, version, { replicaId: NO_REPLICA, topics }, ({ topics }) =>
    topics.flatMap(({ topic, partitions }) =>
      partitions.map(({ errorCode, partition, leaderEpoch, endOffset }) => ({
        ...{ topic, partition, errorCode, epoch: leaderEpoch, endOffset },
      })),
    ),
  );
}
