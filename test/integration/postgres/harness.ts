/** Drives a source task directly, without Kafka and worker. */
import {
  plainRecord,
  type ColumnConverterPlugin,
  type Logger,
  type SourceOffset,
  type SourceRecord,
  type SourceTaskContext,
} from '@millrace/sdk';
import { MemoryConnection, MemoryConsumers, MemoryMetrics, MemoryProducers } from '@millrace/sdk/testing';
import { Client } from 'pg';
import { ReadSegments } from '../../../connectors/postgres/src/replication/read-segments';
import { PostgresSourceTask } from '../../../connectors/postgres/src/task';
import type { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';

/** Connector config for a task on this database. */
export const taskConfig = (database: TestDatabase, overrides: Record<string, string> = {}): Record<string, string> =>
  database.sourceConfig({
    name: 'test',
    'topic.prefix': 'fulfillment',
    'poll.interval.ms': '100',
    'retriable.restart.connector.wait.ms': '100',
    // Status updates at short intervals, so that positions are current.
    'status.update.interval.ms': '100',
    // In total as long as the default, for a server that releases the slot late.
    'slot.retry.delay.ms': '100',
    'slot.max.retries': '600',
    ...overrides,
  });

export interface LogLine {
  readonly level: string;
  readonly message: string;
}

/** eslint-friendly loose record: tests look into values freely. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyRecord = SourceRecord & { key: any; value: any };

interface SegmentsInside {
  readonly used: readonly Buffer[];
}

/** Memory that may be used again is overwritten at once, so that a row that is still read from it is noticed. */
const { doneBefore } = ReadSegments.prototype;
ReadSegments.prototype.doneBefore = function (this: ReadSegments, oldest: Buffer | null): void {
  const before = [...(this as unknown as SegmentsInside).used];
  doneBefore.call(this, oldest);
  const { used } = this as unknown as SegmentsInside;
  for (const segment of before) if (!used.includes(segment)) segment.fill(0xff);
};

export class TaskRun {
  /** Plugins that tasks find by name. */
  static readonly columnConverters = new Map<string, ColumnConverterPlugin>();
  readonly task = new PostgresSourceTask();
  readonly records: AnyRecord[] = [];
  readonly log: LogLine[] = [];
  readonly metrics = new MemoryMetrics();
  readonly connection = new MemoryConnection();
  /** What the task reads with its own consumers. */
  readonly consumers = new MemoryConsumers();
  /** The offset that the task itself stored last. */
  stored: SourceOffset | null = null;
  /** False: as if the worker had crashed before such an offset was in its topic, so the slot stays behind it. */
  acknowledges = true;

  private constructor(
    readonly config: Record<string, string>,
    private readonly abort: AbortController,
    private readonly exactlyOnce: boolean,
    private readonly preview: boolean,
  ) {}

  /**
   * @param stored the offset that the runtime has for the connector
   * @param abort signals the task to stop, as `stop` does
   * @param exactlyOnce whether the offset of the last record of a poll is stored with its records
   * @param preview whether it is the task of a preview
   */
  static async start(
    config: Record<string, string>,
    stored: SourceOffset | null = null,
    abort = new AbortController(),
    exactlyOnce = false,
    preview = false,
  ): Promise<TaskRun> {
    const run = new TaskRun(config, abort, exactlyOnce, preview);
    await run.begin(stored);
    return run;
  }

  /** To look at a start that waits: `started` settles as `start` does. */
  static starting(config: Record<string, string>): { readonly run: TaskRun; readonly started: Promise<void> } {
    const run = new TaskRun(config, new AbortController(), false, false);
    return { run, started: run.begin(null) };
  }

  private async begin(stored: SourceOffset | null): Promise<void> {
    try {
      await this.task.start(this.config, this.context(stored));
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  private context(stored: SourceOffset | null): SourceTaskContext {
    const write =
      (level: string) =>
      (message: string): void =>
        void this.log.push({ level, message });
    const logger: Logger = {
      error: write('error'),
      warn: write('warn'),
      info: write('info'),
      debug: write('debug'),
      trace: write('trace'),
    };
    // As read back from Kafka: plain JSON with integers.
    const read = stored === null ? null : roundTrip(stored);
    return {
      connector: 'test',
      task: 0,
      logger,
      signal: this.abort.signal,
      workerSettings: {},
      ...(this.preview && { preview: true }),
      metrics: this.metrics,
      connection: this.connection,
      createProducer: new MemoryProducers().create,
      createConsumer: this.consumers.create,
      transactionContext: null,
      columnConverter: async (name) => {
        const found = TaskRun.columnConverters.get(name);
        if (found === undefined) throw new Error(`No column converter ${name}`);
        return found;
      },
      configs: () => this.config,
      exactlyOnce: this.exactlyOnce,
      rowsEndAtPoll: true,
      offsets: {
        offset: async () => read,
        offsets: async (partitions) => partitions.map(() => read),
      },
      storeOffset: async (partition, offset) => {
        this.stored = offset === null ? null : roundTrip(offset);
        if (this.acknowledges) this.task.commit(new Map([[partition, offset]]));
      },
    };
  }

  /** Polls until `test` holds of all records so far. */
  async until(test: (records: AnyRecord[]) => boolean): Promise<AnyRecord[]> {
    const holds = async (): Promise<boolean> => test(this.records) || (await this.poll(), test(this.records));
    await waitFor('records', holds, { everyMs: 0, detail: () => this.seen() });
    return this.records;
  }

  async count(count: number): Promise<AnyRecord[]> {
    return await this.until((records) => records.length >= count);
  }

  private seen(): string {
    const lines = this.log.map((line) => line.message).join('\n');
    return `got ${this.records.length} records: ${describe(this.records.slice(-5))}\n${lines}`;
  }

  async poll(): Promise<AnyRecord[]> {
    const batch = ((await this.task.poll()) ?? []).map((record) => plainRecord(record)) as AnyRecord[];
    for (const record of batch) this.records.push(record);
    return batch;
  }

  private async connect(): Promise<Client> {
    const { config } = this;
    const client = new Client({
      host: config['database.hostname'],
      port: Number(config['database.port']),
      user: config['database.user'],
      password: config['database.password'],
      database: config['database.dbname'],
    });
    await client.connect();
    return client;
  }

  /** Streams until the task has received all WAL written so far, which may contain no record. */
  async nothingMore(): Promise<void> {
    const { config } = this;
    const client = await this.connect();
    try {
      const { rows } = await client.query<{ lsn: string }>('SELECT pg_current_wal_flush_lsn()::text AS lsn');
      const received = `SELECT FROM pg_stat_replication r JOIN pg_replication_slots s ON s.active_pid = r.pid
        WHERE s.slot_name = $1 AND r.write_lsn >= $2::pg_lsn`;
      const looked = async (): Promise<boolean> => {
        const { rowCount } = await client.query(received, [config['slot.name'], rows[0]?.lsn]);
        // This poll decodes what was received before.
        const batch = await this.poll();
        if (batch.length > 0) throw new Error(`unexpected records: ${describe(batch)}`);
        return rowCount === 1;
      };
      await waitFor('the stream to reach the end of the log', looked, { everyMs: 0, detail: () => this.seen() });
    } finally {
      await client.end();
    }
  }

  /** As the runtime does after the offsets are stored. */
  commitUpTo(index = this.records.length - 1): SourceOffset {
    const record = this.records[index] as AnyRecord;
    this.task.commit(new Map([[record.sourcePartition as { server: string }, record.sourceOffset]]));
    return record.sourceOffset as SourceOffset;
  }

  get lastOffset(): SourceOffset {
    return (this.records[this.records.length - 1] as AnyRecord).sourceOffset as SourceOffset;
  }

  /** Ends its replication connection as SIGKILL would; do not poll it anymore. */
  async kill(): Promise<void> {
    const client = await this.connect();
    const sql = 'SELECT active, pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = $1';
    const isFree = async (): Promise<boolean> =>
      (await client.query<{ active: boolean }>(sql, [this.config['slot.name']])).rows[0]?.active === false;
    try {
      await waitFor('the slot to be free', isFree);
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.task.stop();
  }
}

function roundTrip(offset: SourceOffset): SourceOffset {
  const text = JSON.stringify(offset, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === 'string' && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  ) as SourceOffset;
}

export function describe(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part));
}

export const TODOS = 'CREATE TABLE todos (id serial PRIMARY KEY, description varchar(30), todo_status varchar(10))';
export const ops = (records: readonly AnyRecord[]): string[] => records.map((r) => r.value?.op ?? 'tombstone');

/** Polls until the answer to a signal is there: it may be accepted several polls after its effect. */
export async function settled(task: TaskRun, answer: Promise<unknown>): Promise<void> {
  let isSettled = false;
  void answer.finally(() => (isSettled = true)).catch(() => undefined);
  await task.until(() => isSettled);
  await answer;
}
