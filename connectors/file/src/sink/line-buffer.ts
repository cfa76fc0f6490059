import { isUtf8 } from 'node:buffer';
import type { TextRecord } from '@millrace/sdk';

/** A bounded, reused buffer of lines in UTF-8. When a line does not fit, the caller writes the buffer and clears it. */
const CAPACITY = 512 * 1024;
/** Maximum number of UTF-8 bytes per UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3;

export class LineBuffer {
  private buffer = Buffer.allocUnsafe(CAPACITY);
  private used = 0;

  /** @param separator terminates each line */
  constructor(private readonly separator: Buffer) {}

  get length(): number {
    return this.used;
  }

  /** False: the line may not fit. Write `bytes`, clear and append again; use `appendLarge` if the buffer is empty. */
  append(line: string | Uint8Array): boolean {
    const room = this.buffer.length - this.used - this.separator.length;
    if (typeof line === 'string') {
      if (line.length * MAX_BYTES_PER_UNIT > room && (line.length > room || Buffer.byteLength(line) > room))
        return false;
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

  /**
   * Appends the values of the records from `from` on while they are text and fit. Returns the first that is left; null:
   * one of those that fit is no UTF-8, and none is appended.
   */
  appendTexts(records: readonly TextRecord[], from: number): number | null {
    const { buffer, separator } = this;
    const begin = this.used;
    const limit = buffer.length - separator.length;
    let at = begin;
    let next = from;
    for (; next < records.length; next++) {
      const { bytes, valueStart, valueEnd } = records[next]!;
      const size = valueEnd - valueStart;
      if (valueStart < 0 || at + size > limit) break;
      // Cheaper than `subarray` of a Buffer.
      buffer.set(new Uint8Array(bytes.buffer, bytes.byteOffset + valueStart, size), at);
      at += size;
      if (separator.length === 1) buffer[at++] = separator[0]!;
      else {
        buffer.set(separator, at);
        at += separator.length;
      }
    }
    // No character can begin in one value and end in the next: the separator between them is whole.
    if (!isUtf8(buffer.subarray(begin, at))) return null;
    this.used = at;
    return next;
  }

  /** Bytes of a line and its separator. */
  sizeOf(line: string | Uint8Array): number {
    return Buffer.byteLength(line) + this.separator.length;
  }

  /** Appends a line of any size to an empty buffer; `clear` restores the capacity. */
  appendLarge(line: string | Uint8Array): void {
    this.buffer = Buffer.allocUnsafe(this.sizeOf(line));
    this.append(line);
  }

  /** A view, valid until the next `append` or `clear`. */
  bytes(): Buffer {
    return this.buffer.subarray(0, this.used);
  }

  clear(): void {
    this.used = 0;
    if (this.buffer.length > CAPACITY) this.buffer = Buffer.allocUnsafe(CAPACITY);
  }
}
