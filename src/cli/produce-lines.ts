/**
 * Cuts bytes into lines as they come. An end of line is `\n` or `\r\n`; everything else stays as it is, whatever its
 * encoding.
 */
import { ConnectError } from '@millrace/sdk';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const LONGEST = 64 * 1024 * 1024;

export class LineCutter {
  /** Parts of a line whose end has not come yet. */
  private parts: Buffer[] = [];
  private pending = 0;
  private count = 0;

  /** @param longest bytes of a line kept in memory at most */
  constructor(
    private readonly name: string,
    private readonly longest = LONGEST,
  ) {}

  /**
   * The lines that end in `chunk`, without their ends: views of it where they began there, too. Throws ConnectError
   * `PRODUCE_INPUT` for an endless one.
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

  /** What is left at the end of the input; null: its last line was ended. */
  rest(): Buffer | null {
    return this.pending === 0 ? null : this.take();
  }

  private keep(part: Buffer): void {
    this.pending += part.length;
    if (this.pending > this.longest) {
      throw new ConnectError(
        `${this.name}:${this.count + 1} is longer than ${this.longest} bytes, the most that is kept of one line.`,
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
