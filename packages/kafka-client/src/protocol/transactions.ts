/** The requests of a transactional producer, in non-flexible versions that Kafka 2.x to 4.x support. */
import type { TopicPartition, TopicPartitionOffset } from '../port';
import type { WireRequest } from '../wire';
import { request, type Api } from './api';
import { groupByTopic } from './by-topic';
import type { ByteReader, ByteWriter } from './bytes';

export const ADD_PARTITIONS_TO_TXN: Api = { name: 'AddPartitionsToTxn', key: 24, min: 0, max: 2, flexibleFrom: 3 };
export const ADD_OFFSETS_TO_TXN: Api = { name: 'AddOffsetsToTxn', key: 25, min: 0, max: 2, flexibleFrom: 3 };
export const END_TXN: Api = { name: 'EndTxn', key: 26, min: 0, max: 2, flexibleFrom: 3 };
export const TXN_OFFSET_COMMIT: Api = { name: 'TxnOffsetCommit', key: 28, min: 0, max: 2, flexibleFrom: 3 };

export interface TransactionalIdentity {
  readonly transactionalId: string;
  readonly producerId: number;
  readonly epoch: number;
}

export interface PartitionResult extends TopicPartition {
  readonly errorCode: number;
}

export function addPartitionsToTxnRequest(
  version: number,
  who: TransactionalIdentity,
  partitions: readonly TopicPartition[],
): WireRequest<PartitionResult[]> {
  return request(
    ADD_PARTITIONS_TO_TXN,
    version,
    (w) => {
      writeIdentity(w, who);
      writeByTopic(w, partitions, (p) => w.int32(p.partition));
    },
    readPartitionResults,
  );
}

/** @returns the error code. */
export function addOffsetsToTxnRequest(
  version: number,
  who: TransactionalIdentity,
  groupId: string,
): WireRequest<number> {
  return request(ADD_OFFSETS_TO_TXN, version, (w) => writeIdentity(w, who).string(groupId), readErrorCode);
}

/** @returns the error code. */
export function endTxnRequest(version: number, who: TransactionalIdentity, commit: boolean): WireRequest<number> {
  return request(END_TXN, version, (w) => writeIdentity(w, who).boolean(commit), readErrorCode);
}

export function txnOffsetCommitRequest(
  version: number,
  who: TransactionalIdentity,
  groupId: string,
  offsets: readonly TopicPartitionOffset[],
): WireRequest<PartitionResult[]> {
  return request(
    TXN_OFFSET_COMMIT,
    version,
    (w) => {
      w.string(who.transactionalId).string(groupId).int64(who.producerId).int16(who.epoch);
      writeByTopic(w, offsets, (o) => {
        w.int32(o.partition).int64(o.offset);
        if (version >= 2) w.int32(-1); // leader epoch: not tracked
        w.nullableString('');
      });
    },
    readPartitionResults,
  );
}

function writeIdentity(w: ByteWriter, who: TransactionalIdentity): ByteWriter {
  return w.string(who.transactionalId).int64(who.producerId).int16(who.epoch);
}

function writeByTopic<T extends TopicPartition>(w: ByteWriter, items: readonly T[], write: (item: T) => void): void {
  w.array(groupByTopic(items), ([topic, list]) => w.string(topic).array(list, write));
}

function readErrorCode(r: ByteReader): number {
  r.int32(); // throttle time
  return r.int16();
}

function readPartitionResults(r: ByteReader): PartitionResult[] {
  r.int32(); // throttle time
  return r
    .array(() => {
      const topic = r.string();
      return r.array(() => ({ topic, partition: r.int32(), errorCode: r.int16() }));
    })
    .flat();
}
