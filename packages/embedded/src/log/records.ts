/**
 * Reads the records of a batch: keys, timestamps and bytes. The broker decompresses batches only to read the keys of
 * compacted topics and to find a timestamp; otherwise it stores and sends them unchanged.
 */
import { codecById } from '@millrace/record-codecs';
import { HEADER_BYTES, readHeader } from './batch';

export interface StoredRecord {
  /** The whole record, including its length. */
  readonly bytes: Buffer;
  readonly offset: number;
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly isTombstone: boolean;
}

/** No client sends batches that are larger than this when decompressed. */
const MAX_DECOMPRESSED_BYTES = 128 * 1024 * 1024;

class Cursor {
  at = 0;
  constructor(readonly buffer: Buffer) {}

  /** Zigzag-encoded, up to 64 bits; exact below 2^53. */
  varlong(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.buffer[this.at++];
      if (byte === undefined || scale > 2 ** 63) throw new RangeError('a varint exceeds its record');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
  }

  /** A length and that many bytes; null if the length is negative. */
  bytes(): Buffer | null {
    const length = this.varlong();
    if (length < 0) return null;
    if (this.at + length > this.buffer.length) throw new RangeError('a field exceeds its record');
    return this.buffer.subarray(this.at, (this.at += length));
  }
}

/** @throws RangeError if the batch is malformed, or the error of its codec. */
export function readRecords(batch: Buffer): StoredRecord[] {
  return [...eachRecord(batch)];
}

/** One record at a time: a compressed batch of 1 MB may contain millions. */
export function* eachRecord(batch: Buffer): Generator<StoredRecord, void, undefined> {
  const header = readHeader(batch);
  const section = batch.subarray(HEADER_BYTES);
  const { compression } = header;
  const cursor = new Cursor(
    compression === 0 ? section : codecById(compression).decompress(section, MAX_DECOMPRESSED_BYTES),
  );
  for (let i = 0; i < header.recordCount; i++) {
    const from = cursor.at;
    const length = cursor.varlong();
    const end = cursor.at + length;
    if (length < 0 || end > cursor.buffer.length) throw new RangeError('a record exceeds its batch');
    cursor.at++; // attributes, which are unused
    const timestampDelta = cursor.varlong();
    const offsetDelta = cursor.varlong();
    const key = cursor.bytes();
    const value = cursor.bytes();
    cursor.at = end;
    yield {
      bytes: cursor.buffer.subarray(from, end),
      offset: header.baseOffset + offsetDelta,
      timestamp: header.logAppendTime ? header.maxTimestamp : header.baseTimestamp + timestampDelta,
      key,
      isTombstone: value === null,
    };
  }
}

export function everyRecordHasKey(batch: Buffer): boolean {
  for (const { key } of eachRecord(batch)) if (key === null) return false;
  return true;
}
