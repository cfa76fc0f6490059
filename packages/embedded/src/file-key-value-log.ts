/**
 * A KeyValueLog in one file: a line per change, checksum first. Lines that wait are written together; a file that is
 * mostly history is written anew, and swapped in with one rename.
 */
import { crc32 } from '@node-rs/crc32';
import { open, readFile, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './files';
import type { KeyValueLog } from './key-value-log';

export interface FileKeyValueLogOptions {
  readonly fsync: 'always' | 'never';
  readonly log: (line: string) => void;
  /** Smaller files are never rewritten. Bytes. */
  readonly compactAbove?: number;
}

interface Waiting {
  readonly change: Change;
  resolve(): void;
  reject(error: unknown): void;
}

const NEWLINE = 10;
const COMPACT_ABOVE = 8 * 1024 * 1024;
/** Rewrite when this many times larger than what it says. */
const WASTE = 4;

export class FileKeyValueLog implements KeyValueLog {
  private queue: Waiting[] = [];
  private writing: Promise<void> | null = null;
  /**
   * A line that may be half written would spoil the next, and what a disk did not take may be gone: nothing is written
   * any more.
   */
  private broken: unknown = null;

  private constructor(
    private readonly path: string,
    private readonly options: FileKeyValueLogOptions,
    private file: FileHandle,
    /** What the file says. */
    private readonly values: Map<string, string>,
    private fileBytes: number,
  ) {}

  /** Creates the file in a folder that exists. What a crash left half written at the end is cut off. */
  static async open(path: string, options: FileKeyValueLogOptions): Promise<FileKeyValueLog> {
    const file = await open(path, 'a');
    const bytes = await readFile(path);
    const values = new Map<string, string>();
    let good = 0;
    for (let end = bytes.indexOf(NEWLINE, good); end !== -1; end = bytes.indexOf(NEWLINE, good)) {
      const change = parseLine(bytes.toString('utf8', good, end));
      if (change === null) break;
      apply(values, change);
      good = end + 1;
    }
    if (good < bytes.length) {
      options.log(`${path}: cut ${bytes.length - good} bytes that a crash left half written at the end`);
      await file.truncate(good);
    }
    if (options.fsync === 'always') syncFolder(dirname(path));
    return new FileKeyValueLog(path, options, file, values, good);
  }

  async *load(): AsyncIterable<[string, string]> {
    yield* this.values;
  }

  append(key: string, value: string | null): Promise<void> {
    return new Promise((resolve, reject) => {
      this.queue.push({ change: [key, value], resolve, reject });
      this.writing ??= this.writeAll();
    });
  }

  async close(): Promise<void> {
    await this.writing;
    await this.file.close();
  }

  private async writeAll(): Promise<void> {
    // What is appended in this turn shares the write.
    await Promise.resolve();
    while (this.queue.length > 0) {
      const batch = this.queue;
      this.queue = [];
      try {
        await this.write(Buffer.from(batch.map(({ change }) => formatLine(change)).join('')));
        for (const { change, resolve } of batch) {
          apply(this.values, change);
          resolve();
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      await this.compact().catch((error: Error) => this.options.log(`${this.path} stays long: ${error.message}`));
    }
    this.writing = null;
  }

  private async write(bytes: Buffer): Promise<void> {
    if (this.broken !== null) throw this.broken;
    try {
      await this.file.appendFile(bytes);
    } catch (error) {
      // A full disk: what it took of the lines goes, and there may be room later.
      await this.file.truncate(this.fileBytes).catch(() => (this.broken = error));
      throw error;
    }
    if (this.options.fsync === 'always') await this.file.datasync().catch((error) => this.giveUp(error));
    this.fileBytes += bytes.length;
  }

  private giveUp(error: Error): never {
    this.options.log(
      `${this.path} could not be brought to the disk; nothing is written to it any more: ${error.message}`,
    );
    this.broken = error;
    throw error;
  }

  private async compact(): Promise<void> {
    if (this.broken !== null || this.fileBytes <= (this.options.compactAbove ?? COMPACT_ABOVE)) return;
    const bytes = Buffer.from([...this.values].map(formatLine).join(''));
    if (this.fileBytes < WASTE * bytes.length) return;
    const path = `${this.path}.new`;
    await rm(path, { force: true });
    const fresh = await open(path, 'a');
    try {
      await fresh.appendFile(bytes);
      await fresh.datasync();
      await rename(path, this.path);
    } catch (error) {
      await fresh.close();
      await rm(path, { force: true });
      throw error;
    }
    syncFolder(dirname(this.path));
    await this.file.close();
    this.file = fresh;
    this.fileBytes = bytes.length;
  }
}

type Change = readonly [key: string, value: string | null];

function apply(values: Map<string, string>, [key, value]: Change): void {
  // A key that changes moves to the end.
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
