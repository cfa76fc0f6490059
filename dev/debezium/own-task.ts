/** Runs Millrace's PostgreSQL task without a worker. */
import {
  isRawRow,
  plainRecord,
  RawCursor,
  structSchema,
  type Logger,
  type RawStruct,
  type Schema,
  type SourceRecord,
  type SourceTaskContext,
} from '@millrace/sdk';
import { MemoryConnection, MemoryConsumers, MemoryMetrics, MemoryProducers } from '@millrace/sdk/testing';
import { PostgresSourceTask } from '../../connectors/postgres/src/task';
import { JsonConverter } from '../../src/converters/json/json-converter';
import type { Data, EventRecord, TaskUnderTest } from './event-record';

export class OwnTask implements TaskUnderTest {
  readonly records: EventRecord[] = [];
  failure: string | null = null;
  private task: PostgresSourceTask | null = null;
  private polling: Promise<void> | null = null;
  private abort = new AbortController();
  private log = '';
  private readonly converter = new JsonConverter();
  private readonly withSchemas = new JsonConverter();
  private readonly schemas = new WeakMap<Schema, string>();
  private readonly cursor = new RawCursor();

  /** @param seen gets each record as the task returned it, before the next poll */
  constructor(private readonly seen: (record: SourceRecord) => void = () => undefined) {
    const settings = { 'replace.null.with.default': 'false' };
    this.converter.configure({ ...settings, 'schemas.enable': 'false' });
    this.withSchemas.configure({ ...settings, 'schemas.enable': 'true' });
  }

  async start(config: Readonly<Record<string, string>>): Promise<void> {
    this.records.length = 0;
    this.failure = null;
    this.log = '';
    this.abort = new AbortController();
    const task = new PostgresSourceTask();
    this.task = task;
    await task.start({ name: 'comparison', ...config }, this.context(config, task));
    this.polling = this.poll(task, this.abort.signal).catch((error: Error) => {
      this.failure = `${error.message} ${(error.cause as Error | undefined)?.message ?? ''}`;
    });
  }

  private async poll(task: PostgresSourceTask, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const batch = (await task.poll()) ?? [];
      for (const record of batch) {
        this.seen(record);
        this.records.push(this.dump(record));
      }
      if (batch.length === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  private context(config: Readonly<Record<string, string>>, task: PostgresSourceTask): SourceTaskContext {
    const write = (message: string): void => void (this.log = `${this.log}${message}\n`.slice(-20_000));
    const nothing = (): void => undefined;
    const logger: Logger = { error: write, warn: write, info: write, debug: nothing, trace: nothing };
    return {
      connector: 'comparison',
      task: 0,
      logger,
      signal: this.abort.signal,
      workerSettings: {},
      metrics: new MemoryMetrics(),
      connection: new MemoryConnection(),
      createProducer: new MemoryProducers().create,
      createConsumer: new MemoryConsumers().create,
      configs: () => config,
      offsets: { offset: async () => null, offsets: async (partitions) => partitions.map(() => null) },
      exactlyOnce: false,
      transactionContext: null,
      columnConverter: () => Promise.reject(new Error('No column converter is installed.')),
      storeOffset: async (partition, offset) => task.commit(new Map([[partition, offset]])),
    };
  }

  private dump(record: SourceRecord): EventRecord {
    const plain = (part: unknown): unknown => (typeof part === 'bigint' ? Number(part) : part);
    const offset = Object.entries(record.sourceOffset ?? {}).map(([name, value]) => [name, plain(value)]);
    return {
      topic: record.topic,
      partition: record.partition ?? null,
      timestamp: record.timestamp ?? null,
      ...this.keyAndValue(record),
      headers: (record.headers ?? []).map(({ key, schema, value }) => [key, ...this.data(schema, value)] as const),
      sourcePartition: { ...record.sourcePartition },
      sourceOffset: Object.fromEntries(offset) as Record<string, unknown>,
    };
  }

  /** A row that is not decoded is written from its bytes, as in a worker. */
  private keyAndValue(record: SourceRecord): { key: Data; value: Data } {
    const { keySchema, key, valueSchema, value } = record;
    if (!isRawRow(value)) return { key: this.data(keySchema, key), value: this.data(valueSchema, value) };
    const plain = plainRecord(record);
    this.cursor.locate(value);
    const written = (struct: RawStruct | null): Uint8Array | null =>
      struct && this.converter.fromRaw('t', struct, this.cursor);
    return {
      key: this.data(keySchema, plain.key, written(isRawRow(key) ? value.shape.key : null)),
      value: this.data(valueSchema, plain.value, written(value.shape.value)),
    };
  }

  private data(schema: Schema | null, value: unknown, written: Uint8Array | null = null): Data {
    const json =
      schema === null && value == null ? null : (written ?? this.converter.fromConnectData('t', schema, value));
    return [schema === null ? null : this.schemaText(schema), json && Buffer.from(json).toString()];
  }

  private schemaText(schema: Schema): string {
    const known = this.schemas.get(schema);
    if (known !== undefined) return known;
    // The envelope of a null struct whose one field has the schema.
    const around = structSchema([['schema', schema]], { optional: true });
    const json = this.withSchemas.fromConnectData('t', around, null) as Uint8Array;
    const text = /"fields":\[(.*)\],"optional":true\},"payload":null\}$/s.exec(Buffer.from(json).toString())?.[1];
    if (text === undefined) throw new Error(`a schema has no text: ${Buffer.from(json).toString()}`);
    this.schemas.set(schema, text);
    return text;
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.task?.stop();
    await this.polling;
    this.task = null;
  }

  logged(): string {
    return this.log;
  }
}
