/** Runs one source task as a worker does: start, poll, commit, stop. */
import { monotonicNow } from '../timing/clock';
import { sleep } from '../timing/sleep';
import { withDeadline } from '../timing/deadline';
import { checkValue } from '../check-value';
import type { ColumnConverterPlugin } from '../column-converter';
import type { ConnectorConfig, WorkerSettings } from '../config-def';
import type { SourceConnector, SourceConnectorContext } from '../connector';
import { ConfigError, ConnectError, isRetriable } from '../errors';
import { plainRecord } from '../raw';
import type { SourceOffset, SourcePartition, SourceRecord } from '../record';
import type { SourceTask, SourceTaskContext } from '../task';
import {
  checkInstance,
  checkStoredOffset,
  checkTask,
  checkTaskConfigs,
  checkTopicName,
  SourceBatchCheck,
} from '../checks';
import { MemoryLogger } from './memory-logger';
import { MemoryConnection } from './memory-connection';
import { MemoryMetrics } from './memory-metrics';
import { MemoryOffsets, partitionKey } from './memory-offsets';
import { MemoryConsumers, MemoryProducers } from './memory-clients';
import { type MemoryTransaction, MemoryTransactions } from './memory-transactions';
import { TESTED } from './tested';

export interface RunSourceOptions {
  /**
   * When to stop polling: after this many records, or when the function returns true (called after each `poll`).
   * (Default: the first `poll` without records)
   */
  until?: number | ((records: readonly SourceRecord[]) => boolean);
  /** Offsets from an earlier run; this run stores its offsets here too. (Default: empty) */
  offsets?: MemoryOffsets;
  /** Number of the task to run. (Default: 0) */
  task?: number;
  /** (Default: 5000) */
  timeoutMs?: number;
  /**
   * Simulates a crash after this many records are acknowledged: their offsets are stored, but neither `commit` nor
   * `stop` is called. Run again with the same `offsets` to check that no record is lost. (Default: the task stops
   * normally)
   */
  crashAfter?: number;
  /** Worker settings that the plugin may read. (Default: none) */
  workerSettings?: WorkerSettings;
  /**
   * Runs the connector as a preview does: `context.preview` is true, `commit` and `commitRecord` are not called,
   * `offsets` stays unchanged, and `exactlyOnce` has no effect. (Default: false)
   */
  preview?: boolean;
  /** What the task reads with its own consumers. (Default: nothing) */
  consumers?: MemoryConsumers;
  /** Column converter plugins by name. (Default: none) */
  columnConverters?: Readonly<Record<string, ColumnConverterPlugin>>;
  /**
   * Runs the task exactly-once with this `transaction.boundary`: offsets are stored when a transaction ends, and
   * `crashAfter` counts polled records and loses the open transaction. (Default: at-least-once)
   */
  exactlyOnce?: 'poll' | 'connector';
}

export interface SourceRun {
  readonly records: readonly SourceRecord[];
  readonly offsets: MemoryOffsets;
  readonly logger: MemoryLogger;
  /** Metrics that the task published. */
  readonly metrics: MemoryMetrics;
  /** What the task said about its connection. */
  readonly connection: MemoryConnection;
  /** Records that the task wrote with its own producers. */
  readonly producers: MemoryProducers;
  /** With `exactlyOnce`: in order, with the open one last. Otherwise empty. */
  readonly transactions: readonly MemoryTransaction[];
}

/**
 * Rejects with the task's error, with a ConnectError for a record that a worker could not write, and on timeout. Polls
 * again after a RetriableError.
 */
export async function runSourceTask(
  connector: SourceConnector,
  config: ConnectorConfig,
  options: RunSourceOptions = {},
): Promise<SourceRun> {
  const preview = options.preview === true;
  const given = options.offsets ?? new MemoryOffsets();
  const offsets = preview ? given.copy() : given;
  const logger = new MemoryLogger();
  const metrics = new MemoryMetrics();
  const connection = new MemoryConnection();
  const producers = new MemoryProducers();
  const aborter = new AbortController();
  const number = options.task ?? 0;
  const name = config.name ?? 'test';
  const workerSettings = options.workerSettings ?? {};
  const parts = { connector: name, logger, offsets, workerSettings, ...(preview && { preview }) };
  const taskConfig = await configOfTask(connector, { name, ...config }, number, parts);
  const task = checkTask('source', connector.createTask(), TESTED);
  const records: SourceRecord[] = [];
  let acknowledged = 0;
  const transactions =
    options.exactlyOnce && !preview
      ? new MemoryTransactions(options.exactlyOnce, (ended) => acknowledge(task, ended, offsets, false))
      : null;
  const context: SourceTaskContext = {
    ...parts,
    exactlyOnce: transactions !== null,
    transactionContext: transactions?.context ?? null,
    task: number,
    signal: aborter.signal,
    configs: () => taskConfig,
    metrics,
    connection,
    createProducer: producers.create,
    createConsumer: (options.consumers ?? new MemoryConsumers()).create,
    columnConverter: async (name) => {
      const found = options.columnConverters?.[name];
      if (found === undefined) throw new ConfigError(`No column converter "${name}" is installed.`);
      return found;
    },
    storeOffset: async (partition, offset) => {
      checkStoredOffset(partition, offset, TESTED);
      if (preview) return offsets.write(partition, offset);
      // A worker that crashed before these records were acknowledged has not stored the next offset either.
      if (records.length > (options.crashAfter ?? Infinity)) return;
      if (transactions?.isOpen)
        throw new ConnectError('An offset cannot be stored while a transaction of the connector is open.', {
          code: 'TRANSACTION_OPEN',
        });
      const since = transactions ? [] : records.slice(acknowledged);
      acknowledged = records.length;
      if (since.length > 0) await acknowledge(task, since, offsets, false);
      offsets.write(partition, offset);
      await task.commit?.(new Map([[partition, offset]]));
    },
  };
  let crashed = false;
  try {
    await task.start(taskConfig, context);
    await pollUntilEnough(task, records, options, transactions);
    crashed = options.crashAfter !== undefined;
    if (!transactions && !preview)
      await acknowledge(task, records.slice(acknowledged, crashed ? options.crashAfter : undefined), offsets, crashed);
  } finally {
    aborter.abort();
    if (!crashed) await task.stop();
  }
  return { records, offsets: given, logger, metrics, connection, producers, transactions: transactions?.all() ?? [] };
}

async function pollUntilEnough(
  task: SourceTask,
  records: SourceRecord[],
  options: RunSourceOptions,
  transactions: MemoryTransactions | null,
): Promise<void> {
  const { until, timeoutMs = 5000 } = options;
  const deadline = monotonicNow() + timeoutMs;
  const check = new RecordsCheck();
  const enough = (polled: number): boolean => {
    if (until === undefined) return polled === 0;
    return typeof until === 'number' ? records.length >= until : until(records);
  };
  for (;;) {
    const left = Math.max(0, deadline - monotonicNow());
    const polled = await withDeadline(
      pollOnce(task),
      left,
      () => new Error(`the task did not deliver enough in ${timeoutMs} ms: ${records.length} record(s) so far`),
    );
    const batch = check.check(polled, records.length);
    const limit = (options.crashAfter ?? Infinity) - records.length;
    records.push(...batch);
    if (transactions && !(await transactions.add(batch, limit))) return;
    if (enough(batch.length)) return;
  }
}

/**
 * Rejects records that a worker could not write, in its words; and values that do not fit their schemas, which
 * converters check there.
 */
class RecordsCheck {
  private readonly batches = new SourceBatchCheck(TESTED);

  /**
   * The records of a batch. Throws a ConnectError that names the record and the field.
   * @param first number of the first record
   */
  check(batch: unknown, first: number): readonly SourceRecord[] {
    const records = (this.batches.check(batch, first) ?? []).map((record) => plainRecord(record));
    for (const [i, record] of records.entries()) {
      checkTopicName(record.topic);
      for (const part of ['key', 'value'] as const) {
        const problem = checkValue(record[`${part}Schema`], record[part]);
        if (problem === null) continue;
        const reason = `${part}${problem.path === '' ? '' : `, field "${problem.path}"`}: ${problem.reason}`;
        throw this.batches.error({ code: 'CONVERTER_MISMATCH', reason }, record, first + i);
      }
    }
    return records;
  }
}

async function pollOnce(task: SourceTask): Promise<unknown> {
  try {
    return await task.poll();
  } catch (error) {
    if (!isRetriable(error)) throw error;
    await sleep(10);
    return null;
  } finally {
    // Lets timers run even if the task resolves immediately.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function acknowledge(
  task: SourceTask,
  records: readonly SourceRecord[],
  offsets: MemoryOffsets,
  crashed: boolean,
): Promise<void> {
  const newest = new Map<string, [SourcePartition, SourceOffset | null]>();
  records.forEach((record, offset) => {
    if (record.sourcePartition !== null) {
      newest.set(partitionKey(record.sourcePartition), [record.sourcePartition, record.sourceOffset]);
      offsets.write(record.sourcePartition, record.sourceOffset);
    }
    if (!crashed) task.commitRecord?.(record, { topic: record.topic, partition: record.partition ?? 0, offset });
  });
  if (!crashed) await task.commit?.(new Map(newest.values()));
}

async function configOfTask(
  connector: SourceConnector,
  config: ConnectorConfig,
  number: number,
  parts: Pick<SourceConnectorContext, 'connector' | 'offsets' | 'logger' | 'workerSettings' | 'preview'>,
): Promise<ConnectorConfig> {
  if (!connector.create) return config;
  const failures: unknown[] = [];
  const context: SourceConnectorContext = {
    ...parts,
    requestTaskReconfiguration: () => undefined,
    raiseError: (error) => void failures.push(error),
  };
  const instance = checkInstance(connector.create(config, context), TESTED);
  await instance.start?.();
  try {
    const configs = checkTaskConfigs(await instance.taskConfigs(Number(config['tasks.max'] ?? 1)), TESTED);
    if (failures.length > 0) throw failures[0];
    const found = configs[number];
    if (!found)
      throw new Error(`the connector has ${configs.length} task configuration(s), there is no task ${number}`);
    return found;
  } finally {
    await instance.stop?.();
  }
}
