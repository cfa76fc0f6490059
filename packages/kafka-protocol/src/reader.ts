/**
 * Reads the protocol's primitive types. The bytes are untrusted, so every length is checked.
 */

/** The bytes are not a valid message. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}

/**
 * Limit over all arrays of a message, because decoded elements can use many times their encoded size. The broker has at
 * most 10,000 partitions.
 */
const MAX_ELEMENTS = 200_000;

export class Reader {
  private at = 0;
  private elements = 0;

  constructor(private readonly buffer: Buffer) {}

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

  /** The number of elements of an array, -1 for null. An element has at least one byte, which bounds the count. */
  count(flexible: boolean): number {
    const count = this.length(flexible, true);
    if (count > this.remaining) throw new MalformedMessage(`announces ${count} elements in ${this.remaining} bytes`);
    this.elements += Math.max(count, 0);
    if (this.elements > MAX_ELEMENTS) throw new MalformedMessage(`has more than ${MAX_ELEMENTS} elements`);
    return count;
  }

  /** No tagged fields are supported, and unknown ones must be ignored. */
  skipTaggedFields(): void {
    for (let left = this.unsignedVarint(); left > 0; left--) {
      this.unsignedVarint();
      this.advance(this.unsignedVarint());
    }
  }
}
