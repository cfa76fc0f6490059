/** Where lines go: a file opened for appending, or standard output. */
import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConnectError } from '@millrace/sdk';

export interface LineTarget {
  readonly name: string;
  /** All bytes are with the operating system when it resolves. */
  write(bytes: Buffer): Promise<void>;
  /** Everything written survives a power failure when it resolves, where the target can do that. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const NEWLINE = 0x0a;

/** Throws ConnectError `FILE_SINK_OPEN`. */
export async function openFile(file: string): Promise<LineTarget> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'a+');
  } catch (error) {
    throw new ConnectError(`Cannot append to the file "${file}": ${reason(file, error)}.`, {
      code: 'FILE_SINK_OPEN',
      cause: error,
      place: { file },
    });
  }
  try {
    const stats = await handle.stat();
    if (stats.isFile()) await endTornLine(handle, stats.size);
    return new FileTarget(file, handle, stats.isFile());
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Java's behaviour without `file`. */
export function standardOutput(): LineTarget {
  return {
    name: 'standard output',
    write: (bytes) =>
      new Promise((resolve, reject) => process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()))),
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

class FileTarget implements LineTarget {
  constructor(
    readonly name: string,
    private readonly handle: FileHandle,
    /** Pipes and devices cannot be synchronised. */
    private readonly regular: boolean,
  ) {}

  async write(bytes: Buffer): Promise<void> {
    let written = 0;
    while (written < bytes.length) {
      written += (await this.handle.write(bytes, written, bytes.length - written)).bytesWritten;
    }
  }

  async flush(): Promise<void> {
    if (this.regular) await this.handle.datasync();
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}

/**
 * A crash or a full disk may have left half a line. The record is delivered again, so end the torn line: its successor must not be
 * glued to it.
 */
async function endTornLine(handle: FileHandle, size: number): Promise<void> {
  if (size === 0) return;
  const last = Buffer.alloc(1);
  const { bytesRead } = await handle.read(last, 0, 1, size - 1);
  if (bytesRead === 1 && last[0] !== NEWLINE) await handle.write('\n');
}

function reason(file: string, error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `the directory ${dirname(file)} does not exist, create it or change the setting "file"`;
    case 'EACCES':
    case 'EPERM':
      return 'the worker’s user may not write there';
    case 'EISDIR':
      return 'it is a directory';
    case 'EROFS':
      return 'the file system is read-only';
    default:
      return (error as Error).message;
  }
}
