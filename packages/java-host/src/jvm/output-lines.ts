/** Lines of a program's output, whatever it writes: bounded in length, number and rate. Pure. */
import { StringDecoder } from 'node:string_decoder';

const MAX_LINE = 2_000;

/** Cuts a stream of bytes into lines. The end of a longer line is dropped. */
export class LineSplitter {
  private readonly decoder = new StringDecoder('utf8');
  private line = '';
  private isCut = false;

  constructor(private readonly onLine: (line: string) => void) {}

  push(bytes: Buffer): void {
    const parts = this.decoder.write(bytes).split('\n');
    const rest = parts.pop() as string;
    for (const part of parts) {
      this.append(part);
      this.finish();
    }
    this.append(rest);
  }

  end(): void {
    this.append(this.decoder.end());
    if (this.line !== '') this.finish();
  }

  private append(text: string): void {
    const room = MAX_LINE - this.line.length;
    if (text.length > room) this.isCut = true;
    this.line += text.slice(0, room);
  }

  private finish(): void {
    const line = `${this.line.trimEnd()}${this.isCut ? '…' : ''}`;
    this.line = '';
    this.isCut = false;
    if (line !== '') this.onLine(line);
  }
}

const KEPT_LINES = 50;
const KEPT_CHARACTERS = 16 * 1024;

/** The newest lines, for errors. */
export class LastLines {
  private readonly lines: string[] = [];
  private length = 0;

  add(line: string): void {
    this.lines.push(line);
    this.length += line.length + 1;
    while (this.lines.length > KEPT_LINES || this.length > KEPT_CHARACTERS)
      this.length -= (this.lines.shift() as string).length + 1;
  }

  /** Empty without any. */
  get text(): string {
    return this.lines.join('\n');
  }

  some(test: (line: string) => boolean): boolean {
    return this.lines.some(test);
  }
}

const WINDOW_MS = 1_000;

/** Lets a number of lines pass each second, and says how many it did not. */
export class LineRate {
  private windowStart = -Infinity;
  private passed = 0;
  private dropped = 0;

  constructor(
    private readonly perSecond: number,
    private readonly now: () => number,
  ) {}

  /** `dropped`: how many since the last line that passed. */
  admit(): { readonly passes: boolean; readonly dropped: number } {
    const now = this.now();
    if (now - this.windowStart >= WINDOW_MS) {
      this.windowStart = now;
      this.passed = 0;
    }
    if (this.passed >= this.perSecond) {
      this.dropped++;
      return { passes: false, dropped: 0 };
    }
    this.passed++;
    const { dropped } = this;
    this.dropped = 0;
    return { passes: true, dropped };
  }
}
