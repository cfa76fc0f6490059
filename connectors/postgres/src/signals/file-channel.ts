/**
 * The file channel: each line is a signal, and the file is emptied when all of them are applied (cdc-postgres §4.9).
 * Nothing but that changes the file, so a killed worker leaves every signal in it that may not have been applied; the
 * offset says which of them were.
 */
import { constants, fstatSync, ftruncateSync } from 'node:fs';
import { openRegularFile, type Logger } from '@millrace/sdk';
import type { SignalInbox } from './signal-inbox';
import { signalLines } from './signal-lines';
import { FileMarks, markedBegin } from './signal-mark';

interface FileContent {
  readonly bytes: Buffer;
  /** It has not changed since the last poll. */
  readonly isSettled: boolean;
}

/** Bytes of a file. */
const MAX_FILE_BYTES = 1024 * 1024;

export class FileChannel {
  /** Begin of the file: its lines are applied, but others were appended meanwhile. */
  private applied: Buffer = EMPTY;
  /** Size and time of the file when it was read last. */
  private seen = '';
  /** Why it was not read, so that it is reported once. */
  private reported = '';

  constructor(
    private readonly path: string,
    private readonly inbox: SignalInbox,
    private readonly logger: Logger,
    /** The mark of the last run, until the file is read. */
    private mark: string | null = null,
  ) {}

  async poll(): Promise<void> {
    try {
      const content = await this.read();
      if (content !== null) await this.apply(content);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') this.isEmpty();
      else this.report(String(error), (error as Error).message);
    }
  }

  /** Null: there is nothing to read. */
  private async read(): Promise<FileContent | null> {
    const file = await openRegularFile(this.path);
    try {
      const { size, mtimeMs } = await file.stat();
      const state = `${size} ${mtimeMs}`;
      const isSame = state === this.seen;
      this.seen = state;
      if (size === 0) this.isEmpty();
      if (size === 0 || state === this.reported) return null;
      if (size > MAX_FILE_BYTES) {
        this.report(state, `it has more than ${MAX_FILE_BYTES} bytes`);
        return null;
      }
      const bytes = await file.readFile();
      return { bytes, isSettled: isSame && bytes.length === size };
    } finally {
      await file.close();
    }
  }

  private async apply({ bytes, isSettled }: FileContent): Promise<void> {
    if (this.mark !== null) {
      this.applied = markedBegin(this.mark, bytes);
      if (this.applied.length > 0)
        this.logger.info(`The first ${this.applied.length} bytes of signal file ${this.path} were applied before.`);
      this.mark = null;
    }
    // Another file since then has its own lines.
    if (!bytes.subarray(0, this.applied.length).equals(this.applied)) this.applied = EMPTY;
    const known = this.applied.length;
    const { signals, problems, length } = signalLines(bytes.subarray(known), isSettled);
    // Another file than a signal file is left alone: its path may be a mistake.
    if (signals.length === 0 && known === 0) {
      if (isSettled || length > 0)
        this.report(this.seen, problems[0] === undefined ? 'it holds no signal' : `its first line ${problems[0]}`);
      return;
    }
    for (const problem of problems)
      this.logger.warn(`PG_SIGNAL: a line of signal file ${this.path} ${problem}; skipping it.`);
    const marks = new FileMarks(bytes);
    for (const { signal, end } of signals) await this.inbox.add(signal, marks.upTo(known + end)).catch(() => undefined);
    if (this.inbox.closed) return;
    this.applied = bytes.subarray(0, known + length);
    await this.empty();
  }

  /** Empties the file if it has only lines that are applied. */
  private async empty(): Promise<void> {
    const file = await openRegularFile(this.path, constants.O_RDWR);
    try {
      const bytes = await file.readFile();
      if (!bytes.equals(this.applied)) return;
      // Without a turn of the event loop in between, in which a line could be appended.
      if (fstatSync(file.fd).size > bytes.length) return;
      ftruncateSync(file.fd, 0);
      this.isEmpty();
    } finally {
      await file.close();
    }
  }

  /** The same lines may be written again, and are then new signals. */
  private isEmpty(): void {
    this.applied = EMPTY;
    this.mark = null;
    this.inbox.onForget?.('file');
  }

  private report(state: string, why: string): void {
    if (state === this.reported) return;
    this.reported = state;
    this.logger.warn(`PG_SIGNAL: signal file ${this.path} cannot be read: ${why}. It is left unchanged.`);
  }
}

const EMPTY = Buffer.alloc(0);
