/** The bytes of a record, read from front to back. */
import { DataError } from '@millrace/sdk';

/** Values of types that take no bytes, which a count alone can make many of. */
const MOST_EMPTY = 100_000;
/** Members that unions add to their structs for the branches that are not used. */
const MOST_UNUSED = 10_000_000;
/** Levels of a value whose schema contains itself. */
const MAX_DEPTH = 1_000;
const LOW_BITS = 0x1000_0000;
/** Up to this length, a string is put together character by character. */
const SHORT = 12;

export class ByteInput {
  bytes: Buffer = Buffer.alloc(0);
  at = 0;
  end = 0;
  private empty = 0;
  private unused = 0;
  private depth = 0;

  start(bytes: Uint8Array, at: number): void {
    this.bytes = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.at = at;
    this.end = bytes.length;
    this.empty = 0;
    this.unused = 0;
    this.depth = 0;
  }

  boolean(): boolean {
    const byte = this.byte();
    if (byte > 1) unreadable('it has a boolean that is neither 0 nor 1', this.at);
    return byte === 1;
  }

  int(): number {
    const value = this.long();
    if (typeof value !== 'number' || (value | 0) !== value)
      return unreadable('it has an int of more than 32 bits', this.at);
    return value;
  }

  /** A bigint outside ±2^53. */
  long(): number | bigint {
    let low = this.byte();
    if (low < 128) return (low >>> 1) ^ -(low & 1);
    low &= 127;
    for (let shift = 7; shift < 28; shift += 7) {
      const byte = this.byte();
      low |= (byte & 127) << shift;
      if (byte < 128) return (low >>> 1) ^ -(low & 1);
    }
    let high = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      high += (byte & 127) * scale;
      if (byte < 128) break;
      scale *= 128;
      if (scale > 2 ** 35) return unreadable('it has a number of more than 64 bits', this.at);
    }
    return unzigzag(low, high, this.at);
  }

  float(): number {
    return this.bytes.readFloatLE(this.skip(4));
  }

  double(): number {
    return this.bytes.readDoubleLE(this.skip(8));
  }

  string(): string {
    const length = this.length();
    const start = this.skip(length);
    return length <= SHORT ? this.shortString(start, length) : this.text(start, length);
  }

  private shortString(start: number, length: number): string {
    const { bytes } = this;
    let text = '';
    for (let i = start; i < start + length; i++) {
      const byte = bytes[i] as number;
      if (byte > 127) return this.text(start, length);
      text += String.fromCharCode(byte);
    }
    return text;
  }

  private text(start: number, length: number): string {
    const text = (this.bytes as unknown as { utf8Slice(start: number, end: number): string }).utf8Slice(
      start,
      start + length,
    );
    if (text.includes('\ufffd') && Buffer.byteLength(text) !== length)
      unreadable('it has a string that is not UTF-8', start);
    return text;
  }

  /** A copy. */
  binary(): Buffer {
    return this.fixed(this.length());
  }

  fixed(size: number): Buffer {
    if (size === 0) this.countEmpty();
    const start = this.skip(size);
    return Buffer.from(this.bytes.subarray(start, start + size));
  }

  /** The number of elements of the next block of an array or map. Zero: there is none. */
  block(): number {
    const count = this.long();
    if (count === 0) return 0;
    if (typeof count !== 'number') return unreadable('it has a list of more elements than it can hold', this.at);
    if (count > 0) return count;
    // The size of the block follows, for those that skip it.
    this.length();
    return -count;
  }

  /** The index of a union's branch. */
  branch(count: number): number {
    const index = this.long();
    if (typeof index !== 'number' || index < 0 || index >= count)
      return unreadable('it has a value of a type that the union in its schema does not have', this.at);
    return index;
  }

  /** The length of what follows. */
  length(): number {
    const length = this.long();
    if (typeof length !== 'number' || length < 0 || length > this.end - this.at)
      return unreadable('it ends early, or has a length that is not one', this.at);
    return length;
  }

  skip(count: number): number {
    const start = this.at;
    if (count > this.end - start) ended(start);
    this.at = start + count;
    return start;
  }

  countEmpty(): void {
    if (++this.empty > MOST_EMPTY) unreadable(`it has more than ${MOST_EMPTY} values without content`, this.at);
  }

  countUnused(count: number): void {
    this.unused += count;
    if (this.unused > MOST_UNUSED) unreadable('it has too many values of unions', this.at);
  }

  enter(levels: number): void {
    this.depth += levels;
    if (this.depth > MAX_DEPTH) unreadable(`it is nested deeper than ${MAX_DEPTH} levels`, this.at);
  }

  leave(levels: number): void {
    this.depth -= levels;
  }

  private byte(): number {
    if (this.at >= this.end) ended(this.at);
    return this.bytes[this.at++] as number;
  }
}

function unzigzag(low: number, high: number, at: number): number | bigint {
  if (high >= LOW_BITS * 256) return unreadable('it has a number of more than 64 bits', at);
  const isNegative = (low & 1) === 1;
  if (high < 2 ** 26) {
    const half = high * (LOW_BITS / 2) + (low >>> 1);
    const value = isNegative ? -half - 1 : half;
    return Number.isSafeInteger(value) ? value : BigInt(value);
  }
  const half = (BigInt(high) << 27n) | BigInt(low >>> 1);
  return isNegative ? -half - 1n : half;
}

function ended(at: number): never {
  return unreadable('it ends early', at);
}

export function unreadable(reason: string, at: number): never {
  throw new DataError(
    `The record cannot be read with the Avro schema that it names: ${reason}. Check that its producer wrote it with this schema.`,
    { code: 'AVRO_DATA', place: { position: at } },
  );
}
