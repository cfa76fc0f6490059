/**
 * Splits bytes into lines. A line ends with `\n`, `\r` or `\r\n`; a `\r` at the end of the buffer waits for the next
 * byte. Text is UTF-8; invalid bytes become U+FFFD. Positions are in bytes. Source: connect-runtime §10.9.
 */
import { ConnectError } from '@millrace/sdk';

const CAPACITY = 256 * 1024;
/** Well above Kafka's default record limit of 1 MiB, for clusters that raise it. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;

export class LineSplitter {
  private data = Buffer.allocUnsafe(CAPACITY);
  /** Start and end of the bytes that are not yet returned. */
  private start = 0;
  private end = 0;
  /** Bytes before this index contain no line end. */
  private scanned = 0;
  /** Index of the next `\r`, or `end` if there is none. -1: not searched yet. */
  private nextCr = -1;
  /** Position of `data[0]`. */
  private base: number;

  /** @param position of the first line, in bytes. (Default: 0) */
  constructor(
    position = 0,
    private readonly maxLineBytes = MAX_LINE_BYTES,
  ) {
    this.base = position;
  }

  /** End of the last returned line: where to resume. */
  get position(): number {
    return this.base + this.start;
  }

  /** End of the last byte received. */
  get readPosition(): number {
    return this.base + this.end;
  }

  /** Space for the next bytes; call `filled` with the number read. Throws ConnectError `FILE_SOURCE_LINE`. */
  room(): Buffer {
    const used = this.end - this.start;
    if (this.start === 0 && this.end === this.data.length) this.grow();
    else if (used === 0 && this.data.length > CAPACITY) this.data = Buffer.allocUnsafe(CAPACITY);
    else this.data.copyWithin(0, this.start, this.end);
    this.base += this.start;
    this.scanned -= this.start;
    this.start = 0;
    this.end = used;
    return this.data.subarray(this.end);
  }

  filled(bytes: number): void {
    this.end += bytes;
    this.nextCr = -1;
  }

  /** Null: no complete line is available. */
  next(): string | null {
    const lf = this.find(LF);
    const cr = this.findCr();
    if (cr < lf) {
      if (cr + 1 === this.end) {
        this.scanned = cr;
        return null;
      }
      return this.take(cr, this.data[cr + 1] === LF ? 2 : 1);
    }
    if (lf < this.end) return this.take(lf, 1);
    this.scanned = this.end;
    return null;
  }

  /** Returns the unterminated rest and empties the splitter. Null: there is none. */
  rest(): string | null {
    if (this.start === this.end) return null;
    const closed = this.data[this.end - 1] === CR ? 1 : 0;
    return this.take(this.end - closed, closed);
  }

  /** Discards all bytes. */
  restart(position: number): void {
    this.base = position;
    this.start = this.end = this.scanned = 0;
    this.nextCr = -1;
  }

  private take(to: number, terminator: number): string {
    const line = this.data.toString('utf8', this.start, to);
    this.start = this.scanned = to + terminator;
    if (this.nextCr < this.start) this.nextCr = -1;
    return line;
  }

  /** `end` if there is none. */
  private find(byte: number): number {
    if (this.scanned >= this.end) return this.end;
    const found = this.data.indexOf(byte, this.scanned);
    return found < 0 || found > this.end ? this.end : found;
  }

  private findCr(): number {
    if (this.nextCr < 0) this.nextCr = this.find(CR);
    return this.nextCr;
  }

  private grow(): void {
    if (this.data.length >= this.maxLineBytes) {
      throw new ConnectError(
        `The line at byte ${this.position} is longer than ${this.maxLineBytes} bytes: terminate it, or move the connector's offset past it.`,
        { code: 'FILE_SOURCE_LINE', place: { position: this.position } },
      );
    }
    const larger = Buffer.allocUnsafe(Math.min(this.maxLineBytes, this.data.length * 2));
    this.data.copy(larger, 0, this.start, this.end);
    this.data = larger;
  }
}
