/** The requests of a transactional producer, in non-flexible versions that Kafka 2.x to 4.x support. */
import * as kafka from '@millrace/kafka-protocol';
import type { TopicPartition, TopicPartitionOffset } from '../port';
import type { WireRequest } from '../wire';
import { request } from './api';
import { groupByTopic, partitionErrorsOf, topicsOf, type PartitionError } from './by-topic';

export const ADD_PARTITIONS_TO_TXN = kafka.withVersions(kafka.ADD_PARTITIONS_TO_TXN, 0, 2);
export const ADD_OFFSETS_TO_TXN = kafka.withVersions(kafka.ADD_OFFSETS_TO_TXN, 0, 2);
export const END_TXN = kafka.withVersions(kafka.END_TXN, 0, 2);
export const TXN_OFFSET_COMMIT = kafka.withVersions(kafka.TXN_OFFSET_COMMIT, 0, 2);

export interface TransactionalIdentity {
  readonly transactionalId: string;
  readonly producerId: number;
  readonly epoch: number;
}

const identity = ({ transactionalId, producerId, epoch }: TransactionalIdentity) => ({
  ...{ transactionalId, producerId, producerEpoch: epoch },
});

export function addPartitionsToTxnRequest(
  version: number,
  who: TransactionalIdentity,
  partitions: readonly TopicPartition[],
): WireRequest<PartitionError[]> {
  const topics = groupByTopic(partitions).map(([name, group]) => ({ name, partitions: group.map((p) => p.partition) }));
  return request(ADD_PARTITIONS_TO_TXN, version, { ...identity(who), topics }, (response) =>
    partitionErrorsOf(response.results.map(({ name, results }) => ({ name, partitions: results }))),
  );
}

/** @returns the error code. */
export function addOffsetsToTxnRequest(
  version: number,
  who: TransactionalIdentity,
  groupId: string,
): WireRequest<number> {
  return request(ADD_OFFSETS_TO_TXN, version, { ...identity(who), groupId }, ({ errorCode }) => errorCode);
}

/** @returns the error code. */
export function endTxnRequest(version: number, who: TransactionalIdentity, commit: boolean): WireRequest<number> {
  return request(END_TXN, version, { ...identity(who), committed: commit }, ({ errorCode }) => errorCode);
}

export function txnOffsetCommitRequest(
  version: number,
  who: TransactionalIdentity,
  groupId: string,
  offsets: readonly TopicPartitionOffset[],
): WireRequest<PartitionError[]> {
  // Leader epochs are not tracked.
  const topics = topicsOf(offsets, ({ partition, offset }) => ({
    ...{ partitionIndex: partition, committedOffset: offset, committedMetadata: '' },
  }));
  return request(TXN_OFFSET_COMMIT, version, { ...identity(who), groupId, topics }, ({ topics }) =>
    partitionErrorsOf(topics),
  );
}
