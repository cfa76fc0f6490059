/**
 * Writes a batch as few large writes. Every failure of the disk fails the task, unlike Java's sink, which swallows them; offsets are committed only
 * for what `flush` has brought to the disk.
 */
import {
  ConnectError,
  isConnectError,
  type ConnectorConfig,
  type SinkRecord,
  type SinkTask,
  type SinkTaskContext,
} from '@millrace/sdk';
import { fileSinkConfig, type FileSinkConfig } from './config';
import { openTarget } from './file-target';
import { LineBuffer } from './line-buffer';
import { standardOutput, type LineTarget } from './line-target';
import { pathTemplate } from './path-template';
import { recordLine, type RecordLine } from './record-line';
import { Targets } from './targets';

export class FileStreamSinkTask implements SinkTask {
  private targets = new Targets(() => Promise.resolve(standardOutput()));
  private target: LineTarget | null = null;
  private pathOf: ((record: SinkRecord) => string) | null = null;
  private line: RecordLine = recordLine('string');
  private skipTombstones = false;
  private hasLimit = false;
  private separator = Buffer.from('\n');
  private buffer = new LineBuffer(this.separator);
  private failure: ConnectError | null = null;

  async start(config: ConnectorConfig, context: SinkTaskContext): Promise<void> {
    const settings = fileSinkConfig(config);
    this.line = recordLine(settings.format);
    this.skipTombstones = settings.skipTombstones;
    this.hasLimit = settings.rotateBytes > 0;
    this.separator = Buffer.from(settings.separator);
    this.buffer = new LineBuffer(this.separator);
    await this.openTargets(settings, context);
  }

  async put(records: readonly SinkRecord[]): Promise<void> {
    // A failed flush only rewinds the consumer; this makes it fail the task.
    if (this.failure) throw this.failure;
    // Nothing is awaited per record, but where a file or the buffer is full or another file begins.
    for (const record of records) {
      if (this.skipTombstones && record.value === null) continue;
      const path = this.pathOf?.(record);
      if (path !== undefined && this.target?.name !== path) await this.turnTo(path);
      const line = this.line(record);
      if (this.hasLimit && this.targetIsFull(line)) await this.rotate();
      if (!this.buffer.append(line)) await this.appendLarge(line);
    }
    await this.write();
    await this.attempt('complete a file of', 'the sink', () => this.targets.tick(Date.now()));
  }

  async flush(): Promise<void> {
    if (this.failure) throw this.failure;
    await this.targets.each((target) => this.attempt('flush', target.name, () => target.flush()));
  }

  /** Another task may go on in the files of these partitions, so none of them stays open here. */
  async close(): Promise<void> {
    if (!this.pathOf) return;
    this.target = null;
    await this.attempt('complete a file of', 'the sink', () => this.targets.close(this.failure === null));
  }

  async stop(): Promise<void> {
    this.target = null;
    await this.targets.close(this.failure === null);
  }

  private async openTargets(settings: FileSinkConfig, { logger, task }: SinkTaskContext): Promise<void> {
    const { file } = settings;
    if (file !== null) {
      const options = { ...settings, separator: this.separator };
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

  private async turnTo(path: string): Promise<void> {
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
    if (this.buffer.append(line)) return;
    this.buffer.grow(line);
    await this.write();
    this.buffer = new LineBuffer(this.separator);
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
