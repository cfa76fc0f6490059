/**
 * Reads and writes the protocol's primitive types for scripted brokers, independent of the code that the client and the
 * embedded broker share: with that, an encoding error would cancel itself out. For flexible versions strings, bytes and
 * arrays are compact, and `tags` is not empty.
 */
export class ByteWriter {
  private buffer: Buffer;
  private used = 0;

  constructor(
    readonly flexible = false,
    initialSize = 256,
  ) {
    this.buffer = Buffer.allocUnsafe(initialSize);
  }

  get length(): number {
    return this.used;
  }

  /** Reserves `size` bytes and returns their position. */
  private reserve(size: number): number {
    const at = this.used;
    const needed = at + size;
    if (needed > this.buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, this.buffer.length * 2));
      this.buffer.copy(grown, 0, 0, at);
      this.buffer = grown;
    }
    this.used = needed;
    return at;
  }

  int8(value: number): this {
    const at = this.reserve(1);
    this.buffer[at] = value & 0xff;
    return this;
  }

  boolean(value: boolean): this {
    return this.int8(value ? 1 : 0);
  }

  int16(value: number): this {
    const at = this.reserve(2);
    this.buffer.writeInt16BE(value, at);
    return this;
  }

  int32(value: number): this {
    const at = this.reserve(4);
    this.buffer.writeInt32BE(value, at);
    return this;
  }

  /** Exact within ±2^53. */
  int64(value: number): this {
    const at = this.reserve(8);
    this.buffer.writeInt32BE(Math.floor(value / 4294967296), at);
    this.buffer.writeUInt32BE(value >>> 0, at + 4);
    return this;
  }

  uvarint(value: number): this {
    let rest = value;
    while (rest >= 0x80) {
      this.int8((rest & 0x7f) | 0x80);
      rest = Math.floor(rest / 128);
    }
    return this.int8(rest);
  }

  string(value: string): this {
    const size = Buffer.byteLength(value);
    if (this.flexible) this.uvarint(size + 1);
    else this.int16(size);
    const at = this.reserve(size);
    this.buffer.write(value, at, size, 'utf8');
    return this;
  }

  nullableString(value: string | null | undefined): this {
    if (value != null) return this.string(value);
    return this.flexible ? this.uvarint(0) : this.int16(-1);
  }

  bytes(value: Uint8Array): this {
    if (this.flexible) this.uvarint(value.length + 1);
    else this.int32(value.length);
    return this.raw(value);
  }

  nullableBytes(value: Uint8Array | null | undefined): this {
    if (value != null) return this.bytes(value);
    return this.flexible ? this.uvarint(0) : this.int32(-1);
  }

  /** @param value 32 hexadecimal digits */
  uuid(value: string): this {
    const at = this.reserve(16);
    this.buffer.write(value, at, 16, 'hex');
    return this;
  }

  /** Without a length. */
  raw(value: Uint8Array): this {
    const at = this.reserve(value.length);
    this.buffer.set(value, at);
    return this;
  }

  array<T>(items: readonly T[], write: (item: T) => void): this {
    if (this.flexible) this.uvarint(items.length + 1);
    else this.int32(items.length);
    for (const item of items) write(item);
    return this;
  }

  nullableArray<T>(items: readonly T[] | null, write: (item: T) => void): this {
    if (items !== null) return this.array(items, write);
    return this.flexible ? this.uvarint(0) : this.int32(-1);
  }

  /** An empty set of tagged fields, where the version has them. */
  tags(): this {
    return this.flexible ? this.uvarint(0) : this;
  }

  finish(): Buffer {
    return this.buffer.subarray(0, this.used);
  }
}

/** For 32 bits, as all lengths and counts of the protocol. */
const MAX_UVARINT_BYTES = 5;

/** Throws RangeError for input that ends too early. */
export class ByteReader {
  constructor(
    readonly buffer: Buffer,
    readonly flexible = false,
    public offset = 0,
  ) {}

  get remaining(): number {
    return this.buffer.length - this.offset;
  }

  private take(size: number): number {
    const at = this.offset;
    if (size < 0 || at + size > this.buffer.length) {
      throw new RangeError(`the message ends at byte ${this.buffer.length}, ${size} bytes were expected at ${at}`);
    }
    this.offset = at + size;
    return at;
  }

  int8(): number {
    return this.buffer.readInt8(this.take(1));
  }

  boolean(): boolean {
    return this.int8() !== 0;
  }

  int16(): number {
    return this.buffer.readInt16BE(this.take(2));
  }

  int32(): number {
    return this.buffer.readInt32BE(this.take(4));
  }

  /** Exact within ±2^53. */
  int64(): number {
    const at = this.take(8);
    return this.buffer.readInt32BE(at) * 4294967296 + this.buffer.readUInt32BE(at + 4);
  }

  uvarint(): number {
    let value = 0;
    let factor = 1;
    for (let count = 0; count < MAX_UVARINT_BYTES; count++) {
      const byte = this.buffer[this.take(1)] as number;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
    throw new RangeError(`a number of more than ${MAX_UVARINT_BYTES} bytes ends at byte ${this.offset}`);
  }

  string(): string {
    return this.nullableString() ?? '';
  }

  nullableString(): string | null {
    const size = this.flexible ? this.uvarint() - 1 : this.int16();
    if (size < 0) return null;
    const at = this.take(size);
    return this.buffer.toString('utf8', at, at + size);
  }

  /** 32 hexadecimal digits. */
  uuid(): string {
    const at = this.take(16);
    return this.buffer.toString('hex', at, at + 16);
  }

  /** A view of the message, not a copy. */
  bytes(): Buffer {
    return this.nullableBytes() ?? Buffer.alloc(0);
  }

  nullableBytes(): Buffer | null {
    const size = this.flexible ? this.uvarint() - 1 : this.int32();
    if (size < 0) return null;
    return this.raw(size);
  }

  raw(size: number): Buffer {
    const at = this.take(size);
    return this.buffer.subarray(at, at + size);
  }

  /** A null array is returned as an empty one. */
  array<T>(read: () => T): T[] {
    const count = this.flexible ? this.uvarint() - 1 : this.int32();
    // Each item takes at least one byte.
    if (count < -1 || count > this.remaining)
      throw new RangeError(`${count} items were announced at byte ${this.offset}, ${this.remaining} bytes are left`);
    const items: T[] = [];
    for (let i = 0; i < count; i++) items.push(read());
    return items;
  }

  /** Skips tagged fields, where the version has them. */
  tags(): void {
    if (this.flexible) this.skipTags();
  }

  skipTags(): void {
    const count = this.uvarint();
    for (let i = 0; i < count; i++) {
      this.uvarint();
      this.take(this.uvarint());
    }
  }
}
