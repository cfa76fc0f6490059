/**
 * Reads lines and sends each one as a record without a key: the line as a string, with the time of reading as its
 * timestamp. Source: connect-runtime §10.9.
 */
import {
  ConnectError,
  schema,
  sleep,
  type ConnectorConfig,
  type SourceOffset,
  type SourcePartition,
  type SourceRecord,
  type SourceTask,
  type SourceTaskContext,
} from '@millrace/sdk';
import { fileRootOf, requireInRoot } from '../file-root';
import { fileSourceConfig, type FileSourceConfig } from './config';
import { IdleWait } from './idle-wait';
import type { Input } from './input';
import { LineSplitter } from './line-splitter';
import { StandardInput } from './standard-input';
import { TailedFile } from './tailed-file';

const VALUE_SCHEMA = schema('STRING');

interface Running {
  readonly config: FileSourceConfig;
  readonly input: Input;
  readonly lines: LineSplitter;
  /** Null: standard input, which has no stored offset. */
  readonly partition: SourcePartition | null;
  readonly context: SourceTaskContext;
}

export class FileStreamSourceTask implements SourceTask {
  private running: Running | null = null;
  private readonly idle = new IdleWait();

  async start(taskConfig: ConnectorConfig, context: SourceTaskContext): Promise<void> {
    const config = fileSourceConfig(taskConfig);
    const root = config.file === null ? null : fileRootOf(context.workerSettings);
    if (config.file !== null) await requireInRoot(config.file, root);
    const partition = config.file === null ? null : { filename: config.file };
    const stored = partition && (await context.offsets.offset(partition));
    const position = stored ? storedPosition(stored, config.file as string) : 0;
    const input = config.file === null ? new StandardInput() : new TailedFile(config.file, context.logger, root);
    this.running = { config, input, partition, context, lines: new LineSplitter(position) };
    context.logger.info(`Reading ${input.name} from byte ${position} into topic ${config.topic}`);
  }

  async poll(): Promise<readonly SourceRecord[] | null> {
    const running = this.running as Running;
    const records = takeLines(running);
    while (records.length === 0 && !running.context.signal.aborted) {
      const outcome = await running.input.read(running.lines.room(), running.lines.readPosition);
      if (outcome === 'nothing') {
        await sleep(this.idle.next(), running.context.signal);
        return null;
      }
      this.idle.reset();
      if (typeof outcome === 'number') {
        running.lines.filled(outcome);
        takeLines(running, records);
      } else {
        restartInput(running, outcome, records);
      }
    }
    return records.length > 0 ? records : null;
  }

  async stop(): Promise<void> {
    const running = this.running;
    this.running = null;
    await running?.input.close();
  }
}

/** Appends records of complete lines to `records`, up to the batch size. */
function takeLines({ config, lines, partition }: Running, records: SourceRecord[] = []): SourceRecord[] {
  const timestamp = Date.now();
  while (records.length < config.batchSize) {
    const line = lines.next();
    if (line === null) break;
    records.push(record(config.topic, partition, lines.position, line, timestamp));
  }
  return records;
}

function record(
  topic: string,
  sourcePartition: SourcePartition | null,
  position: number,
  value: string,
  timestamp: number,
): SourceRecord {
  const sourceOffset = sourcePartition && { position };
  return {
    sourcePartition,
    sourceOffset,
    topic,
    keySchema: null,
    key: null,
    valueSchema: VALUE_SCHEMA,
    value,
    timestamp,
  };
}

function restartInput(running: Running, why: 'truncated' | 'replaced', records: SourceRecord[]): void {
  const { config, input, lines, partition, context } = running;
  if (why === 'truncated') {
    context.logger.warn(`${input.name} was truncated below byte ${lines.readPosition}, reading it from its beginning`);
  } else {
    context.logger.info(`${input.name} was replaced, reading the new file from its beginning`);
    // The rest of this line will never be written. Its offset is the start of the new file, where reading resumes.
    const last = lines.rest();
    if (last !== null) records.push(record(config.topic, partition, 0, last, Date.now()));
  }
  lines.restart(0);
}

function storedPosition(offset: SourceOffset, file: string): number {
  const position = Number(offset.position);
  if (
    offset.position !== null &&
    typeof offset.position !== 'string' &&
    Number.isSafeInteger(position) &&
    position >= 0
  )
    return position;
  throw new ConnectError(
    `The stored offset of "${file}" has no usable "position" (a number of bytes): reset or alter the connector's offsets.`,
    { code: 'FILE_SOURCE_OFFSET', place: { file } },
  );
}
