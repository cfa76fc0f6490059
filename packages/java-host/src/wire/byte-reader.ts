import { ProtocolError } from './protocol-error';
import { StringCache } from './string-cache';

const UINT32 = 0x1_0000_0000;

/** Reads a buffer from its start, and never past its end. All numbers are big-endian. */
export class ByteReader {
  at = 0;

  constructor(
    readonly buffer: Buffer,
    /** Of one session, so that the texts of another one do not displace its own. */
    private readonly strings = new StringCache(),
  ) {}

  get left(): number {
    return this.buffer.length - this.at;
  }

  u8(): number {
    this.need(1);
    return this.buffer[this.at++] as number;
  }

  u16(): number {
    const { buffer, at } = this;
    this.need(2);
    this.at = at + 2;
    return ((buffer[at] as number) << 8) | (buffer[at + 1] as number);
  }

  i16(): number {
    return (this.u16() << 16) >> 16;
  }

  i32(): number {
    const { buffer, at } = this;
    this.need(4);
    this.at = at + 4;
    return (
      ((buffer[at] as number) << 24) |
      ((buffer[at + 1] as number) << 16) |
      ((buffer[at + 2] as number) << 8) |
      (buffer[at + 3] as number)
    );
  }

  /** A bigint outside ±2^53. */
  i64(): number | bigint {
    const high = this.i32();
    const value = high * UINT32 + (this.i32() >>> 0);
    return Number.isSafeInteger(value) ? value : this.buffer.readBigInt64BE(this.at - 8);
  }

  /** Of a number that has no reason to be outside ±2^53. */
  safeI64(): number {
    const value = this.i64();
    return typeof value === 'number' ? value : invalid('a number is too large');
  }

  f32(): number {
    this.need(4);
    this.at += 4;
    return this.buffer.readFloatBE(this.at - 4);
  }

  f64(): number {
    this.need(8);
    this.at += 8;
    return this.buffer.readDoubleBE(this.at - 8);
  }

  /** 4 bytes length, UTF-8. */
  string(): string {
    const length = this.length();
    const start = this.at;
    this.at = start + length;
    return this.strings.read(this.buffer, start, this.at);
  }

  /** Shares the memory of the buffer. */
  bytes(): Buffer {
    return this.raw(this.length());
  }

  /** As `bytes`; -1 is null. */
  nullableBytes(): Buffer | null {
    const length = this.i32();
    if (length === -1) return null;
    if (length < 0 || length > this.left) invalid('a length exceeds the frame');
    return this.raw(length);
  }

  raw(length: number): Buffer {
    this.need(length);
    const start = this.at;
    this.at = start + length;
    return this.buffer.subarray(start, this.at);
  }

  /** Of elements of at least `size` bytes each, so that a count cannot claim more memory than there are bytes. */
  count(size: number): number {
    const count = this.i32();
    if (count < 0 || count * size > this.left) invalid('a count exceeds the frame');
    return count;
  }

  end(): void {
    if (this.left > 0) invalid(`${this.left} bytes are left over`);
  }

  private length(): number {
    const length = this.i32();
    if (length < 0 || length > this.left) invalid('a length exceeds the frame');
    return length;
  }

  private need(bytes: number): void {
    if (this.at + bytes > this.buffer.length) invalid('it ends too early');
  }
}

function invalid(reason: string): never {
  throw new ProtocolError(reason);
}
