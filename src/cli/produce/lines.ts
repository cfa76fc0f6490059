/** Splits a stream of bytes into lines, which end with `\n` or `\r\n`. The bytes of a line are not decoded. */
import { ConnectError } from '@millrace/sdk';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const LONGEST = 64 * 1024 * 1024;

export class LineCutter {
  /** Parts of an incomplete line. */
  private parts: Buffer[] = [];
  private pending = 0;
  private count = 0;

  /** @param longest maximum length of a line, bytes */
  constructor(
    private readonly name: string,
    private readonly longest = LONGEST,
  ) {}

  /**
   * The lines that end in `chunk`, without line endings. They are views of `chunk` if they also begin there.
   * @throws ConnectError `PRODUCE_INPUT` for a line that is too long.
   */
  push(chunk: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.keep(chunk.subarray(start, end));
      lines.push(this.take());
      start = end + 1;
    }
    if (start < chunk.length) this.keep(chunk.subarray(start));
    return lines;
  }

  /** The last line, if it has no line ending; otherwise null. */
  rest(): Buffer | null {
    return this.pending === 0 ? null : this.take();
  }

  private keep(part: Buffer): void {
    this.pending += part.length;
    if (this.pending > this.longest) {
      throw new ConnectError(
        `${this.name}:${this.count + 1} exceeds the maximum line length of ${this.longest} bytes.`,
        { code: 'PRODUCE_INPUT' },
      );
    }
    this.parts.push(part);
  }

  private take(): Buffer {
    const line = this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts);
    this.parts = [];
    this.pending = 0;
    this.count++;
    return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
  }
}
