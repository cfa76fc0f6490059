/**
 * Bytes into lines. A line ends at `\n`, `\r` or `\r\n`; a `\r` at the very end waits for the byte behind it. Text is
 * UTF-8, what is none becomes U+FFFD. Positions are bytes. Source: connect-runtime §10.9.
 */
import { ConnectError } from '@millrace/sdk';

const CAPACITY = 256 * 1024;
/** Kafka takes 1 MiB unless told otherwise; whoever told it otherwise gets this much. */
export const LONGEST_LINE = 64 * 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;

export class LineSplitter {
  private data = Buffer.allocUnsafe(CAPACITY);
  /** First byte not yet returned, and the end of what is there. */
  private start = 0;
  private end = 0;
  /** No line ends before this. */
  private scanned = 0;
  /** Where the next `\r` is, as far as looked for; -1: not looked for. */
  private nextCr = -1;
  /** Position of `data[0]`. */
  private base: number;

  /** @param position bytes before the first line. (Default: 0) */
  constructor(
    position = 0,
    private readonly longest = LONGEST_LINE,
  ) {
    this.base = position;
  }

  /** Behind the last line returned: where to go on. */
  get position(): number {
    return this.base + this.start;
  }

  /** Behind the last byte taken in. */
  get readPosition(): number {
    return this.base + this.end;
  }

  /** Room for the next bytes; say with `filled` how many came. Throws ConnectError `FILE_SOURCE_LINE`. */
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

  /** Null: no complete line is there. */
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

  /** What is left without an end of line; the splitter is empty afterwards. Null: nothing. */
  rest(): string | null {
    if (this.start === this.end) return null;
    const closed = this.data[this.end - 1] === CR ? 1 : 0;
    return this.take(this.end - closed, closed);
  }

  /** Forgets everything. */
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

  /** `end` when there is none. */
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
    if (this.data.length >= this.longest) {
      throw new ConnectError(
        `The line at byte ${this.position} is longer than ${this.longest} bytes: end it, or move the connector's offset behind it.`,
        { code: 'FILE_SOURCE_LINE', place: { position: this.position } },
      );
    }
    const larger = Buffer.allocUnsafe(Math.min(this.longest, this.data.length * 2));
    this.data.copy(larger, 0, this.start, this.end);
    this.data = larger;
  }
}
