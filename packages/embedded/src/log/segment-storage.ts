/**
 * Where the bytes of one segment are: a file, or memory. Reads and writes are synchronous, as they end in the operating
 * system's cache: what a write has returned from survives the death of this process. Only `sync` waits for the disk.
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
  /** Of the last append, milliseconds. */
  readonly modifiedAt: number;
  append(bytes: Buffer): void;
  /** As many of `length` bytes from `position` on as there are. */
  read(position: number, length: number): Buffer;
  truncate(size: number): void;
  sync(): Promise<void>;
  /** Makes this the time of the last append. */
  stamp(modifiedAt: number): void;
  /** Takes another file's place. */
  moveTo(path: string): void;
  close(): void;
  /** Closed and gone. */
  remove(): void;
}

const dataSync = promisify(fdatasync);

/** The file is closed, since its partition or its segment is gone: its descriptor may be another file's by now. */
export class StorageClosed extends Error {
  override readonly name = 'StorageClosed';
}

class FileStorage implements SegmentStorage {
  size: number;
  modifiedAt: number;
  private readonly descriptor: number;
  private syncing: Promise<void> | null = null;
  private closed = false;

  constructor(private path: string) {
    this.descriptor = openSync(path, 'a+');
    const { size, mtimeMs } = fstatSync(this.descriptor);
    this.size = size;
    this.modifiedAt = mtimeMs;
  }

  append(bytes: Buffer): void {
    this.mustBeOpen();
    try {
      for (let written = 0; written < bytes.length;) {
        written += writeSync(this.descriptor, bytes, written, bytes.length - written);
      }
    } catch (error) {
      // A full disk may have taken a part, which must not precede the next batch.
      ftruncateSync(this.descriptor, this.size);
      throw error;
    }
    this.size += bytes.length;
    this.modifiedAt = Date.now();
  }

  read(position: number, length: number): Buffer {
    this.mustBeOpen();
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
    this.size = size;
  }

  async sync(): Promise<void> {
    // Who comes while one is under way needs the next: it may have written after the first began.
    if (this.syncing) await this.syncing;
    this.mustBeOpen();
    this.syncing ??= dataSync(this.descriptor).finally(() => {
      this.syncing = null;
      if (this.closed) closeSync(this.descriptor);
    });
    await this.syncing;
  }

  stamp(modifiedAt: number): void {
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

  private mustBeOpen(): void {
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

  /** A view: what is stored never changes, a larger buffer leaves the older one as it is. */
  read(position: number, length: number): Buffer {
    return this.bytes.subarray(position, Math.min(position + length, this.size));
  }

  truncate(size: number): void {
    this.bytes = Buffer.from(this.bytes.subarray(0, size));
    this.size = size;
  }

  async sync(): Promise<void> {}

  stamp(modifiedAt: number): void {
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
