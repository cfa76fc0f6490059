/** The file channel: each line is a signal, and the file is emptied when they are applied (cdc-postgres §4.9). */
import { open } from 'node:fs/promises';
import type { Logger } from '@millrace/sdk';
import { MAX_SIGNAL_LENGTH, parseSignal } from './parse-signal';
import type { Signal } from './signal';
import type { SignalInbox } from './signal-inbox';

/** Bytes of a file. */
const MAX_FILE_BYTES = 1024 * 1024;

export class FileChannel {
  /** Size and time of a file that holds no signal, so that it is reported once. */
  private reported = '';

  constructor(
    private readonly path: string,
    private readonly inbox: SignalInbox,
    private readonly logger: Logger,
  ) {}

  async poll(): Promise<void> {
    let text: string;
    let read: number;
    try {
      const file = await open(this.path, 'r');
      try {
        const { size, mtimeMs } = await file.stat();
        const state = `${size} ${mtimeMs}`;
        if (size === 0 || state === this.reported) return;
        if (size > MAX_FILE_BYTES) return this.report(state, `it has more than ${MAX_FILE_BYTES} bytes`);
        text = await file.readFile('utf8');
        read = Buffer.byteLength(text);
        const { signals, problems } = this.parse(text);
        // Another file than a signal file is left alone: its path may be a mistake.
        if (signals.length === 0)
          return this.report(state, problems[0] === undefined ? 'it holds no signal' : `its first line ${problems[0]}`);
        for (const problem of problems)
          this.logger.warn(`PG_SIGNAL: a line of signal file ${this.path} ${problem}; skipping it.`);
        for (const signal of signals) await this.inbox.add(signal).catch(() => undefined);
        if (this.inbox.closed) return;
      } finally {
        await file.close();
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      return this.report(String(error), (error as Error).message);
    }
    await this.removeRead(read);
  }

  /** Keeps what was appended meanwhile. */
  private async removeRead(read: number): Promise<void> {
    const file = await open(this.path, 'r+');
    try {
      const bytes = await file.readFile();
      const rest = bytes.subarray(read);
      await file.truncate(0);
      if (rest.length > 0) await file.write(rest, 0, rest.length, 0);
    } finally {
      await file.close();
    }
  }

  private parse(text: string): { signals: Signal[]; problems: string[] } {
    const signals: Signal[] = [];
    const problems: string[] = [];
    for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
      try {
        if (line.length > MAX_SIGNAL_LENGTH) throw new Error(`is longer than ${MAX_SIGNAL_LENGTH} characters`);
        signals.push(parseSignal(line, 'file'));
      } catch (error) {
        problems.push((error as Error).message);
      }
    }
    return { signals, problems };
  }

  private report(state: string, why: string): void {
    if (state === this.reported) return;
    this.reported = state;
    this.logger.warn(`PG_SIGNAL: signal file ${this.path} cannot be read: ${why}. It is left unchanged.`);
  }
}
