/** A file of a topic-partition on disk, while it is written and once it is sealed. Source: analytics-sink §4.1. */
import { isUtf8 } from 'node:buffer';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { constants, createGzip, type Gzip } from 'node:zlib';
import type { TextRecord } from '@millrace/sdk';
import type { TableMapping } from '../mapping/topic-mapping';
import { fileName, nameOnDisk } from './file-names';
import { ROW_BUFFER_BYTES, type RowBuffers } from './row-buffers';

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

/** Compressed bytes that wait for the disk. */
const AHEAD_BYTES = 512 * 1024;
/** Each chunk of output is a job of the thread pool. The fastest level takes half the CPU for a tenth more bytes. */
const GZIP = { level: constants.Z_BEST_SPEED, chunkSize: 64 * 1024, highWaterMark: AHEAD_BYTES };
const SMALL_BYTES = 16 * 1024;
const LF = 0x0a;
const CR = 0x0d;

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
  private error: Error | null = null;
  /** Rejects when a stream fails, because a failed stream neither drains nor finishes. */
  private readonly failed: Promise<never>;
  /** The rows that no stream has yet; null: none. */
  private buffer: Buffer | null = null;
  private used = 0;
  /** Bytes that the streams hold. */
  private held = 0;
  private sealing: Promise<SealedFile> | null = null;

  constructor(
    private readonly options: StagingFileOptions,
    private readonly buffers: RowBuffers,
  ) {
    this.isGzip = options.mapping.format.family !== 'binary';
    this.lastOffset = options.firstOffset;
    this.partPath = this.path(`${this.rest(String(options.firstOffset))}.part`);
    this.file = createWriteStream(this.partPath, { mode: 0o600, flags: 'wx', highWaterMark: AHEAD_BYTES });
    this.sink = this.isGzip ? createGzip(GZIP) : this.file;
    if (this.isGzip) this.sink.pipe(this.file);
    this.failed = new Promise((_, reject) => {
      for (const stream of [this.file, this.sink])
        stream.on('error', (error: Error) => {
          this.error ??= error;
          this.releaseAll();
          reject(error);
        });
    });
    this.failed.catch(() => undefined);
  }

  /** Of the disk; null: none so far. Rows that are appended afterwards are ignored. */
  get failure(): Error | null {
    return this.error;
  }

  append(bytes: Uint8Array, offset: number, rawBytes = bytes.length): void {
    this.appendFraming(bytes);
    this.rawBytes += rawBytes;
    this.records++;
    this.lastOffset = offset;
  }

  /** Bytes that are not records, such as the header of an Avro file. */
  appendFraming(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (bytes.length > ROW_BUFFER_BYTES - this.used) this.flush();
    if (bytes.length > ROW_BUFFER_BYTES) return this.write(bytes, null);
    const buffer = (this.buffer ??= this.buffers.take());
    buffer.set(bytes, this.used);
    this.used += bytes.length;
  }

  /**
   * Appends the texts of the records from `from` to `to` as lines: the same as `append` of each one, until the file has
   * `maxBytes`. Returns the first that is left: null, blank or large ones need the caller. Null: one of them is no
   * UTF-8, and none is appended.
   */
  appendLines(records: readonly TextRecord[], from: number, to: number, maxBytes: number): number | null {
    // The largest line leaves room for its line ending.
    if (this.used > ROW_BUFFER_BYTES / 2) this.flush();
    const buffer = (this.buffer ??= this.buffers.take());
    const begin = this.used;
    const limit = Math.min(ROW_BUFFER_BYTES - 1, begin + maxBytes - this.rawBytes);
    let at = begin;
    let next = from;
    for (; next < to && at < limit; next++) {
      const { bytes, valueStart, valueEnd } = records[next]!;
      const size = valueEnd - valueStart;
      if (valueStart < 0 || size === 0 || at + size > ROW_BUFFER_BYTES - 1) break;
      const first = bytes[valueStart];
      if (first === LF || first === CR) break;
      // Cheaper than `subarray` of a Buffer.
      buffer.set(new Uint8Array(bytes.buffer, bytes.byteOffset + valueStart, size), at);
      at += size;
      buffer[at++] = LF;
    }
    if (next === from) return next;
    // No character can begin in one value and end in the next: the line ending between them is whole.
    if (!isUtf8(buffer.subarray(begin, at))) return null;
    this.used = at;
    this.rawBytes += at - begin;
    this.records += next - from;
    this.lastOffset = records[next - 1]!.offset;
    return next;
  }

  /** Passes all rows on to the disk. */
  flush(): void {
    const { buffer, used } = this;
    if (buffer === null || used === 0) return;
    this.buffer = null;
    this.used = 0;
    if (used > SMALL_BYTES) return this.write(buffer.subarray(0, used), buffer);
    // A few rows of many partitions would hold a buffer each.
    this.write(Buffer.from(buffer.subarray(0, used)), null);
    this.buffers.giveBack(buffer);
  }

  /** @param reused has `bytes`, and is given back when the stream has processed them */
  private write(bytes: Uint8Array, reused: Buffer | null): void {
    if (this.error !== null) return;
    const size = reused?.length ?? bytes.length;
    this.held += size;
    this.buffers.hold(size);
    this.sink.write(bytes, () => {
      // A stream that has failed or is destroyed may still read them.
      if (this.held === 0) return;
      this.held -= size;
      if (reused !== null) this.buffers.giveBack(reused);
      this.buffers.release(size);
    });
  }

  private releaseAll(): void {
    const { held } = this;
    this.held = 0;
    this.buffers.release(held);
  }

  /** @throws the error of the disk. */
  async seal(): Promise<SealedFile> {
    return await (this.sealing ??= this.complete());
  }

  private async complete(): Promise<SealedFile> {
    this.flush();
    this.sink.end();
    await Promise.race([finished(this.file, { readable: false }), this.failed]);
    if (this.error !== null) throw this.error;
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
    this.releaseAll();
    // A file that is still being opened would appear after it was removed. An aborted write is not an error: an error
    // is emitted before the close.
    if (!this.file.closed) await new Promise<void>((resolve) => this.file.once('close', resolve));
    await rm(this.partPath, { force: true });
    await this.sealing?.then(
      async (sealed) => await sealed.remove(),
      () => undefined,
    );
  }

  private rest(offsets: string): string {
    return `${offsets}.${this.options.mapping.format.wireName}${this.isGzip ? '.gz' : ''}`;
  }

  private path(rest: string): string {
    const { folder, topic, partition } = this.options;
    return join(folder, nameOnDisk(topic, partition, rest));
  }
}
