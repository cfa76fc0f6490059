import type { ColumnConverterPlugin } from './column-converter';
import type { ConnectorConfig, WorkerSettings } from './config-def';
import type { TaskConsumer } from './consumer';
import type { Logger } from './logger';
import type { PluginMetrics } from './plugin-metrics';
import type {
  ConsumedBatch,
  ConsumedPut,
  ConsumedPutOptions,
  ProcessedSinkRecord,
  ProcessingTask,
  RecordProcessing,
  TakenProcessing,
} from './processing';
import type { KafkaClientConfig, TaskProducer } from './producer';
import type {
  RecordMetadata,
  SinkRecord,
  TextBatch,
  SourceOffset,
  SourcePartition,
  SourceRecord,
  TopicPartition,
  TopicPartitionOffset,
} from './record';
import type { TaskSignal } from './signal';
import type { TaskConnection } from './task-connection';
import type { TransactionContext } from './transaction';

/** Reads stored source offsets. Each call first reads the offsets topic to its end. */
export interface OffsetReader {
  /** Null if no offset is stored. Integers are numbers, or bigints outside ±2^53. */
  offset(partition: SourcePartition): Promise<SourceOffset | null>;
  /** In the order of `partitions`. */
  offsets(partitions: readonly SourcePartition[]): Promise<(SourceOffset | null)[]>;
}

export interface TaskContext {
  readonly connector: string;
  readonly task: number;
  readonly logger: Logger;
  /** Aborts when the task is to stop. Pass it to sleeps and requests. */
  readonly signal: AbortSignal;
  readonly workerSettings: WorkerSettings;
  /**
   * True in a preview, which shows the records that a source would write: change nothing in the external system (no
   * replication slot, subscription or acknowledgement that outlives the task). Nothing is written to Kafka, `commit`
   * and `commitRecord` are not called, producers discard their records, and an offset passed to `storeOffset` is kept
   * only until the task ends. (Default: false)
   */
  readonly preview?: boolean;
  /** Metrics of this task in the worker's `GET /metrics`. */
  readonly metrics: PluginMetrics;
  /** Where the task says whether it is connected to its external system. */
  readonly connection: TaskConnection;
  /** Current task config, with config provider placeholders resolved. */
  configs(): ConnectorConfig;
  /**
   * Creates a producer for records outside the task's normal output. `config` must have `bootstrap.servers` and all
   * security settings: nothing is inherited from the worker. Throws ConfigError for invalid settings.
   */
  createProducer(config: KafkaClientConfig): TaskProducer;
  /**
   * Creates a consumer of one partition for records outside the task's normal input. `config` must have
   * `bootstrap.servers`, `group.id` and all security settings: nothing is inherited from the worker. Throws ConfigError
   * for invalid settings.
   */
  createConsumer(config: KafkaClientConfig, partition: TopicPartition): TaskConsumer;
}

export interface SourceTaskContext extends TaskContext {
  readonly offsets: OffsetReader;
  /**
   * True: each record and its offset are committed in the same Kafka transaction, so that a task that resumes from its
   * stored offsets neither loses nor repeats a record. False: delivery is at least once.
   */
  readonly exactlyOnce: boolean;
  /** Null unless the task is exactly-once and the connector has `transaction.boundary=connector`. */
  readonly transactionContext: TransactionContext | null;
  /**
   * True: when `poll` is called, nothing reads the bytes of a `RawRow` any more that it has returned before, so that
   * their memory may be used again. (Default: false)
   */
  readonly rowsEndAtPoll?: boolean;
  /**
   * Commits an offset without a record, after the offsets of all records polled so far. Null deletes the partition's
   * offset. Resolves once the offset is stored, which happens as soon as those records are acknowledged, without
   * waiting for `offset.flush.interval.ms`. Retries while Kafka is unavailable, and rejects with the signal's reason if
   * the task is stopped meanwhile. Call it from `start` or `poll`.
   *
   * In an exactly-once task the offset is committed in one transaction with the records polled before it that are not
   * committed yet. While a transaction that the connector defines is open, it rejects with ConnectError
   * `TRANSACTION_OPEN`.
   */
  storeOffset(partition: SourcePartition, offset: SourceOffset | null): Promise<void>;
  /**
   * The column converter plugin of this name, which the worker must have installed. Throws ConfigError
   * `COLUMN_CONVERTER_UNKNOWN` for an unknown name, ConnectError `PLUGIN_LOAD_FAILED` for a plugin that cannot be
   * loaded.
   */
  columnConverter(name: string): Promise<ColumnConverterPlugin>;
}

/**
 * Reads records from an external system. Calls never overlap, except that `commit` and `commitRecord` may be called
 * while `poll` is pending.
 */
export interface SourceTask {
  /**
   * Takes over transformations and converters, as many as the task has plugins for, and configures them. Called once,
   * before `start`. Throws ConfigError for settings that a plugin rejects. (Default: the runtime does it all)
   */
  takeProcessing?(processing: RecordProcessing, task: ProcessingTask): Promise<TakenProcessing> | TakenProcessing;
  start(config: ConnectorConfig, context: SourceTaskContext): Promise<void> | void;
  /**
   * Returns the next records, or null if there are none. Wait briefly for data rather than returning null at once, and
   * return early when `context.signal` aborts. After a RetriableError the runtime polls again; any other error fails
   * the task. A task that has taken over steps or converters returns `ProcessedSourceRecord`s.
   */
  poll(): Promise<readonly SourceRecord[] | null>;
  /**
   * What `poll` has returned last is a part of a batch, and the next `poll` returns more of it. Until the batch is
   * whole, the offset of its newest records is not stored, as further ones may share it (the same object), and no
   * transaction ends after one of its parts. (Default: each `poll` returns a whole batch)
   */
  readonly isWithinBatch?: boolean;
  /**
   * Called after an offset commit. `offsets` has the last committed offset of each source partition. Only now is it
   * safe to acknowledge to the external system, e.g. to confirm an LSN or delete a message.
   */
  commit?(offsets: ReadonlyMap<SourcePartition, SourceOffset | null>): Promise<void> | void;
  /**
   * Called for each acknowledged record, in order per partition. Metadata is null for a record that was dropped.
   * Reduces throughput: implement it only if needed. May be set in `takeProcessing`.
   */
  commitRecord?(record: SourceRecord, metadata: RecordMetadata | null): void;
  /**
   * Called for a signal sent over REST (`POST /connectors/{name}/signals`) while the task is running, also while `poll`
   * is pending. Resolve when the signal would survive a restart of the task: the caller then receives 202. Throw for a
   * signal that is not accepted: the error's message is in the response, with 400. May be called again for the same
   * signal, if the caller did not receive a response. (Default: signals are rejected with 400)
   */
  onSignal?(signal: TaskSignal): Promise<void> | void;
  stop(): Promise<void> | void;
  /** The task is no longer needed, started or not. Called last, and at once when the task is cancelled. */
  release?(): void;
}

/** Reports a single failed record to the dead letter queue or the error log. */
export interface ErrantRecordReporter {
  /** Resolves once the record is reported. */
  report(record: SinkRecord, error: unknown): Promise<void>;
}

export interface SinkTaskContext extends TaskContext {
  readonly assignment: () => readonly TopicPartition[];
  /**
   * Id of the topic that the records of the last `put` were read from. A topic that is deleted and created again has
   * another id, and offsets that start again. Null before the first record, and when the brokers report no ids (before
   * Kafka 2.8).
   */
  topicId(partition: TopicPartition): string | null;
  /** Consumes from this offset, starting with the next batch. */
  seek(offset: TopicPartitionOffset): void;
  /** Limits the wait until the next `put` to `ms` milliseconds, once. */
  timeout(ms: number): void;
  pause(partitions: readonly TopicPartition[]): void;
  resume(partitions: readonly TopicPartition[]): void;
  /** Requests an offset commit before the next interval. */
  requestCommit(): void;
  /** Null unless a dead letter queue topic or error log is configured. */
  readonly errantRecordReporter: ErrantRecordReporter | null;
}

/** Writes records to an external system. Calls never overlap. */
export interface SinkTask {
  /**
   * Takes over transformations and converters, as many as the task has plugins for, and configures them. Called once,
   * before `start`. Throws ConfigError for settings that a plugin rejects. (Default: the runtime does it all)
   */
  takeProcessing?(processing: RecordProcessing, task: ProcessingTask): Promise<TakenProcessing> | TakenProcessing;
  /**
   * Does what the task has taken over, for the records of a fetched batch; one result for each. With the converters,
   * key, value and headers of these records are bytes or null. Those that it returns are passed to `put`. Called only
   * if the task has taken over something.
   */
  process?(records: readonly SinkRecord[]): Promise<readonly ProcessedSinkRecord[]>;
  start(config: ConnectorConfig, context: SinkTaskContext): Promise<void> | void;
  open?(partitions: readonly TopicPartition[]): Promise<void> | void;
  /**
   * Writes a batch, which may be empty. After a RetriableError the same batch is put again; any other error fails the
   * task.
   */
  put(records: readonly SinkRecord[]): Promise<void> | void;
  /**
   * Writes the values of records as bytes, for a sink that would copy their text anyway. Called instead of `put` while
   * the value of each record in `put` would be a string or null, and neither its key, its headers nor a failure of it
   * has a reader: the converters of the task return text, it has no transformations, and no record is reported. What
   * is true of `put` is true of it. Bytes that are not UTF-8 (`isUtf8`) are the text that `Buffer.toString` returns.
   * May be set in `start`. (Default: `put` gets all records)
   */
  putTexts?: ((batches: readonly TextBatch[]) => Promise<void> | void) | undefined;
  /**
   * Does what `process` and `put` do, in one call, for a task that has taken over all of the processing and that a call
   * for each of them would cost much. Puts records in their order, and no more after a record has failed, after an
   * error, or once the task has asked its context for something; what is then neither taken nor left is fetched again.
   * An error that is not retriable is thrown, and fails the task. Not called while records that `put` rejects are
   * looked for one by one. (Default: `process` and `put` get all records)
   */
  putConsumed?(batches: readonly ConsumedBatch[], options: ConsumedPutOptions): Promise<ConsumedPut>;
  /** How many records `put` gets at most, unless `max.poll.records` is set. (Default: 500) */
  readonly maxPollRecords?: number;
  /** Makes all records put so far durable. `offsets` are the next offsets to read. */
  flush?(offsets: readonly TopicPartitionOffset[]): Promise<void> | void;
  /**
   * Returns the offsets to commit, each the last processed offset + 1. Return an empty list to commit nothing.
   * (Default: calls `flush` and commits the given offsets)
   */
  preCommit?(
    offsets: readonly TopicPartitionOffset[],
  ): Promise<readonly TopicPartitionOffset[]> | readonly TopicPartitionOffset[];
  /**
   * Called before partitions are revoked or the task stops, followed by `preCommit` and `close`: deliver what is in
   * flight. The rebalance waits for it. Not called for partitions that are already lost.
   */
  revoking?(partitions: readonly TopicPartition[]): Promise<void> | void;
  close?(partitions: readonly TopicPartition[]): Promise<void> | void;
  stop(): Promise<void> | void;
  /** The task is no longer needed, started or not. Called last, and at once when the task is cancelled. */
  release?(): void;
}
