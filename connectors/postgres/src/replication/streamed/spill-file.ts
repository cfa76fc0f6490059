/**
 * Bytes that are appended now and read once later: the last ones in memory, the others in a file. The file is removed
 * from its folder as soon as it is open, so that its space is free when the process ends, however it ends.
 */
import { randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { ConnectError } from '@millrace/sdk';

/** Bytes kept in memory before they are written. */
const SPILL_BUFFER_BYTES = 256 * 1024;

export class SpillFile {
  private file: FileHandle | null = null;
  /** Bytes in the file. More may be there, left by `truncate`. */
  private written = 0;
  private tail: Buffer = EMPTY;
  private used = 0;

  /** @param folder where the file is created, with access for this user only */
  constructor(private readonly folder: string) {}

  /** Position of the next byte. */
  get size(): number {
    return this.written + this.used;
  }

  /** Bytes in memory. */
  get buffered(): number {
    return this.used;
  }

  /** Await `flush` before the next append. */
  get isFull(): boolean {
    return this.used >= SPILL_BUFFER_BYTES;
  }

  /** Room for `bytes` more; fill `buffer` from `at` on. Valid until the next call. */
  append(bytes: number): { readonly buffer: Buffer; readonly at: number } {
    const at = this.used;
    if (at + bytes > this.tail.length) {
      const grown = Buffer.allocUnsafeSlow(
        Math.max(at + bytes, Math.min(this.tail.length * 2, SPILL_BUFFER_BYTES), 4096),
      );
      this.tail.copy(grown, 0, 0, at);
      this.tail = grown;
    }
    this.used += bytes;
    return { buffer: this.tail, at };
  }

  /** Writes what is in memory. Throws ConnectError `PG_SPILL`. */
  async flush(): Promise<void> {
    if (this.used === 0) return;
    try {
      this.file ??= await openUnlinked(this.folder);
      for (let at = 0; at < this.used;) {
        const { bytesWritten } = await this.file.write(this.tail, at, this.used - at, this.written + at);
        at += bytesWritten;
      }
    } catch (error) {
      throw this.failure('written to', error);
    }
    this.written += this.used;
    this.used = 0;
    this.tail = EMPTY;
  }

  /** Forgets everything from `position` on. */
  truncate(position: number): void {
    this.used = Math.max(0, position - this.written);
    this.written = Math.min(this.written, position);
  }

  /** Fills `target` from `position` on; returns the number of bytes, 0 at the end. Throws ConnectError `PG_SPILL`. */
  async read(position: number, target: Buffer): Promise<number> {
    if (position >= this.written) return this.tail.copy(target, 0, position - this.written, this.used);
    try {
      const length = Math.min(target.length, this.written - position);
      const { bytesRead } = await (this.file as FileHandle).read(target, 0, length, position);
      if (bytesRead === 0) throw new Error('it is shorter than what was written');
      return bytesRead;
    } catch (error) {
      throw this.failure('read from', error);
    }
  }

  async close(): Promise<void> {
    const { file } = this;
    this.file = null;
    this.tail = EMPTY;
    this.used = 0;
    this.written = 0;
    await file?.close().catch(() => undefined);
  }

  private failure(done: string, cause: unknown): ConnectError {
    const full = ['ENOSPC', 'EDQUOT'].includes((cause as NodeJS.ErrnoException).code ?? '');
    const advice = full ? 'the disk is full; free space there' : `${(cause as Error).message}; correct it`;
    return new ConnectError(
      `The changes of a running transaction cannot be ${done} a temporary file in ${this.folder}: ${advice}, choose another folder with pgoutput.streaming.directory, or set pgoutput.streaming=off.`,
      { code: 'PG_SPILL', cause, place: { folder: this.folder } },
    );
  }
}

const EMPTY = Buffer.alloc(0);

async function openUnlinked(folder: string): Promise<FileHandle> {
  const path = join(folder, `millrace-streamed-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
