/** Reads the records inside one (decompressed) RecordBatch v2. Varints are decoded with number arithmetic only. */
import type { ConsumerRecord, RecordHeader } from './port';

const NO_HEADERS: readonly RecordHeader[] = Object.freeze([]);

export class RecordSectionReader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  /**
   * Appends the records at `fetchOffset` or after to `into`; returns the bytes of their keys and values.
   * @param lastOffset of the batch, which none of its records lies behind.
   * @param logAppendTime the one timestamp of all records, or null when each has its own.
   * @throws RangeError when a length leads outside, or the records are not those that were announced.
   */
  readAll(
    count: number,
    baseOffset: number,
    lastOffset: number,
    baseTimestamp: number,
    logAppendTime: number | null,
    fetchOffset: number,
    into: ConsumerRecord[],
  ): number {
    let total = 0;
    // Each takes a byte at least.
    if (count < 0 || count > this.bytes.length) throw new RangeError(`impossible record count ${count}`);
    for (let i = 0; i < count; i++) {
      const length = this.varint();
      const end = this.at + length;
      if (length < 0 || end > this.bytes.length) throw new RangeError(`record ${i} exceeds the batch`);
      this.at++; // attributes: unused
      const timestamp = baseTimestamp + this.varlong();
      const offset = baseOffset + this.varint();
      if (offset < baseOffset || offset > lastOffset) throw new RangeError(`record ${i} has the offset ${offset}`);
      if (offset >= fetchOffset) {
        const key = this.nullableBytes(end);
        const value = this.nullableBytes(end);
        const headers = this.headers(end);
        if (this.at !== end) throw new RangeError(`record ${i} is not as long as it says`);
        total += (key === null ? 0 : key.length) + (value === null ? 0 : value.length);
        into.push({ offset, timestamp: logAppendTime ?? timestamp, key, value, headers });
      }
      this.at = end;
    }
    if (this.at !== this.bytes.length)
      throw new RangeError(`${this.bytes.length - this.at} bytes are left behind its records`);
    return total;
  }

  private headers(end: number): readonly RecordHeader[] {
    const count = this.varint();
    if (count === 0) return NO_HEADERS;
    if (count < 0 || count > end - this.at) throw new RangeError(`impossible header count ${count}`);
    const headers: RecordHeader[] = [];
    for (let i = 0; i < count; i++) {
      const key = this.nullableBytes(end);
      if (key === null) throw new RangeError('header without a key');
      headers.push({ key: key.toString('utf8'), value: this.nullableBytes(end) });
    }
    return headers;
  }

  private nullableBytes(end: number): Buffer | null {
    const length = this.varint();
    if (length < 0) return null;
    const start = this.at;
    if (start + length > end) throw new RangeError('field exceeds its record');
    this.at = start + length;
    return this.bytes.subarray(start, this.at);
  }

  private varint(): number {
    const bytes = this.bytes;
    let b = bytes[this.at++]!;
    let value = b & 0x7f;
    for (let shift = 7; b >= 0x80; shift += 7) {
      if (shift > 28) throw new RangeError('varint longer than five bytes');
      if (this.at >= bytes.length) throw new RangeError('varint exceeds the batch');
      b = bytes[this.at++]!;
      value |= (b & 0x7f) << shift;
    }
    return (value >>> 1) ^ -(value & 1);
  }

  /** Zig-zag int64; exact within ±2^53, which holds every real timestamp distance. */
  private varlong(): number {
    const bytes = this.bytes;
    let low = 0;
    let scale = 1;
    for (let count = 0; count < 10; count++) {
      if (this.at >= bytes.length) break;
      const b = bytes[this.at++]!;
      low += (b & 0x7f) * scale;
      if (b < 0x80) return low % 2 === 0 ? low / 2 : -(low + 1) / 2;
      scale *= 128;
    }
    throw new RangeError('varlong exceeds its record');
  }
}
