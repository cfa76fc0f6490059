/**
 * Reads the protocol's primitive types. The bytes are untrusted, so every length is checked.
 */

/** The bytes are not a valid message. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}

const UNKNOWN = (): boolean => false;

export interface ReaderOptions {
  /**
   * Limit over all arrays of a message, because decoded elements can use many times their encoded size. (Default: that
   * of the message's size)
   */
  readonly maxElements?: number;
  /** A null where the declaration forbids it is read as an empty value, not refused. */
  readonly nullAsEmpty?: boolean;
}

export class Reader {
  private at = 0;
  private elements = 0;

  private readonly maxElements: number;
  readonly nullAsEmpty: boolean;

  constructor(
    private readonly buffer: Buffer,
    { maxElements = Infinity, nullAsEmpty = false }: ReaderOptions = {},
  ) {
    this.maxElements = maxElements;
    this.nullAsEmpty = nullAsEmpty;
  }

  get remaining(): number {
    return this.buffer.length - this.at;
  }

  private advance(bytes: number): number {
    if (bytes > this.remaining) {
      throw new MalformedMessage(`ends early: ${bytes} bytes are announced, ${this.remaining} are left`);
    }
    const from = this.at;
    this.at += bytes;
    return from;
  }

  int8(): number {
    return this.buffer.readInt8(this.advance(1));
  }

  bool(): boolean {
    return this.int8() !== 0;
  }

  int16(): number {
    return this.buffer.readInt16BE(this.advance(2));
  }

  int32(): number {
    return this.buffer.readInt32BE(this.advance(4));
  }

  /** Exact below 2^53, as all offsets, timestamps and ids are. */
  int64(): number {
    const at = this.advance(8);
    return this.buffer.readInt32BE(at) * 0x1_0000_0000 + this.buffer.readUInt32BE(at + 4);
  }

  uuid(): string {
    const at = this.advance(16);
    return this.buffer.toString('hex', at, at + 16);
  }

  unsignedVarint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.buffer[this.advance(1)]!;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new MalformedMessage('has a 32-bit varint longer than five bytes');
  }

  /** -1 for null. */
  length(flexible: boolean, wide: boolean): number {
    const length = flexible ? this.unsignedVarint() - 1 : wide ? this.int32() : this.int16();
    if (length < -1) throw new MalformedMessage(`announces a length of ${length}`);
    return length;
  }

  bytes(length: number): Buffer {
    const from = this.advance(length);
    return this.buffer.subarray(from, from + length);
  }

  text(length: number): string {
    const from = this.advance(length);
    return this.buffer.toString('utf8', from, from + length);
  }

  string(flexible: boolean): string | null {
    const length = this.length(flexible, false);
    return length < 0 ? null : this.text(length);
  }

  /** A view of the message, not a copy. */
  byteString(flexible: boolean): Buffer | null {
    const length = this.length(flexible, true);
    return length < 0 ? null : this.bytes(length);
  }

  /** The number of elements of an array, -1 for null. An element has at least one byte, which bounds the count. */
  count(flexible: boolean): number {
    const count = this.length(flexible, true);
    if (count > this.remaining) throw new MalformedMessage(`announces ${count} elements in ${this.remaining} bytes`);
    this.elements += Math.max(count, 0);
    if (this.elements > this.maxElements) throw new MalformedMessage(`has more than ${this.maxElements} elements`);
    return count;
  }

  /** Fields that `read` does not know are skipped: it returns false without having read anything. */
  taggedFields(read: (tag: number) => boolean): void {
    for (let left = this.unsignedVarint(); left > 0; left--) {
      const tag = this.unsignedVarint();
      const size = this.unsignedVarint();
      const end = this.advance(size) + size;
      this.at = end - size;
      if (!read(tag)) this.at = end;
      else if (this.at !== end) throw new MalformedMessage(`has a tagged field ${tag} that is not of its size`);
    }
  }

  skipTaggedFields(): void {
    this.taggedFields(UNKNOWN);
  }
}
