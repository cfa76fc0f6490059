/**
 * Encodes one RecordBatch v2 into pooled memory as records are appended: each record's bytes are copied once, and
 * varints are computed with number arithmetic. There is room for a request header before the batch, so that a Produce
 * request with one batch needs no further copy. Source: kafka-client §1.
 */
import { crc32c } from '@millrace/record-codecs';
import type { RecordHeader } from '../port';
import type { BufferPool } from './buffer-pool';
import * as layout from './record-batch-layout';
import { headersBytes, writeBytes, writeHeaders } from './record-headers';
import { varintBytes, varlongBytes, writeVarint, writeVarlong } from './varint';

/** Assigned when the batch is first sent. `producerId` is -1 without idempotence. */
export interface ProducerIdentity {
  readonly producerId: number;
  readonly epoch: number;
  readonly baseSequence: number;
  readonly transactional: boolean;
}

/**
 * Upper bound of a record's framing without key, value and headers: length, attributes, timestamp, offset, three
 * lengths.
 */
const RECORD_FRAMING_BYTES = 5 + 1 + 10 + 5 + 5 + 5 + 5;

export class RecordBatchEncoder {
  private buffer: Buffer;
  private end: number;
  private count = 0;
  private baseTimestamp = 0;
  private maxTimestamp = -1;
  private codec = 0;
  /** The identity in the batch header, if that is filled in. */
  private finished: ProducerIdentity | null = null;

  /**
   * @param headroom bytes kept free before the batch.
   * @param sizeHint expected bytes of the batch; the buffer grows when needed.
   */
  constructor(
    private readonly pool: BufferPool,
    private readonly headroom: number,
    sizeHint: number,
  ) {
    this.buffer = pool.acquire(headroom + Math.max(sizeHint, layout.BATCH_HEADER_BYTES));
    this.end = headroom + layout.BATCH_HEADER_BYTES;
  }

  get recordCount(): number {
    return this.count;
  }

  /** Bytes of the batch so far, including its header. */
  get byteLength(): number {
    return this.end - this.headroom;
  }

  /**
   * @param maxBytes the batch may not grow beyond it, unless this is its first record.
   * @returns false, with nothing written, when the record does not fit.
   */
  append(
    key: Uint8Array | null,
    value: Uint8Array | null,
    headers: readonly RecordHeader[] | null | undefined,
    timestamp: number,
    maxBytes: number,
  ): boolean {
    const count = this.count;
    const timestampDelta = count === 0 ? 0 : timestamp - this.baseTimestamp;
    const keyLength = key === null ? -1 : key.length;
    const valueLength = value === null ? -1 : value.length;
    const headerCount = headers == null ? 0 : headers.length;
    let body =
      1 +
      varlongBytes(timestampDelta) +
      varintBytes(count) +
      varintBytes(keyLength) +
      varintBytes(valueLength) +
      varintBytes(headerCount);
    if (keyLength > 0) body += keyLength;
    if (valueLength > 0) body += valueLength;
    if (headerCount > 0) body += headersBytes(headers!);

    const needed = this.end + varintBytes(body) + body;
    if (count > 0 && needed - this.headroom > maxBytes) return false;
    if (needed > this.buffer.length) this.grow(needed);

    const buffer = this.buffer;
    let at = writeVarint(buffer, body, this.end);
    buffer[at++] = 0; // attributes: unused
    at = writeVarlong(buffer, timestampDelta, at);
    at = writeVarint(buffer, count, at);
    at = writeBytes(buffer, key, keyLength, at);
    at = writeBytes(buffer, value, valueLength, at);
    at = writeVarint(buffer, headerCount, at);
    if (headerCount > 0) at = writeHeaders(buffer, headers!, at);

    this.end = at;
    this.count = count + 1;
    if (count === 0) this.baseTimestamp = timestamp;
    if (timestamp > this.maxTimestamp) this.maxTimestamp = timestamp;
    return true;
  }

  /** The records, uncompressed: a view, valid until the next call. */
  records(): Buffer {
    return this.buffer.subarray(this.headroom + layout.BATCH_HEADER_BYTES, this.end);
  }

  /**
   * Replaces the records by the compressed ones, usually in a smaller buffer: the next batch is then written to the
   * large one, which is still in the processor's cache. No record can be appended afterwards.
   */
  replaceRecords(compressed: Buffer, codec: number): void {
    const start = this.headroom + layout.BATCH_HEADER_BYTES;
    const needed = start + compressed.length;
    const { buffer } = this;
    if (needed > buffer.length || needed <= buffer.length / 2) {
      this.buffer = this.pool.acquire(needed);
      this.pool.release(buffer);
    }
    this.buffer.set(compressed, start);
    this.end = needed;
    this.codec = codec;
  }

  /**
   * Fills in the batch header and its checksum, unless it has them: a retry has the same identity. No record may be
   * appended afterwards.
   * @returns a view of the finished batch.
   */
  finish(identity: ProducerIdentity): Buffer {
    const batch = this.bytes();
    if (identity === this.finished) return batch;
    this.finished = identity;
    layout.writeInt64(batch, 0, layout.BASE_OFFSET_AT);
    batch.writeInt32BE(batch.length - layout.LOG_OVERHEAD, layout.BATCH_LENGTH_AT);
    batch.writeInt32BE(-1, layout.LEADER_EPOCH_AT);
    batch[layout.MAGIC_AT] = 2;
    batch.writeInt16BE(this.codec | (identity.transactional ? layout.TRANSACTIONAL_FLAG : 0), layout.ATTRIBUTES_AT);
    batch.writeInt32BE(this.count - 1, layout.LAST_OFFSET_DELTA_AT);
    layout.writeInt64(batch, this.baseTimestamp, layout.BASE_TIMESTAMP_AT);
    layout.writeInt64(batch, this.maxTimestamp, layout.MAX_TIMESTAMP_AT);
    layout.writeInt64(batch, identity.producerId, layout.PRODUCER_ID_AT);
    batch.writeInt16BE(identity.epoch, layout.PRODUCER_EPOCH_AT);
    batch.writeInt32BE(identity.baseSequence, layout.BASE_SEQUENCE_AT);
    batch.writeInt32BE(this.count, layout.RECORD_COUNT_AT);
    batch.writeUInt32BE(crc32c(batch.subarray(layout.ATTRIBUTES_AT)), layout.CRC_AT);
    return batch;
  }

  /** The current batch: a view, valid until the next call. */
  bytes(): Buffer {
    return this.buffer.subarray(this.headroom, this.end);
  }

  /**
   * Writes `prefix` directly before the finished batch and returns both as one view; `prefix` must fit the
   * headroom.
   */
  withPrefix(prefix: Uint8Array): Buffer {
    const start = this.headroom - prefix.length;
    this.buffer.set(prefix, start);
    return this.buffer.subarray(start, this.end);
  }

  /** Releases the memory. @param reusable false when a socket may still read it. */
  release(reusable: boolean): void {
    if (reusable) this.pool.release(this.buffer);
    this.buffer = EMPTY;
    this.end = 0;
  }

  private grow(needed: number): void {
    const larger = this.pool.acquire(Math.max(needed, this.buffer.length * 2));
    larger.set(this.buffer.subarray(0, this.end));
    this.pool.release(this.buffer);
    this.buffer = larger;
  }
}

const EMPTY = Buffer.alloc(0);

/**
 * Upper bound of the size of a batch with only this record, including the batch header; compared with
 * `max.request.size`.
 */
export function recordSizeUpperBound(
  key: Uint8Array | null,
  value: Uint8Array | null,
  headers: readonly RecordHeader[] | null | undefined,
): number {
  let size = layout.BATCH_HEADER_BYTES + RECORD_FRAMING_BYTES;
  if (key !== null) size += key.length;
  if (value !== null) size += value.length;
  if (headers != null && headers.length > 0) size += headersBytes(headers);
  return size;
}
