/** A growing file, which may be missing at first and may be truncated or replaced while it is read. */
import { constants, type Stats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { ConnectError, type Logger } from '@millrace/sdk';
import { isInRoot } from '../file-root';
import type { Input } from './input';

interface Opened {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

export class TailedFile implements Input {
  private opened: Opened | null = null;
  /** Logged once until the file exists. */
  private loggedMissing = false;

  constructor(
    readonly file: string,
    private readonly logger: Logger,
    /** The directory that must contain the file. Null: any. */
    private readonly root: string | null,
  ) {}

  get name(): string {
    return this.file;
  }

  /** Throws ConnectError `FILE_SOURCE_OPEN`, `FILE_SOURCE_READ`, `FILE_OUTSIDE_ROOT`. */
  async read(room: Buffer, position: number): Promise<number | 'nothing' | 'truncated' | 'replaced'> {
    const first = this.opened === null;
    this.opened ??= await this.open();
    if (!this.opened) return 'nothing';
    if (first && isShorter(this.opened.stats, position)) return 'truncated';
    const bytes = await this.readBytes(this.opened, room, position);
    return bytes > 0 ? bytes : await this.atEnd(this.opened, room, position);
  }

  async close(): Promise<void> {
    const opened = this.opened;
    this.opened = null;
    await opened?.handle.close();
  }

  private async open(): Promise<Opened | null> {
    let handle: FileHandle;
    try {
      // Without O_NONBLOCK, a named pipe without a writer would block a thread of the pool.
      handle = await open(this.file, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (!isMissing(error)) throw this.failure('open', error, { code: 'FILE_SOURCE_OPEN' });
      if (!this.loggedMissing) this.logger.warn(`The file "${this.file}" does not exist, waiting for it`);
      this.loggedMissing = true;
      return null;
    }
    let opened: Opened | null = null;
    try {
      const stats = await handle.stat();
      if (stats.isDirectory()) throw this.failure('read', new Error('it is a directory'), { code: 'FILE_SOURCE_OPEN' });
      // Otherwise it was replaced meanwhile, and the next poll opens the new file.
      if (await isInRoot(this.file, handle, this.root)) opened = { handle, stats };
    } finally {
      if (!opened) await handle.close();
    }
    if (!opened) return null;
    this.loggedMissing = false;
    this.logger.info(`Reading ${this.file}`);
    return opened;
  }

  private async readBytes({ handle, stats }: Opened, room: Buffer, position: number): Promise<number> {
    try {
      // Pipes and devices have no positions.
      return (await handle.read(room, 0, room.length, stats.isFile() ? position : null)).bytesRead;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
      throw this.failure('read', error, { code: 'FILE_SOURCE_READ' });
    }
  }

  /** At the end of the file: checks whether it was truncated or replaced. */
  private async atEnd(
    opened: Opened,
    room: Buffer,
    position: number,
  ): Promise<number | 'nothing' | 'truncated' | 'replaced'> {
    if (!opened.stats.isFile()) return 'nothing';
    if (isShorter(await opened.handle.stat(), position)) return 'truncated';
    const named = await stat(this.file).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw this.failure('read', error, { code: 'FILE_SOURCE_READ' });
    });
    if (named === null || (named.ino === opened.stats.ino && named.dev === opened.stats.dev)) return 'nothing';
    // The last lines may have been written between the last read and the rename.
    const bytes = await this.readBytes(opened, room, position);
    if (bytes > 0) return bytes;
    await this.close();
    return 'replaced';
  }

  private failure(verb: string, cause: unknown, { code }: { code: string }): ConnectError {
    return new ConnectError(`Cannot ${verb} the file "${this.file}": ${(cause as Error).message}.`, {
      code,
      cause,
      place: { file: this.file },
    });
  }
}

function isShorter(stats: Stats, position: number): boolean {
  return stats.isFile() && stats.size < position;
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
