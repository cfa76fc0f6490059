/** The records inside a batch, as far as a broker has to look: their keys, times and bytes. */
import { HEADER_BYTES, readHeader } from './batch';
import { decompress } from './decompress';

export interface StoredRecord {
  /** All of its bytes, its length included. */
  readonly bytes: Buffer;
  readonly offset: number;
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly isTombstone: boolean;
}

class Cursor {
  at = 0;
  constructor(readonly buffer: Buffer) {}

  /** Zigzag, up to 64 bits; exact below 2^53. */
  varlong(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.buffer[this.at++];
      if (byte === undefined || scale > 2 ** 63) throw new RangeError('a record ends in the middle of a number');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
  }

  /** Length and bytes; null: absent. */
  bytes(): Buffer | null {
    const length = this.varlong();
    if (length < 0) return null;
    if (this.at + length > this.buffer.length) throw new RangeError('a record is shorter than its parts');
    return this.buffer.subarray(this.at, (this.at += length));
  }
}

/** @throws RangeError for a batch that cannot be read; what the codec throws. */
export function readRecords(batch: Buffer): StoredRecord[] {
  return [...eachRecord(batch)];
}

/** One at a time: a batch of a megabyte may hold millions once it is decompressed. */
export function* eachRecord(batch: Buffer): Generator<StoredRecord, void, undefined> {
  const header = readHeader(batch);
  const cursor = new Cursor(decompress(header.compression, batch.subarray(HEADER_BYTES)));
  for (let i = 0; i < header.recordCount; i++) {
    const from = cursor.at;
    const length = cursor.varlong();
    const end = cursor.at + length;
    if (length < 0 || end > cursor.buffer.length) throw new RangeError('a record is longer than its batch');
    cursor.at++; // attributes, which no version uses
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
