/** Redraws a screen on a terminal until SIGINT or SIGTERM. */
import { ConnectError, sleep } from '@millrace/sdk';
import type { CliIo } from '../io';

const HOME = '\x1b[H';
const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
/** To the end of the line, and of the screen: what was there is overwritten rather than erased first. */
const CLEAR_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';
const CLEAR = '\x1b[2J';
const ROWS = 24;

/**
 * @param draw the text to show; an error's message is shown in its place, and the next interval tries again
 * @throws ConnectError `CLI_USAGE` if stdout is not a terminal
 */
export async function watch(io: CliIo, intervalMs: number, draw: () => Promise<string>): Promise<void> {
  if (io.stdout.isTTY !== true) throw new ConnectError('--watch needs a terminal.', { code: 'CLI_USAGE' });
  const ended = new AbortController();
  const end = new Promise<void>((resolve) => ended.signal.addEventListener('abort', () => resolve(), { once: true }));
  io.onSignal(() => ended.abort());
  io.stdout.write(`${HIDE_CURSOR}${CLEAR}`);
  try {
    while (!ended.signal.aborted) {
      const text = await Promise.race([draw().catch((error: Error) => `${error.message}\n`), end]);
      if (text !== undefined) io.stdout.write(screenText(text, io.stdout.rows || ROWS));
      await sleep(intervalMs, ended.signal);
    }
  } finally {
    io.stdout.write(`${SHOW_CURSOR}\n`);
  }
}

/** As many lines as fit, the last one without a line feed, so that the screen does not scroll. */
function screenText(text: string, rows: number): string {
  const lines = text
    .trimEnd()
    .split('\n')
    .slice(0, Math.max(rows - 1, 1));
  return `${HOME}${lines.map((line) => `${line}${CLEAR_LINE}`).join('\n')}${CLEAR_BELOW}`;
}
