/** Lines as UTF-8 in one buffer that is used again and again. Bounded: what does not fit waits for the next write. */
const CAPACITY = 256 * 1024;
/** UTF-8 bytes per UTF-16 code unit, at most. */
const WORST_CASE = 3;

export class LineBuffer {
  private buffer = Buffer.allocUnsafe(CAPACITY);
  private used = 0;

  /** @param separator what ends each line */
  constructor(private readonly separator: Buffer) {}

  get length(): number {
    return this.used;
  }

  /** False when there may be no room: write `bytes`, clear, and try again; or `appendLarge` when it is empty. */
  append(line: string | Uint8Array): boolean {
    const room = this.buffer.length - this.used - this.separator.length;
    if (typeof line === 'string') {
      if (line.length * WORST_CASE > room && (line.length > room || Buffer.byteLength(line) > room)) return false;
      this.used += this.buffer.write(line, this.used);
    } else {
      if (line.length > room) return false;
      this.buffer.set(line, this.used);
      this.used += line.length;
    }
    this.buffer.set(this.separator, this.used);
    this.used += this.separator.length;
    return true;
  }

  /** Bytes of a line and its end. */
  sizeOf(line: string | Uint8Array): number {
    return Buffer.byteLength(line) + this.separator.length;
  }

  /** Whatever the line's size, until the next `clear`. Only for an empty buffer. */
  appendLarge(line: string | Uint8Array): void {
    this.buffer = Buffer.allocUnsafe(this.sizeOf(line));
    this.append(line);
  }

  /** A view: valid until the next `append` or `clear`. */
  bytes(): Buffer {
    return this.buffer.subarray(0, this.used);
  }

  clear(): void {
    this.used = 0;
    if (this.buffer.length > CAPACITY) this.buffer = Buffer.allocUnsafe(CAPACITY);
  }
}
