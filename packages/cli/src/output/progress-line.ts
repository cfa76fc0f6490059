/** One line at the end of a terminal that says what a long command is doing. Nothing is drawn elsewhere. */
import { startTimer, monotonicNow } from '@millrace/sdk';
import type { CliIo, CliOutput } from '../io';
import type { Invocation } from '../program/command-spec';
import { printable, unguarded, withWrite } from './printable';

const REDRAW_MS = 100;
const COLUMNS = 80;
const CLEAR = '\r\x1b[K';

/** Draws the text, at most every 100 ms: of several in between, the last one is drawn when the time has passed. */
export type ShowProgress = (text: () => string) => void;

export class ProgressLine {
  /** These erase the line before they write. */
  readonly stdout: CliOutput;
  readonly stderr: CliOutput;
  private drawnAt = 0;
  private isDrawn = false;
  private next: (() => string) | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly io: Pick<CliIo, 'stdout' | 'stderr'>,
    private readonly now: () => number = monotonicNow,
  ) {
    this.stdout = this.clearing(io.stdout);
    this.stderr = this.clearing(io.stderr);
  }

  readonly show: ShowProgress = (text) => {
    if (this.io.stderr.isTTY !== true) return;
    const waitMs = this.isDrawn ? REDRAW_MS - (this.now() - this.drawnAt) : 0;
    this.next = text;
    if (waitMs <= 0) this.draw();
    else this.timer ??= startTimer(() => this.draw(), waitMs).unref();
  };

  clear(): void {
    this.cancel();
    if (this.isDrawn) unguarded(this.io.stderr).write(CLEAR);
    this.isDrawn = false;
  }

  private draw(): void {
    const { next } = this;
    this.cancel();
    if (next === null) return;
    // A terminal of unknown width reports 0. A full line would wrap, and could not be erased.
    const columns = (this.io.stderr.columns || COLUMNS) - 1;
    unguarded(this.io.stderr).write(CLEAR + printable(next()).slice(0, columns));
    this.isDrawn = true;
    this.drawnAt = this.now();
  }

  private cancel(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.next = null;
  }

  private clearing(output: CliOutput): CliOutput {
    return withWrite(output, (text) => (this.clear(), output.write(text)));
  }
}

/** Runs a command that shows its progress; the line is erased when it ends, and before anything else is written. */
export async function withProgress<T>(
  invocation: Invocation,
  work: (invocation: Invocation, show: ShowProgress) => Promise<T>,
): Promise<T> {
  const { io } = invocation;
  const line = new ProgressLine(io);
  try {
    return await work(
      {
        ...invocation,
        io: {
          get stdin() {
            return io.stdin;
          },
          stdout: line.stdout,
          stderr: line.stderr,
          env: io.env,
          cwd: io.cwd,
          onSignal: (listener) => io.onSignal(listener),
          onCrash: (listener) => io.onCrash(listener),
        },
      },
      line.show,
    );
  } finally {
    line.clear();
  }
}

/** `Waiting for 3 of 50 connectors: a, b, c`. @param waiting names */
export function waitingText(waiting: Iterable<string>, count: number): string {
  const names = [...waiting];
  return `Waiting for ${names.length} of ${count} connector${count === 1 ? '' : 's'}: ${names.slice(0, 5).join(', ')}`;
}
