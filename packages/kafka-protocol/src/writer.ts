/** Writes the protocol's primitive types into growing buffers. Large byte strings are referenced, not copied. */

const FIRST_SIZE = 512;
const LARGEST_SIZE = 1 << 20;
/** Above this size, a reference is cheaper than a copy. */
const REFERENCED_SIZE = 4096;

export class Writer {
  private readonly done: Buffer[] = [];
  private doneBytes = 0;
  private current: Buffer;
  /** Start of the part of `current` that is not in `done` yet. */
  private from = 0;
  private at = 0;

  /** @param firstSize expected size, to avoid further chunks */
  constructor(firstSize = FIRST_SIZE) {
    this.current = Buffer.allocUnsafe(firstSize);
  }

  get byteLength(): number {
    return this.doneBytes + this.at - this.from;
  }

  /** The written chunks, in order. The writer must not be used afterwards. */
  finish(): Buffer[] {
    this.cut();
    return this.done;
  }

  /** As `finish`, in one buffer. */
  toBuffer(): Buffer {
    const [first, ...others] = this.finish();
    return first === undefined || others.length > 0 ? Buffer.concat(this.done) : first;
  }

  private cut(): void {
    if (this.at === this.from) return;
    this.done.push(this.current.subarray(this.from, this.at));
    this.doneBytes += this.at - this.from;
    this.from = this.at;
  }

  /** Reserves that many bytes in `current` and returns their position. */
  private reserve(bytes: number): number {
    if (this.at + bytes > this.current.length) {
      this.cut();
      this.current = Buffer.allocUnsafe(Math.max(bytes, Math.min(this.current.length * 2, LARGEST_SIZE)));
      this.from = 0;
      this.at = 0;
    }
    const at = this.at;
    this.at += bytes;
    return at;
  }

  int8(value: number): void {
    const at = this.reserve(1);
    this.current.writeInt8(value, at);
  }

  bool(value: boolean): void {
    this.int8(value ? 1 : 0);
  }

  int16(value: number): void {
    const at = this.reserve(2);
    this.current.writeInt16BE(value, at);
  }

  int32(value: number): void {
    const at = this.reserve(4);
    this.current.writeInt32BE(value, at);
  }

  int64(value: number): void {
    const at = this.reserve(8);
    const high = Math.floor(value / 0x1_0000_0000);
    this.current.writeInt32BE(high, at);
    this.current.writeUInt32BE(value - high * 0x1_0000_0000, at + 4);
  }

  /** @param value 32 hexadecimal digits; anything else writes the zero UUID */
  uuid(value: string): void {
    const at = this.reserve(16);
    this.current.fill(0, at, at + 16);
    if (value.length === 32) this.current.write(value, at, 'hex');
  }

  unsignedVarint(value: number): void {
    let left = value;
    for (; left >= 0x80; left = Math.floor(left / 0x80)) this.uint8((left & 0x7f) | 0x80);
    this.uint8(left);
  }

  private uint8(value: number): void {
    const at = this.reserve(1);
    this.current[at] = value;
  }

  /** @param value -1 for null */
  length(value: number, flexible: boolean, wide: boolean): void {
    if (flexible) this.unsignedVarint(value + 1);
    else if (wide) this.int32(value);
    else this.int16(value);
  }

  bytes(value: Buffer): void {
    if (value.length >= REFERENCED_SIZE) {
      this.cut();
      this.done.push(value);
      this.doneBytes += value.length;
      return;
    }
    const at = this.reserve(value.length);
    value.copy(this.current, at);
  }

  text(value: string, bytes: number): void {
    const at = this.reserve(bytes);
    this.current.write(value, at, 'utf8');
  }

  string(value: string | null, flexible: boolean): void {
    const bytes = value === null ? -1 : Buffer.byteLength(value);
    this.length(bytes, flexible, false);
    if (value !== null) this.text(value, bytes);
  }

  byteString(value: Buffer | null, flexible: boolean): void {
    this.length(value === null ? -1 : value.length, flexible, true);
    if (value !== null) this.bytes(value);
  }

  noTaggedFields(): void {
    this.uint8(0);
  }
}
