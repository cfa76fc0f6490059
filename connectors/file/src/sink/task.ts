/**
 * Writes a batch with few large writes. While the disk is full, the batch is retried, and lines that are already in a
 * file are not written twice. Any other disk failure fails the task (Java's sink ignores it). Offsets are committed for
 * written records only.
 */
import {
  ConnectError,
  isConnectError,
  isRetriable,
  monotonicNow,
  RetriableError,
  type ConnectorConfig,
  type SinkRecord,
  type SinkTask,
  type SinkTaskContext,
  type TextBatch,
} from '@millrace/sdk';
import { fileRootOf } from '../file-root';
import { fileSinkConfig, type FileSinkConfig } from './config';
import { openTarget } from './file-target';
import { LineBuffer } from './line-buffer';
import { standardOutput, type LineTarget } from './line-target';
import { pathTemplate } from './path-template';
import { recordLine, textLine, type RecordLine } from './record-line';
import { Targets } from './targets';

export class FileStreamSinkTask implements SinkTask {
  /** A write costs as much as the lines of some hundred records. */
  readonly maxPollRecords = 2_000;
  /** For lines that need nothing but the value's text. */
  putTexts: SinkTask['putTexts'];
  private targets = new Targets(() => Promise.resolve(standardOutput()));
  private target: LineTarget | null = null;
  private pathOf: ((record: SinkRecord) => string) | null = null;
  private line: RecordLine = recordLine('string');
  private skipTombstones = false;
  private hasLimit = false;
  private separator = Buffer.from('\n');
  private buffer = new LineBuffer(this.separator);
  private failure: ConnectError | null = null;
  /** Records of a retried batch that are already in a file or in the buffer. */
  private readonly accepted = new Set<object>();

  async start(config: ConnectorConfig, context: SinkTaskContext): Promise<void> {
    const settings = fileSinkConfig(config);
    this.line = recordLine(settings.format);
    this.skipTombstones = settings.skipTombstones;
    this.hasLimit = settings.rotateBytes > 0;
    this.separator = Buffer.from(settings.separator);
    this.buffer = new LineBuffer(this.separator);
    await this.openTargets(settings, context);
    if (settings.format === 'string' && this.pathOf === null && !this.hasLimit)
      this.putTexts = async (batches) => await this.writeTexts(batches);
  }

  async put(records: readonly SinkRecord[]): Promise<void> {
    // A failed flush only rewinds the consumer. Throwing here fails the task.
    if (this.failure) throw this.failure;
    const rest = this.accepted.size === 0 ? records : records.filter((record) => !this.accepted.has(record));
    let next = 0;
    try {
      // Bytes that did not fit on the disk the last time.
      await this.write();
      // No await per record, except when a file or the buffer is full or the record goes to another file.
      for (; next < rest.length; next++) {
        const record = rest[next] as SinkRecord;
        if (this.skipTombstones && record.value === null) continue;
        const path = this.pathOf?.(record);
        if (path !== undefined && this.target?.name !== path) await this.switchTo(path);
        const line = this.line(record);
        if (this.hasLimit && this.targetIsFull(line)) await this.rotate();
        if (!this.buffer.append(line)) await this.appendLarge(line);
      }
      await this.write();
      await this.attempt('complete a file of', 'the sink', () => this.targets.tick(monotonicNow()));
    } catch (error) {
      if (isRetriable(error)) for (const record of rest.slice(0, next)) this.accepted.add(record);
      throw error;
    }
    this.accepted.clear();
  }

  /** The same as `put` of the same values. */
  private async writeTexts(batches: readonly TextBatch[]): Promise<void> {
    if (this.failure) throw this.failure;
    let current = 0;
    let next = 0;
    try {
      await this.write();
      for (; current < batches.length; current++, next = 0) {
        const { records } = batches[current]!;
        // Line by line after a failed put, and where a value is no UTF-8.
        let general = this.accepted.size > 0;
        while (next < records.length) {
          const to = general ? null : this.buffer.appendTexts(records, next);
          general = to === null;
          next = to ?? next;
          if (next === records.length) break;
          // The first that did not fit, is too large, or is null.
          const record = records[next]!;
          if (!this.accepted.has(record) && !(this.skipTombstones && record.valueStart < 0)) {
            const line = textLine(record);
            if (!this.buffer.append(line)) await this.appendLarge(line);
          }
          next++;
        }
      }
      await this.write();
      await this.attempt('complete a file of', 'the sink', () => this.targets.tick(monotonicNow()));
    } catch (error) {
      if (isRetriable(error)) {
        for (const { records } of batches.slice(0, current)) for (const record of records) this.accepted.add(record);
        for (const record of batches[current]?.records.slice(0, next) ?? []) this.accepted.add(record);
      }
      throw error;
    }
    this.accepted.clear();
  }

  async flush(): Promise<void> {
    if (this.failure) throw this.failure;
    await this.targets.each((target) => this.attempt('flush', target.name, () => target.flush()));
  }

  /** Another task may continue the files of these partitions, so close them all. */
  async close(): Promise<void> {
    if (!this.pathOf) return;
    const complete = this.isComplete();
    this.target = null;
    // The buffered lines belong to the closed files. The retried batch is written again from its start.
    this.buffer.clear();
    this.accepted.clear();
    await this.attempt('complete a file of', 'the sink', () => this.targets.close(complete));
  }

  async stop(): Promise<void> {
    this.target = null;
    await this.targets.close(this.isComplete());
  }

  /** Whether every line is written completely. */
  private isComplete(): boolean {
    return this.failure === null && this.buffer.length === 0;
  }

  private async openTargets(
    settings: FileSinkConfig,
    { logger, task, workerSettings }: SinkTaskContext,
  ): Promise<void> {
    const { file } = settings;
    if (file !== null) {
      const options = { ...settings, separator: this.separator, root: fileRootOf(workerSettings) };
      this.targets = new Targets(async (name) => await openTarget(name, options));
    }
    if (file !== null && settings.template) {
      const path = pathTemplate(file);
      this.pathOf = (record) => path(record, task);
    } else {
      this.target = await this.targets.get(file ?? '');
    }
    logger.info(`Appending to ${file ?? 'standard output'}`);
  }

  private async switchTo(path: string): Promise<void> {
    await this.write();
    this.target = await this.attempt('open', path, () => this.targets.get(path));
  }

  private targetIsFull(line: string | Uint8Array): boolean {
    return (this.target as LineTarget).isFull(this.buffer.length, this.buffer.sizeOf(line));
  }

  private async rotate(): Promise<void> {
    const target = this.target as LineTarget;
    await this.write();
    await this.attempt('complete', target.name, () => target.rotate());
  }

  private async appendLarge(line: string | Uint8Array): Promise<void> {
    await this.write();
    if (!this.buffer.append(line)) this.buffer.appendLarge(line);
  }

  private async write(): Promise<void> {
    if (this.buffer.length === 0) return;
    const target = this.target as LineTarget;
    await this.attempt('write to', target.name, () => target.write(this.buffer.bytes()));
    this.buffer.clear();
  }

  private async attempt<T>(verb: string, name: string, action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      const why = isFullPipe(error)
        ? 'it takes no more, because it is not read; retrying until it is'
        : 'the disk is full; retrying until there is space';
      if (isFullPipe(error) || isFullDisk(error))
        throw new RetriableError(`Cannot ${verb} ${name}: ${why}.`, {
          code: 'FILE_SINK_FULL',
          cause: error,
          place: { file: name },
        });
      this.failure = isConnectError(error)
        ? error
        : new ConnectError(`Cannot ${verb} ${name}: ${(error as Error).message}`, {
            code: 'FILE_SINK_WRITE',
            cause: error,
            place: { file: name },
          });
      throw this.failure;
    }
  }
}

/**
 * Includes files that cannot be opened because the disk is full. Excludes a failed fdatasync: the system may have
 * dropped the pages by then, so that a retry would succeed without having written them.
 */
function isFullDisk(error: unknown): boolean {
  const { code, syscall, cause } = error as { code?: unknown; syscall?: unknown; cause?: unknown };
  if (code === 'FILE_SINK_OPEN') return isFullDisk(cause);
  return (code === 'ENOSPC' || code === 'EDQUOT') && syscall !== 'fdatasync';
}

/** Also a device that takes no more. */
function isFullPipe(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'EAGAIN';
}
