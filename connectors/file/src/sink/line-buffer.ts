/** Lines as UTF-8 in one buffer that is used again and again. Bounded: what does not fit waits for the next write. */
const CAPACITY = 256 * 1024;
const NEWLINE = 0x0a;
/** UTF-8 bytes per UTF-16 code unit, at most. */
const WORST_CASE = 3;

export class LineBuffer {
  private buffer = Buffer.allocUnsafe(CAPACITY);
  private used = 0;

  get length(): number {
    return this.used;
  }

  /** False when there may be no room: write `bytes`, clear, and try again; or `grow` when it is empty. */
  append(line: string | Uint8Array): boolean {
    const room = this.buffer.length - this.used - 1;
    if (typeof line === 'string') {
      if (line.length * WORST_CASE > room && (line.length > room || Buffer.byteLength(line) > room)) return false;
      this.used += this.buffer.write(line, this.used);
    } else {
      if (line.length > room) return false;
      this.buffer.set(line, this.used);
      this.used += line.length;
    }
    this.buffer[this.used++] = NEWLINE;
    return true;
  }

  /** Holds this one line, whatever its size. Only for an empty buffer; discard it afterwards. */
  grow(line: string | Uint8Array): void {
    this.buffer = Buffer.allocUnsafe((typeof line === 'string' ? Buffer.byteLength(line) : line.length) + 1);
    this.append(line);
  }

  /** A view: valid until the next `append` or `clear`. */
  bytes(): Buffer {
    return this.buffer.subarray(0, this.used);
  }

  clear(): void {
    this.used = 0;
  }
}
