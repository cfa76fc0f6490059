/**
 * A KeyValueLog in one file: a line per change, starting with its checksum. Pending lines are written together. A file
 * that consists mostly of superseded lines is compacted and replaced with a rename.
 */
import { open, readFile, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from '@millrace/record-codecs';
import { syncFolder } from './files';
import type { KeyValueLog } from './key-value-log';

export interface FileKeyValueLogOptions {
  readonly fsync: 'always' | 'never';
  readonly log: (line: string) => void;
  /** Smaller files are never compacted. Bytes. */
  readonly compactAbove?: number;
}

interface PendingAppend {
  readonly change: Change;
  readonly flush: boolean;
  resolve(): void;
  reject(error: unknown): void;
}

const NEWLINE = 10;
const COMPACT_ABOVE_BYTES = 8 * 1024 * 1024;
/** Compact when the file is this many times larger than its live content. */
const COMPACTION_RATIO = 4;

export class FileKeyValueLog implements KeyValueLog {
  private queue: PendingAppend[] = [];
  private writing: Promise<void> | null = null;
  /**
   * Set when the file may end in a partial line or a flush has failed. All further writes fail, because what is on disk
   * is unknown.
   */
  private failure: unknown = null;

  private constructor(
    private readonly path: string,
    private readonly options: FileKeyValueLogOptions,
    private file: FileHandle,
    /** The live content of the file. */
    private readonly values: Map<string, string>,
    private fileBytes: number,
  ) {}

  /** Creates the file if it does not exist. Truncates a partial write at its end. */
  static async open(path: string, options: FileKeyValueLogOptions): Promise<FileKeyValueLog> {
    const file = await open(path, 'a');
    const bytes = await readFile(path);
    const values = new Map<string, string>();
    let validBytes = 0;
    for (let end = bytes.indexOf(NEWLINE, validBytes); end !== -1; end = bytes.indexOf(NEWLINE, validBytes)) {
      const change = parseLine(bytes.toString('utf8', validBytes, end));
      if (change === null) break;
      apply(values, change);
      validBytes = end + 1;
    }
    if (validBytes < bytes.length) {
      options.log(`Truncated ${bytes.length - validBytes} bytes of an incomplete write at the end of ${path}.`);
      await file.truncate(validBytes);
    }
    if (options.fsync === 'always' || bytes.length === 0) syncFolder(dirname(path));
    return new FileKeyValueLog(path, options, file, values, validBytes);
  }

  async *load(): AsyncIterable<[string, string]> {
    yield* this.values;
  }

  append(key: string, value: string | null, { flush = false } = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      this.queue.push({ change: [key, value], flush, resolve, reject });
      this.writing ??= this.writeAll();
    });
  }

  async close(): Promise<void> {
    await this.writing;
    await this.file.close();
  }

  private async writeAll(): Promise<void> {
    // Appends of the same event loop turn share a write.
    await Promise.resolve();
    while (this.queue.length > 0) {
      const batch = this.queue;
      this.queue = [];
      try {
        const bytes = Buffer.from(batch.map(({ change }) => formatLine(change)).join(''));
        await this.write(
          bytes,
          batch.some(({ flush }) => flush),
        );
        for (const { change, resolve } of batch) {
          apply(this.values, change);
          resolve();
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      await this.compact().catch((error: Error) => this.options.log(`Cannot compact ${this.path}: ${error.message}`));
    }
    this.writing = null;
  }

  private async write(bytes: Buffer, flush: boolean): Promise<void> {
    if (this.failure !== null) throw this.failure;
    try {
      await this.file.appendFile(bytes);
    } catch (error) {
      // The disk may be full: remove the partial lines, so that a later write can succeed.
      await this.file.truncate(this.fileBytes).catch(() => (this.failure = error));
      throw error;
    }
    if (this.options.fsync === 'always' || flush) {
      await this.file.datasync().catch((error) => this.failFlush(error));
    }
    this.fileBytes += bytes.length;
  }

  private failFlush(error: Error): never {
    this.options.log(
      `Cannot flush ${this.path} to disk; all writes to it fail until the broker is restarted: ${error.message}`,
    );
    this.failure = error;
    throw error;
  }

  private async compact(): Promise<void> {
    if (this.failure !== null || this.fileBytes <= (this.options.compactAbove ?? COMPACT_ABOVE_BYTES)) return;
    const bytes = Buffer.from([...this.values].map(formatLine).join(''));
    if (this.fileBytes < COMPACTION_RATIO * bytes.length) return;
    const path = `${this.path}.new`;
    await rm(path, { force: true });
    const compacted = await open(path, 'a');
    try {
      await compacted.appendFile(bytes);
      await compacted.datasync();
      await rename(path, this.path);
    } catch (error) {
      await compacted.close();
      await rm(path, { force: true });
      throw error;
    }
    // From here on, whatever else fails: what is written to the replaced file is lost.
    const replaced = this.file;
    this.file = compacted;
    this.fileBytes = bytes.length;
    await replaced.close();
    syncFolder(dirname(this.path));
  }
}

type Change = readonly [key: string, value: string | null];

function apply(values: Map<string, string>, [key, value]: Change): void {
  // Keeps the map ordered by last change.
  values.delete(key);
  if (value !== null) values.set(key, value);
}

function formatLine(change: Change): string {
  const json = JSON.stringify(change);
  return `${checksum(json)} ${json}\n`;
}

function parseLine(line: string): Change | null {
  const json = line.slice(9);
  return line.slice(0, 8) === checksum(json) ? (JSON.parse(json) as Change) : null;
}

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0');
