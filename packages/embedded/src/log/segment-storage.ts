/**
 * The bytes of one segment, in a file or in memory. Reads and writes are synchronous, because they use the page cache:
 * completed writes survive a crash of this process. Only `sync` waits for the disk.
 */
import {
  closeSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';

export interface SegmentStorage {
  readonly size: number;
  /** Time of the last append, milliseconds. */
  readonly modifiedAt: number;
  append(bytes: Buffer): void;
  /** Up to `length` bytes from `position`. */
  read(position: number, length: number): Buffer;
  truncate(size: number): void;
  sync(): Promise<void>;
  /** Sets the time of the last append. */
  setModifiedAt(modifiedAt: number): void;
  /** Renames the file, replacing the one at `path`. */
  moveTo(path: string): void;
  close(): void;
  /** Closes and deletes the file. */
  remove(): void;
}

const dataSync = promisify(fdatasync);

/** The partition or segment was deleted and its file is closed; the descriptor may already belong to another file. */
export class StorageClosed extends Error {
  override readonly name = 'StorageClosed';
}

class FileStorage implements SegmentStorage {
  size: number;
  modifiedAt: number;
  private readonly descriptor: number;
  private syncing: Promise<void> | null = null;
  private closed = false;
  /** The file may end in a part of a failed write. */
  private torn = false;

  constructor(private path: string) {
    this.descriptor = openSync(path, 'a+');
    const { size, mtimeMs } = fstatSync(this.descriptor);
    this.size = size;
    this.modifiedAt = mtimeMs;
  }

  append(bytes: Buffer): void {
    this.assertOpen();
    if (this.torn) this.truncate(this.size);
    try {
      for (let written = 0; written < bytes.length;) {
        written += writeSync(this.descriptor, bytes, written, bytes.length - written);
      }
    } catch (error) {
      // A full disk may have accepted a part, which must not precede the next batch.
      this.torn = true;
      this.truncate(this.size);
      throw error;
    }
    this.size += bytes.length;
    this.modifiedAt = Date.now();
  }

  read(position: number, length: number): Buffer {
    this.assertOpen();
    const wanted = Math.max(Math.min(length, this.size - position), 0);
    const bytes = Buffer.allocUnsafe(wanted);
    let filled = 0;
    while (filled < wanted) {
      const read = readSync(this.descriptor, bytes, filled, wanted - filled, position + filled);
      if (read === 0) break;
      filled += read;
    }
    return bytes.subarray(0, filled);
  }

  truncate(size: number): void {
    ftruncateSync(this.descriptor, size);
    this.torn = false;
    this.size = size;
  }

  async sync(): Promise<void> {
    // A sync in progress may have begun before the last write, so it is followed by another.
    if (this.syncing) await this.syncing;
    this.assertOpen();
    this.syncing ??= dataSync(this.descriptor).finally(() => {
      this.syncing = null;
      if (this.closed) closeSync(this.descriptor);
    });
    await this.syncing;
  }

  setModifiedAt(modifiedAt: number): void {
    futimesSync(this.descriptor, modifiedAt / 1000, modifiedAt / 1000);
    this.modifiedAt = modifiedAt;
  }

  moveTo(path: string): void {
    renameSync(this.path, path);
    this.path = path;
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    if (!this.syncing) closeSync(this.descriptor);
  }

  remove(): void {
    this.close();
    rmSync(this.path, { force: true });
  }

  private assertOpen(): void {
    if (this.closed) throw new StorageClosed(`${this.path} is closed`);
  }
}

class MemoryStorage implements SegmentStorage {
  size = 0;
  modifiedAt = Date.now();
  private bytes = Buffer.alloc(0);

  append(bytes: Buffer): void {
    const size = this.size + bytes.length;
    if (size > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, this.bytes.length * 2, 4096));
      this.bytes.copy(larger, 0, 0, this.size);
      this.bytes = larger;
    }
    bytes.copy(this.bytes, this.size);
    this.size = size;
    this.modifiedAt = Date.now();
  }

  /** Returns a view. Stored bytes never change: growing copies them to a new buffer. */
  read(position: number, length: number): Buffer {
    return this.bytes.subarray(position, Math.min(position + length, this.size));
  }

  truncate(size: number): void {
    this.bytes = Buffer.from(this.bytes.subarray(0, size));
    this.size = size;
  }

  async sync(): Promise<void> {}

  setModifiedAt(modifiedAt: number): void {
    this.modifiedAt = modifiedAt;
  }

  moveTo(): void {}

  close(): void {}

  remove(): void {
    this.bytes = Buffer.alloc(0);
    this.size = 0;
  }
}

export function fileStorage(path: string): SegmentStorage {
  return new FileStorage(path);
}

export function memoryStorage(): SegmentStorage {
  return new MemoryStorage();
}
