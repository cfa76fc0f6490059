/**
 * Writes a batch as few large writes. Every failure of the disk fails the task, unlike Java's sink, which swallows them; offsets are committed only
 * for what `flush` has brought to the disk.
 */
import {
  ConnectError,
  type ConnectorConfig,
  type SinkRecord,
  type SinkTask,
  type SinkTaskContext,
} from '@millrace/sdk';
import { LineBuffer } from './line-buffer';
import { openFile, standardOutput, type LineTarget } from './line-target';
import { valueText } from './value-text';

export class FileStreamSinkTask implements SinkTask {
  private target: LineTarget | null = null;
  private buffer = new LineBuffer();
  private unflushed = false;
  private failure: ConnectError | null = null;

  async start(config: ConnectorConfig, context: SinkTaskContext): Promise<void> {
    const file = config.file?.trim();
    this.target = file ? await openFile(file) : standardOutput();
    context.logger.info(`Appending to ${this.target.name}`);
  }

  async put(records: readonly SinkRecord[]): Promise<void> {
    // A failed flush only rewinds the consumer; this makes it fail the task.
    if (this.failure) throw this.failure;
    for (const record of records) {
      const value = record.value;
      const line = typeof value === 'string' ? value : valueText(record.valueSchema, value);
      if (this.buffer.append(line)) continue;
      await this.write();
      if (!this.buffer.append(line)) {
        this.buffer.grow(line);
        await this.write();
        this.buffer = new LineBuffer();
      }
    }
    await this.write();
  }

  async flush(): Promise<void> {
    if (this.failure) throw this.failure;
    if (!this.unflushed) return;
    await this.attempt('flush', (target) => target.flush());
    this.unflushed = false;
  }

  async stop(): Promise<void> {
    const target = this.target;
    this.target = null;
    await target?.close();
  }

  private async write(): Promise<void> {
    if (this.buffer.length === 0) return;
    this.unflushed = true;
    await this.attempt('write to', (target) => target.write(this.buffer.bytes()));
    this.buffer.clear();
  }

  private async attempt(verb: string, action: (target: LineTarget) => Promise<void>): Promise<void> {
    const target = this.target as LineTarget;
    try {
      await action(target);
    } catch (error) {
      this.failure = new ConnectError(`Cannot ${verb} ${target.name}: ${(error as Error).message}`, {
        code: 'FILE_SINK_WRITE',
        cause: error,
        place: { file: target.name },
      });
      throw this.failure;
    }
  }
}
