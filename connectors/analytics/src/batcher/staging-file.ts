/** A file of a topic-partition on disk, while it is written and once it is sealed. Source: analytics-sink §4.1. */
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { constants, createGzip, type Gzip } from 'node:zlib';
import type { TableMapping } from '../mapping/topic-mapping';
import { fileName, nameOnDisk } from './file-names';

export interface SealedFile {
  readonly path: string;
  /** The name in the service's storage; on disk it may be shortened. */
  readonly name: string;
  readonly topic: string;
  /** Null: the brokers report none. */
  readonly topicId: string | null;
  readonly partition: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
  readonly records: number;
  /** Bytes before compression. */
  readonly rawBytes: number;
  /** Bytes on disk. */
  readonly bytes: number;
  readonly isGzip: boolean;
  readonly mapping: TableMapping;
  remove(): Promise<void>;
}

/** Rows that wait for the thread pool while the next are written; the task waits beyond it. */
const AHEAD_BYTES = 512 * 1024;
/** Each chunk of output is a job of the thread pool. The fastest level takes half the CPU for a tenth more bytes. */
const GZIP = { level: constants.Z_BEST_SPEED, chunkSize: 64 * 1024, highWaterMark: AHEAD_BYTES };

interface StagingFileOptions {
  readonly folder: string;
  readonly topic: string;
  readonly topicId: string | null;
  readonly partition: number;
  readonly firstOffset: number;
  readonly mapping: TableMapping;
}

export class StagingFile {
  rawBytes = 0;
  records = 0;
  private readonly file: WriteStream;
  private readonly sink: Gzip | WriteStream;
  private readonly partPath: string;
  private readonly isGzip: boolean;
  private lastOffset: number;
  private failure: unknown = null;
  /** Rejects when a stream fails, because a failed stream neither drains nor finishes. */
  private readonly failed: Promise<never>;
  private pending: Buffer[] = [];

  constructor(private readonly options: StagingFileOptions) {
    this.isGzip = options.mapping.format.family !== 'binary';
    this.lastOffset = options.firstOffset;
    this.partPath = this.path(`${this.rest(String(options.firstOffset))}.part`);
    this.file = createWriteStream(this.partPath, { mode: 0o600, flags: 'wx', highWaterMark: AHEAD_BYTES });
    this.sink = this.isGzip ? createGzip(GZIP) : this.file;
    if (this.isGzip) this.sink.pipe(this.file);
    this.failed = new Promise((_, reject) => {
      for (const stream of [this.file, this.sink])
        stream.on('error', (error: Error) => {
          this.failure ??= error;
          reject(error);
        });
    });
    this.failed.catch(() => undefined);
  }

  /** Buffers a row until the next `drain`. */
  append(bytes: Buffer, offset: number, rawBytes = bytes.length): void {
    if (bytes.length > 0) this.pending.push(bytes);
    this.rawBytes += rawBytes;
    this.records++;
    this.lastOffset = offset;
  }

  /** Bytes that are not records, such as the header of an Avro file. */
  appendFraming(bytes: Buffer): void {
    if (bytes.length > 0) this.pending.push(bytes);
  }

  /** Resolves when the stream accepts more. @throws the error of the disk. */
  async drain(): Promise<void> {
    this.throwFailure();
    if (this.pending.length === 0) return;
    const bytes = Buffer.concat(this.pending);
    this.pending = [];
    if (!this.sink.write(bytes)) await Promise.race([once(this.sink, 'drain'), this.failed]);
    this.throwFailure();
  }

  async seal(): Promise<SealedFile> {
    await this.drain();
    this.sink.end();
    await Promise.race([finished(this.file, { readable: false }), this.failed]);
    this.throwFailure();
    const { topic, topicId, partition, firstOffset, mapping } = this.options;
    const rest = this.rest(`${firstOffset}-${this.lastOffset}`);
    const path = this.path(rest);
    await rename(this.partPath, path);
    return {
      path,
      name: fileName(topic, partition, rest),
      topic,
      topicId,
      partition,
      firstOffset,
      lastOffset: this.lastOffset,
      records: this.records,
      rawBytes: this.rawBytes,
      bytes: (await stat(path)).size,
      isGzip: this.isGzip,
      mapping,
      remove: async () => await rm(path, { force: true }),
    };
  }

  /** Removes the file. Its records are delivered again. */
  async discard(): Promise<void> {
    this.sink.destroy();
    this.file.destroy();
    // A file that is still being opened would appear after it was removed. An aborted write is not an error: an error
    // is emitted before the close.
    if (!this.file.closed) await new Promise<void>((resolve) => this.file.once('close', resolve));
    await rm(this.partPath, { force: true });
  }

  private rest(offsets: string): string {
    return `${offsets}.${this.options.mapping.format.wireName}${this.isGzip ? '.gz' : ''}`;
  }

  private path(rest: string): string {
    const { folder, topic, partition } = this.options;
    return join(folder, nameOnDisk(topic, partition, rest));
  }

  private throwFailure(): void {
    if (this.failure !== null) throw this.failure as Error;
  }
}
