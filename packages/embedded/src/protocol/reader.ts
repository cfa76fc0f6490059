/** Reads the protocol's primitive types from one request. Everything is checked: these bytes come from anyone. */

/** The bytes are not the message they claim to be. The connection they came from is not worth keeping. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}

/**
 * Elements of all arrays of one message together: small elements must not become a memory of another order than the
 * bytes.
 */
const MOST_ELEMENTS = 1_000_000;

export class Reader {
  private at = 0;
  private elements = 0;

  constructor(private readonly buffer: Buffer) {}

  get remaining(): number {
    return this.buffer.length - this.at;
  }

  private take(bytes: number): number {
    if (bytes > this.remaining) {
      throw new MalformedMessage(`ends where ${bytes} more bytes are announced and ${this.remaining} are left`);
    }
    const from = this.at;
    this.at += bytes;
    return from;
  }

  int8(): number {
    return this.buffer.readInt8(this.take(1));
  }

  bool(): boolean {
    return this.int8() !== 0;
  }

  int16(): number {
    return this.buffer.readInt16BE(this.take(2));
  }

  int32(): number {
    return this.buffer.readInt32BE(this.take(4));
  }

  /** Exact below 2^53, which everything that counts here is. */
  int64(): number {
    const at = this.take(8);
    return this.buffer.readInt32BE(at) * 0x1_0000_0000 + this.buffer.readUInt32BE(at + 4);
  }

  uuid(): string {
    const at = this.take(16);
    return this.buffer.toString('hex', at, at + 16);
  }

  unsignedVarint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.buffer[this.take(1)]!;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new MalformedMessage('holds a number longer than five bytes where a 32-bit one is announced');
  }

  /** -1: null. */
  length(flexible: boolean, wide: boolean): number {
    const length = flexible ? this.unsignedVarint() - 1 : wide ? this.int32() : this.int16();
    if (length < -1) throw new MalformedMessage(`announces a length of ${length}`);
    return length;
  }

  bytes(length: number): Buffer {
    const from = this.take(length);
    return this.buffer.subarray(from, from + length);
  }

  text(length: number): string {
    const from = this.take(length);
    return this.buffer.toString('utf8', from, from + length);
  }

  /**
   * The number of an array's elements, -1: null. Each takes a byte at least, so no count can ask for more than is
   * there.
   */
  count(flexible: boolean): number {
    const count = this.length(flexible, true);
    if (count > this.remaining) throw new MalformedMessage(`announces ${count} elements in ${this.remaining} bytes`);
    this.elements += Math.max(count, 0);
    if (this.elements > MOST_ELEMENTS) throw new MalformedMessage(`has more than ${MOST_ELEMENTS} elements`);
    return count;
  }

  /** None is known here, and unknown ones are to be ignored. */
  skipTaggedFields(): void {
    for (let left = this.unsignedVarint(); left > 0; left--) {
      this.unsignedVarint();
      this.take(this.unsignedVarint());
    }
  }
}
