/** A file opened for appending. */
import { constants } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConnectError, isConnectError } from '@millrace/sdk';
import { isInRoot, requireInRoot } from '../file-root';
import { PartialWrite } from './partial-write';

export interface AppendOptions {
  /** Bytes that terminate a line. */
  readonly separator: Buffer;
  readonly fsync: boolean;
  readonly createDirs: boolean;
  /** The directory that must contain the file. Null: any. */
  readonly root: string | null;
}

const MODE = 0o644;
/** Without O_NONBLOCK, a pipe that is full and not read would block a thread of the pool, which nothing can end. */
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NONBLOCK | constants.O_NOCTTY;

export class AppendFile {
  private unsynced = false;
  /** Null: the last write was complete. */
  private partial: PartialWrite | null = null;

  private constructor(
    private readonly handle: FileHandle,
    /** Pipes and devices cannot be synced. */
    private readonly regular: boolean,
    private bytes: number,
    private readonly options: AppendOptions,
  ) {}

  /** Throws ConnectError `FILE_SINK_OPEN`, `FILE_OUTSIDE_ROOT`. */
  static async open(file: string, options: AppendOptions): Promise<AppendFile> {
    let handle: FileHandle | null = null;
    try {
      await requireInRoot(file, options.root);
      if (options.createDirs) await mkdir(dirname(file), { recursive: true });
      handle = await open(file, FLAGS, MODE);
      if (!(await isInRoot(file, handle, options.root)))
        throw new Error('another file has got its name meanwhile; restart the task');
      const stats = await handle.stat();
      const added = stats.isFile() ? await terminateTornLine(handle, stats.size, options.separator) : 0;
      return new AppendFile(handle, stats.isFile(), stats.size + added, options);
    } catch (error) {
      await handle?.close();
      if (isConnectError(error)) throw error;
      throw new ConnectError(`Cannot append to the file "${file}": ${reason(file, error)}.`, {
        code: 'FILE_SINK_OPEN',
        cause: error,
        place: { file },
      });
    }
  }

  get size(): number {
    return this.bytes;
  }

  /** After a rejection, call it again with the same bytes: it resumes where the disk was full. */
  async write(bytes: Buffer): Promise<void> {
    this.unsynced = true;
    const { separator } = this.options;
    let written = this.partial ? await this.partial.resume(this.handle) : 0;
    try {
      while (written < bytes.length) {
        written += (await this.handle.write(bytes, written, bytes.length - written)).bytesWritten;
      }
    } catch (error) {
      this.partial = await PartialWrite.of(this.handle, this.regular, { bytes, written, separator });
      throw error;
    }
    this.partial = null;
    this.bytes += bytes.length;
  }

  async flush(): Promise<void> {
    if (this.unsynced && this.options.fsync && this.regular) await this.handle.datasync();
    this.unsynced = false;
  }

  /** @param flush false: written bytes may be lost in a power failure */
  async close(flush = true): Promise<void> {
    try {
      if (flush) await this.flush();
    } finally {
      await this.handle.close();
    }
  }
}

/**
 * A crash or a full disk may have left an incomplete line. Its record is delivered again, so terminate the line to keep
 * the next one apart from it. Resolves to the number of bytes added.
 */
async function terminateTornLine(handle: FileHandle, size: number, separator: Buffer): Promise<number> {
  if (size === 0) return 0;
  const last = Buffer.alloc(separator.length);
  const { bytesRead } = await handle.read(last, 0, last.length, Math.max(0, size - last.length));
  if (bytesRead === 0 || last.equals(separator)) return 0;
  await handle.write(separator);
  return separator.length;
}

function reason(file: string, error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOTDIR':
      return 'a parent of it is a file, not a directory';
    case 'ENOENT':
      return `the directory ${dirname(file)} does not exist; create it, set "file.create.dirs" to true, or change "file"`;
    case 'EACCES':
    case 'EPERM':
      return 'the worker’s user has no permission to write there';
    case 'EISDIR':
      return 'it is a directory';
    case 'EROFS':
      return 'the file system is read-only';
    default:
      return (error as Error).message;
  }
}
