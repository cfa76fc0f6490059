import { TooLarge } from './too-large';

const INITIAL = 4096;
/** Larger content is handed over rather than copied. Bytes. */
const COPIED = 16 * 1024;
/** More memory is given back with its content. Bytes. */
const KEPT = 1024 * 1024;
/** The exact length of larger texts is counted, rather than three times as much reserved. UTF-16 units. */
const LARGE_TEXT = 64 * 1024;

const UINT32 = 0x1_0000_0000;

/** Writes into a buffer that grows and is used again. All numbers are big-endian. */
export class ByteWriter {
  private buffer = Buffer.allocUnsafeSlow(INITIAL);
  private at = 0;
  /** Where the limited content begins, and how long it may be. */
  private from = 0;
  private most = Infinity;
  private what = '';

  get length(): number {
    return this.at;
  }

  /**
   * What is written from here on throws TooLarge if it has more bytes, until the next limit.
   * @param what begins a sentence
   */
  limit(bytes: number, what: string): void {
    this.from = this.at;
    this.most = bytes;
    this.what = what;
  }

  u8(value: number): void {
    this.reserve(1);
    this.buffer[this.at++] = value;
  }

  u16(value: number): void {
    this.reserve(2);
    this.at = this.buffer.writeUInt16BE(value, this.at);
  }

  i32(value: number): void {
    this.reserve(4);
    this.at = this.buffer.writeInt32BE(value, this.at);
  }

  /** Of a safe integer. */
  i64(value: number): void {
    this.reserve(8);
    const high = Math.floor(value / UINT32);
    this.buffer.writeInt32BE(high, this.at);
    this.buffer.writeUInt32BE(value - high * UINT32, this.at + 4);
    this.at += 8;
  }

  bigInt64(value: bigint): void {
    this.reserve(8);
    this.at = this.buffer.writeBigInt64BE(value, this.at);
  }

  f32(value: number): void {
    this.reserve(4);
    this.at = this.buffer.writeFloatBE(value, this.at);
  }

  f64(value: number): void {
    this.reserve(8);
    this.at = this.buffer.writeDoubleBE(value, this.at);
  }

  /** 4 bytes length, UTF-8. */
  string(value: string): void {
    // A UTF-16 unit is at most 3 bytes.
    this.reserve(4 + (value.length > LARGE_TEXT ? Buffer.byteLength(value) : value.length * 3));
    const length = this.buffer.write(value, this.at + 4);
    this.buffer.writeInt32BE(length, this.at);
    this.at += 4 + length;
  }

  /** 4 bytes length, -1 for null, and the bytes. */
  bytes(value: Uint8Array | null): void {
    if (value === null) return this.i32(-1);
    this.i32(value.length);
    this.raw(value);
  }

  /** A part of `source`, as `bytes`; a negative start: null. */
  slice(source: Uint8Array, start: number, end: number): void {
    this.bytes(start < 0 ? null : source.subarray(start, end));
  }

  raw(value: Uint8Array): void {
    this.reserve(value.length);
    this.buffer.set(value, this.at);
    this.at += value.length;
  }

  /** Leaves room for a number that is known later. Returns its position for `patch`. */
  placeholder(): number {
    this.i32(0);
    return this.at - 4;
  }

  patch(position: number, value: number): void {
    this.buffer.writeInt32BE(value, position);
  }

  /** Forgets what was written after `length`. */
  truncate(length: number): void {
    this.at = length;
    if (length === 0 && this.buffer.length > KEPT) this.buffer = Buffer.allocUnsafeSlow(INITIAL);
  }

  /** Writes what was written here; this one is empty then. */
  moveTo(out: ByteWriter): void {
    out.raw(this.buffer.subarray(0, this.at));
    this.truncate(0);
  }

  /** What was written; the writer is empty then. */
  take(): Buffer {
    const { at } = this;
    this.at = 0;
    if (at <= COPIED) return Buffer.from(this.buffer.subarray(0, at));
    const taken = this.buffer.subarray(0, at);
    this.buffer = Buffer.allocUnsafeSlow(INITIAL);
    return taken;
  }

  private reserve(more: number): void {
    const needed = this.at + more;
    if (needed <= this.buffer.length) return;
    const end = this.from + this.most;
    if (needed > end) throw new TooLarge(this.what, needed - this.from, this.most);
    // Never beyond the limit, so that only growing looks at it.
    const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(needed, this.buffer.length * 2), end));
    larger.set(this.buffer.subarray(0, this.at));
    this.buffer = larger;
  }
}
