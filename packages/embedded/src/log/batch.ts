/** The header of a record batch (magic 2): its layout, reading it, and the fields that a broker sets. */
import { crc32c } from '@millrace/record-codecs';

/** Bytes of base offset and batch length, which are not counted in the batch length. */
export const LOG_OVERHEAD = 12;
export const HEADER_BYTES = 61;
const LENGTH_AT = 8;
const LEADER_EPOCH_AT = 12;
const MAGIC_AT = 16;
const CRC_AT = 17;
const ATTRIBUTES_AT = 21;
const LAST_OFFSET_DELTA_AT = 23;
const BASE_TIMESTAMP_AT = 27;
const MAX_TIMESTAMP_AT = 35;
const PRODUCER_ID_AT = 43;
const PRODUCER_EPOCH_AT = 51;
const BASE_SEQUENCE_AT = 53;
const RECORD_COUNT_AT = 57;

const COMPRESSION_BITS = 0x07;
const LOG_APPEND_TIME_BIT = 0x08;
const TRANSACTIONAL_BIT = 0x10;
const CONTROL_BIT = 0x20;
const ABORT_MARKER = 0;
const COMMIT_MARKER = 1;

export const LEADER_EPOCH = 0;

/** The part of a batch header that producer states and the transaction index use. */
export interface BatchInfo {
  readonly baseOffset: number;
  readonly lastOffset: number;
  /** -1 without idempotence. */
  readonly producerId: number;
  readonly producerEpoch: number;
  /** -1 for control batches and producers without idempotence. */
  readonly baseSequence: number;
  readonly maxTimestamp: number;
  readonly transactional: boolean;
  /** How a control batch ends the producer's transaction; null for data batches. */
  readonly marker: 'commit' | 'abort' | null;
}

export interface BatchHeader extends BatchInfo {
  /** Size of the whole batch, including its length field. */
  readonly bytes: number;
  readonly magic: number;
  readonly recordCount: number;
  readonly baseTimestamp: number;
  readonly control: boolean;
  readonly logAppendTime: boolean;
  /** 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd. */
  readonly compression: number;
}

function int64At(buffer: Buffer, at: number): number {
  return buffer.readInt32BE(at) * 0x1_0000_0000 + buffer.readUInt32BE(at + 4);
}

function putInt64(buffer: Buffer, value: number, at: number): void {
  const high = Math.floor(value / 0x1_0000_0000);
  buffer.writeInt32BE(high, at);
  buffer.writeUInt32BE(value - high * 0x1_0000_0000, at + 4);
}

/** Size of the batch at `at`, of which at least 12 bytes must be present. Below HEADER_BYTES it is not a batch. */
export function batchBytes(buffer: Buffer, at: number): number {
  return LOG_OVERHEAD + buffer.readInt32BE(at + LENGTH_AT);
}

/** The type of a marker is in the key of its only record (int16 version, int16 type), after 7 bytes of the record. */
function markerAt(buffer: Buffer, at: number): 'commit' | 'abort' | null {
  const typeAt = at + HEADER_BYTES + 7;
  if (buffer.length < typeAt + 2) return null;
  const type = buffer.readInt16BE(typeAt);
  return type === COMMIT_MARKER ? 'commit' : type === ABORT_MARKER ? 'abort' : null;
}

/** For a control batch the buffer must contain its record too, from which the type of the marker is read. */
export function readHeader(buffer: Buffer, at = 0): BatchHeader {
  const baseOffset = int64At(buffer, at);
  const attributes = buffer.readInt16BE(at + ATTRIBUTES_AT);
  const control = (attributes & CONTROL_BIT) !== 0;
  return {
    baseOffset,
    bytes: batchBytes(buffer, at),
    magic: buffer.readInt8(at + MAGIC_AT),
    lastOffset: baseOffset + buffer.readInt32BE(at + LAST_OFFSET_DELTA_AT),
    baseTimestamp: int64At(buffer, at + BASE_TIMESTAMP_AT),
    maxTimestamp: int64At(buffer, at + MAX_TIMESTAMP_AT),
    producerId: int64At(buffer, at + PRODUCER_ID_AT),
    producerEpoch: buffer.readInt16BE(at + PRODUCER_EPOCH_AT),
    baseSequence: buffer.readInt32BE(at + BASE_SEQUENCE_AT),
    recordCount: buffer.readInt32BE(at + RECORD_COUNT_AT),
    compression: attributes & COMPRESSION_BITS,
    logAppendTime: (attributes & LOG_APPEND_TIME_BIT) !== 0,
    transactional: (attributes & TRANSACTIONAL_BIT) !== 0,
    control,
    marker: control ? markerAt(buffer, at) : null,
  };
}

/** @param batch exactly one batch */
export function hasValidChecksum(batch: Buffer): boolean {
  return crc32c(batch.subarray(ATTRIBUTES_AT)) === batch.readUInt32BE(CRC_AT);
}

/** Offset and leader epoch are not covered by the checksum, so that the broker can set them. */
export function assignOffset(batch: Buffer, baseOffset: number): void {
  putInt64(batch, baseOffset, 0);
  batch.writeInt32BE(LEADER_EPOCH, LEADER_EPOCH_AT);
}

/** For `message.timestamp.type=LogAppendTime`: sets the timestamp of all records. */
export function assignAppendTime(batch: Buffer, timestamp: number): void {
  batch.writeInt16BE(batch.readInt16BE(ATTRIBUTES_AT) | LOG_APPEND_TIME_BIT, ATTRIBUTES_AT);
  putInt64(batch, timestamp, MAX_TIMESTAMP_AT);
  batch.writeUInt32BE(crc32c(batch.subarray(ATTRIBUTES_AT)), CRC_AT);
}

/** The batch with other, uncompressed records. Its offsets, timestamps and producer stay the same. */
export function withRecords(batch: Buffer, records: readonly Buffer[]): Buffer {
  const copy = Buffer.concat([batch.subarray(0, HEADER_BYTES), ...records]);
  copy.writeInt32BE(copy.length - LOG_OVERHEAD, LENGTH_AT);
  copy.writeInt16BE(copy.readInt16BE(ATTRIBUTES_AT) & ~COMPRESSION_BITS, ATTRIBUTES_AT);
  copy.writeInt32BE(records.length, RECORD_COUNT_AT);
  copy.writeUInt32BE(crc32c(copy.subarray(ATTRIBUTES_AT)), CRC_AT);
  return copy;
}

/** The control batch that ends a transaction, as Kafka's coordinator writes it (marker version 0). */
export function controlBatch(
  marker: { readonly producerId: number; readonly producerEpoch: number; readonly committed: boolean },
  timestamp: number,
): Buffer {
  // Length 16, attributes, timestamp and offset delta, key of 4 bytes, value of 6 (version, coordinator epoch), no
  // headers.
  const record = Buffer.from([32, 0, 0, 0, 8, 0, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0]);
  record.writeInt16BE(marker.committed ? COMMIT_MARKER : ABORT_MARKER, 7);
  const batch = Buffer.concat([Buffer.alloc(HEADER_BYTES), record]);
  batch.writeInt32BE(batch.length - LOG_OVERHEAD, LENGTH_AT);
  batch.writeInt8(2, MAGIC_AT);
  batch.writeInt16BE(TRANSACTIONAL_BIT | CONTROL_BIT, ATTRIBUTES_AT);
  putInt64(batch, timestamp, BASE_TIMESTAMP_AT);
  putInt64(batch, timestamp, MAX_TIMESTAMP_AT);
  putInt64(batch, marker.producerId, PRODUCER_ID_AT);
  batch.writeInt16BE(marker.producerEpoch, PRODUCER_EPOCH_AT);
  batch.writeInt32BE(-1, BASE_SEQUENCE_AT);
  batch.writeInt32BE(1, RECORD_COUNT_AT);
  batch.writeUInt32BE(crc32c(batch.subarray(ATTRIBUTES_AT)), CRC_AT);
  return batch;
}
