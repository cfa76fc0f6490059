/** Terminal output of `millrace produce`: lines, and below them a progress bar if stderr is a terminal. */
import type { CliIo } from '../io';

export interface Progress {
  readonly name: string;
  /** Bytes read and acknowledged. */
  readonly done: number;
  /** Null if unknown, e.g. for standard input. */
  readonly total: number | null;
  readonly messages: number;
}

const BAR_WIDTH = 30;
const REDRAW_MS = 100;
const CLEAR = '\r\x1b[K';

/** One line without line ending, truncated to the width of the terminal. */
export function progressLine({ name, done, total, messages }: Progress, columns: number): string {
  const count = `${messages} message${messages === 1 ? '' : 's'}`;
  if (total === null) return `${name} ${count}`.slice(0, columns - 1);
  const share = total === 0 ? 1 : Math.min(Math.max(done / total, 0), 1);
  const filled = Math.floor(share * BAR_WIDTH);
  const bar = '#'.repeat(filled) + '.'.repeat(BAR_WIDTH - filled);
  return `${name} [${bar}] ${String(Math.floor(share * 100)).padStart(3)} % ${count}`.slice(0, columns - 1);
}

export class Screen {
  private readonly hasBar: boolean;
  private drawnAt = 0;
  private drawn = false;

  constructor(
    private readonly io: Pick<CliIo, 'stdout' | 'stderr'>,
    private readonly progress: () => Progress,
    private readonly now: () => number = Date.now,
  ) {
    this.hasBar = io.stderr.isTTY === true;
  }

  out(text: string): void {
    this.clear();
    this.io.stdout.write(text);
  }
  err(text: string): void {
    this.clear();
    this.io.stderr.write(text);
  }

  /** Draws the bar, at most every 100 ms. */
  draw(): void {
    if (!this.hasBar || (this.drawn && this.now() - this.drawnAt < REDRAW_MS)) return;
    // A terminal of unknown width reports 0.
    this.io.stderr.write(CLEAR + progressLine(this.progress(), this.io.stderr.columns || 80));
    this.drawn = true;
    this.drawnAt = this.now();
  }

  clear(): void {
    if (this.drawn) this.io.stderr.write(CLEAR);
    this.drawn = false;
  }
}
