/** Reads the records inside one (decompressed) RecordBatch v2. Varints are decoded with number arithmetic only. */
import { DecompressionLimitError } from '@millrace/record-codecs';
import type { ConsumerRecord, RecordHeader } from '../port';
import { ViewedRecord } from './viewed-record';

const NO_HEADERS: readonly RecordHeader[] = Object.freeze([]);
/** Minimum memory of a record object and of a header object, without their bytes. */
const RECORD_OBJECT_BYTES = 256;
const HEADER_OBJECT_BYTES = 128;

/** Fields of the batch header that apply to its records. */
export interface RecordSection {
  readonly count: number;
  readonly baseOffset: number;
  /** Offset of the last record, or after it. */
  readonly lastOffset: number;
  readonly baseTimestamp: number;
  /** The timestamp of all records, or null when each has its own. */
  readonly logAppendTime: number | null;
}

export class RecordSectionReader {
  /** Bytes of the keys and values of the records read. */
  valueBytes = 0;
  /** Bytes of the records read, with their lengths. */
  recordBytes = 0;
  /** Memory of the objects created so far. */
  objectBytes = 0;
  private at = 0;
  private read = 0;
  /** Of the field read last; -1: it is null. */
  private fieldStart = -1;

  /**
   * @param limit for the memory of one record's headers.
   * @param views records are views of `bytes`
   */
  constructor(
    private readonly bytes: Buffer,
    private readonly section: RecordSection,
    private readonly limit: number,
    private readonly views = false,
  ) {
    // Each record takes at least one byte.
    if (section.count < 0 || section.count > bytes.length)
      throw new RangeError(`impossible record count ${section.count}`);
  }

  /**
   * Appends the records from `fetchOffset` on to `into`, until all are read or their objects take `room` bytes.
   * @returns true when all are read.
   * @throws RangeError for a length outside the batch, or records that do not match the batch header.
   */
  readSome(fetchOffset: number, room: number, into: ConsumerRecord[]): boolean {
    const { count, baseOffset, lastOffset, baseTimestamp, logAppendTime } = this.section;
    const { bytes, views } = this;
    let { read } = this;
    let skippedBytes = 0;
    const begin = this.at;
    let valueBytes = 0;
    let objectBytes = 0;
    for (; read < count && objectBytes < room; read++) {
      const length = this.varint();
      const end = this.at + length;
      if (length < 0 || end > bytes.length) throw new RangeError(`record ${read} exceeds the batch`);
      this.at++; // attributes: unused
      const timestamp = baseTimestamp + this.varlong();
      const offset = baseOffset + this.varint();
      if (offset < baseOffset || offset > lastOffset) throw new RangeError(`record ${read} has the offset ${offset}`);
      if (offset >= fetchOffset) {
        const keyBytes = this.skipField(end);
        const keyStart = this.fieldStart;
        const keyEnd = this.at;
        const length = this.skipField(end);
        const valueStart = this.fieldStart;
        const valueEnd = this.at;
        const headers = this.headers(end);
        if (this.at !== end) throw new RangeError(`record ${read} has a wrong length`);
        valueBytes += keyBytes + length;
        objectBytes += RECORD_OBJECT_BYTES + headers.length * HEADER_OBJECT_BYTES;
        const time = logAppendTime ?? timestamp;
        if (views) {
          into.push(new ViewedRecord(offset, time, bytes, keyStart, keyEnd, valueStart, valueEnd, headers));
        } else {
          const key = keyStart < 0 ? null : bytes.subarray(keyStart, keyEnd);
          const value = valueStart < 0 ? null : bytes.subarray(valueStart, valueEnd);
          into.push({ offset, timestamp: time, key, value, headers });
        }
      } else skippedBytes = end - begin;
      this.at = end;
    }
    this.read = read;
    this.valueBytes += valueBytes;
    this.recordBytes += this.at - begin - skippedBytes;
    this.objectBytes += objectBytes;
    if (read < count) return false;
    if (this.at !== bytes.length) throw new RangeError(`${bytes.length - this.at} bytes follow its last record`);
    return true;
  }

  private headers(end: number): readonly RecordHeader[] {
    const count = this.varint();
    if (count === 0) return NO_HEADERS;
    if (count < 0 || count > end - this.at) throw new RangeError(`impossible header count ${count}`);
    if (count * HEADER_OBJECT_BYTES > this.limit)
      throw new DecompressionLimitError(`${count} headers take more than ${this.limit} bytes`);
    const headers: RecordHeader[] = [];
    for (let i = 0; i < count; i++) {
      const key = this.nullableBytes(end);
      if (key === null) throw new RangeError('header without a key');
      headers.push({ key: key.toString('utf8'), value: this.nullableBytes(end) });
    }
    return headers;
  }

  private nullableBytes(end: number): Buffer | null {
    this.skipField(end);
    return this.fieldStart < 0 ? null : this.bytes.subarray(this.fieldStart, this.at);
  }

  /** Returns its length, and leaves its position in `fieldStart` and `at`. */
  private skipField(end: number): number {
    const length = this.varint();
    this.fieldStart = -1;
    if (length < 0) return 0;
    const start = this.at;
    if (start + length > end) throw new RangeError('field exceeds its record');
    this.fieldStart = start;
    this.at = start + length;
    return length;
  }

  private varint(): number {
    const bytes = this.bytes;
    if (this.at >= bytes.length) throw new RangeError('varint exceeds the batch');
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

  /** Zig-zag int64; exact within ±2^53, which covers every real timestamp delta. */
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
