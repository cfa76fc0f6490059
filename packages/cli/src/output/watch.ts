/** Redraws a screen on a terminal until SIGINT or SIGTERM. */
import { ConnectError, settledWithin, sleep } from '@millrace/sdk';
import type { CliIo, CliOutput } from '../io';
import { timeText, width } from './layout';
import { unguarded, writable } from './printable';

const HOME = '\x1b[H';
const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
/** To the end of the line, and of the screen: what was there is overwritten rather than erased first. */
const CLEAR_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';
const CLEAR = '\x1b[2J';
const ROWS = 24;
const LATE = Symbol('late');
/** A drawing that takes longer is reported on the screen. ms */
const LATE_MS = 3000;

/**
 * The interval counts from the begin of a drawing. While a drawing takes longer, the screen before it says how long.
 * @param draw the text to show, below the time; in its place an error's message, until the next interval
 * @throws ConnectError `CLI_USAGE` if stdout is not a terminal
 */
export async function watch(io: CliIo, intervalMs: number, draw: () => Promise<string>): Promise<void> {
  if (io.stdout.isTTY !== true) throw new ConnectError('--watch needs a terminal.', { code: 'CLI_USAGE' });
  const ended = new AbortController();
  const end = new Promise<void>((resolve) => ended.signal.addEventListener('abort', () => resolve(), { once: true }));
  io.onSignal(() => ended.abort());
  const terminal = unguarded(io.stdout);
  const write = (text: string): void => void terminal.write(screenText(writable(text), terminal));
  terminal.write(`${HIDE_CURSOR}${CLEAR}`);
  try {
    let shown = '';
    while (!ended.signal.aborted) {
      const began = performance.now();
      const drawing = Promise.race([draw().catch((error: Error) => `${error.message}\n`), end]);
      let text: string | typeof LATE | void;
      while ((text = await settledWithin(drawing, Math.max(intervalMs, LATE_MS), LATE)) === LATE)
        write(`${lateNote((performance.now() - began) / 1000, shown !== '')}${shown}`);
      if (text !== undefined) write((shown = `${timeText(Date.now())}\n\n${text}`));
      // A drawing that takes long must not become a request without a pause.
      await sleep(Math.max(intervalMs - (performance.now() - began), intervalMs / 2), ended.signal);
    }
  } finally {
    terminal.write(`${SHOW_CURSOR}\n`);
  }
}

function lateNote(seconds: number, hasText: boolean): string {
  return `No answer for ${Math.round(seconds)} s${hasText ? '; this is the state before:' : '.'}\n\n`;
}

/** As many lines as fit, the last one without a line feed, so that the screen does not scroll. */
function screenText(text: string, { rows, columns }: CliOutput): string {
  const lines = text.trimEnd().split('\n');
  const shown = lines.slice(0, linesThatFit(lines, Math.max((rows || ROWS) - 1, 1), columns || Infinity));
  const more = lines.length - shown.length;
  if (more > 0)
    shown.splice(-1, 1, `… and ${more + 1} more lines: see them in a higher terminal or without refreshing`);
  return `${HOME}${shown.map((line) => `${line}${CLEAR_LINE}`).join('\n')}${CLEAR_BELOW}`;
}

/** At least one. The terminal breaks a line that is wider than it into several rows. */
function linesThatFit(lines: readonly string[], rows: number, columns: number): number {
  let used = 0;
  const end = lines.findIndex((line) => (used += Math.max(1, Math.ceil(width(line) / columns))) > rows);
  return end < 0 ? lines.length : Math.max(end, 1);
}
