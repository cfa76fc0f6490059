import * as kafka from '@millrace/kafka-protocol';
import type { IsolationLevel } from '../port';
import type { WireRequest } from '../wire';
import { request } from './api';
import { partitionsOf, topicsOf, type PartitionError } from './by-topic';

/** v2 has the isolation level, v4 the leader epoch. */
export const LIST_OFFSETS = kafka.withVersions(kafka.LIST_OFFSETS, 1, 5);

export const LATEST = -1;
export const EARLIEST = -2;

export interface OffsetQuery {
  readonly topic: string;
  readonly partition: number;
  readonly leaderEpoch: number;
  /** Milliseconds, `LATEST` or `EARLIEST`. */
  readonly timestamp: number;
}

export interface OffsetResponse extends PartitionError {
  /** -1: no record at or after the timestamp. */
  readonly offset: number;
}

export function listOffsetsRequest(
  version: number,
  queries: readonly OffsetQuery[],
  isolation: IsolationLevel,
): WireRequest<OffsetResponse[]> {
  const topics = topicsOf(queries, ({ partition, leaderEpoch, timestamp }) => ({
    ...{ partitionIndex: partition, currentLeaderEpoch: leaderEpoch, timestamp },
  }));
  const isolationLevel = isolation === 'read_committed' ? 1 : 0;
  return request(LIST_OFFSETS, version, { isolationLevel, topics }, ({ topics }) =>
    partitionsOf(topics, (topic, { partitionIndex, errorCode, offset }) => ({
      ...{ topic, partition: partitionIndex, errorCode, offset },
    })),
  );
}
