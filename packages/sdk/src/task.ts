import type { ConnectorConfig, WorkerSettings } from './config-def';
import type { Logger } from './logger';
import type { KafkaClientConfig, TaskProducer } from './producer';
import type {
  RecordMetadata,
  SinkRecord,
  SourceOffset,
  SourcePartition,
  SourceRecord,
  TopicPartition,
  TopicPartitionOffset,
} from './record';

/** Reads what was stored for a source partition; each call reads the offsets topic to its end first. */
export interface OffsetReader {
  /** Null when nothing is stored. Integers come back as number, or bigint outside ±2^53. */
  offset(partition: SourcePartition): Promise<SourceOffset | null>;
  offsets(partitions: readonly SourcePartition[]): Promise<(SourceOffset | null)[]>;
}

export interface TaskContext {
  readonly connector: string;
  readonly task: number;
  readonly logger: Logger;
  /** Aborted when the task is asked to stop: pass it to timers and requests. */
  readonly signal: AbortSignal;
  readonly workerSettings: WorkerSettings;
  /** Current task configuration, placeholders resolved. */
  configs(): ConnectorConfig;
  /**
   * For topics beside those that the task is there for. Needs `bootstrap.servers`, and gets nothing of the worker's own
   * settings: what the plug-in's configuration says about that cluster is all that is said. Throws ConfigError for
   * settings that cannot be.
   */
  createProducer(config: KafkaClientConfig): TaskProducer;
}

export interface SourceTaskContext extends TaskContext {
  readonly offsets: OffsetReader;
  /**
   * Stores an offset without a record, behind those of all records polled so far; null forgets the partition. Resolves
   * when it is stored, without waiting for `offset.flush.interval.ms`: as soon as Kafka has those records. Tries on
   * when Kafka is away, and rejects with the signal's reason when the task is stopped meanwhile. Call it from `start`
   * or `poll`.
   */
  storeOffset(partition: SourcePartition, offset: SourceOffset | null): Promise<void>;
}

/**
 * Pulls records from the outside. Calls never overlap, except `commit` and `commitRecord`, which may come while
 * `poll` is pending.
 */
export interface SourceTask {
  start(config: ConnectorConfig, context: SourceTaskContext): Promise<void> | void;
  /**
   * The next records, or null when there is nothing now. Wait a little for data instead of returning at once; return
   * early when `context.signal` is aborted. A RetriableError is polled again, anything else fails the task.
   */
  poll(): Promise<readonly SourceRecord[] | null>;
  /**
   * The offsets of everything acknowledged so far are stored. `offsets` holds what was stored last per source
   * partition: only now may the outside be told (an LSN confirmed, a message deleted).
   */
  commit?(offsets: ReadonlyMap<SourcePartition, SourceOffset | null>): Promise<void> | void;
  /**
   * Called per record, in order per partition; metadata is null for a record that was dropped. Costs speed: implement
   * it only when needed.
   */
  commitRecord?(record: SourceRecord, metadata: RecordMetadata | null): void;
  stop(): Promise<void> | void;
}

/** Reports single bad records from `put`; null in the context unless a dead letter topic or error log is configured. */
export interface ErrantRecordReporter {
  report(record: SinkRecord, error: unknown): Promise<void>;
}

export interface SinkTaskContext extends TaskContext {
  readonly assignment: () => readonly TopicPartition[];
  /** Seeks before the next batch. */
  seek(offset: TopicPartitionOffset): void;
  /** Longest wait before the next `put` (once). Milliseconds. */
  timeout(ms: number): void;
  pause(partitions: readonly TopicPartition[]): void;
  resume(partitions: readonly TopicPartition[]): void;
  requestCommit(): void;
  readonly errantRecordReporter: ErrantRecordReporter | null;
}

/** Delivers records to the outside. Calls never overlap. */
export interface SinkTask {
  start(config: ConnectorConfig, context: SinkTaskContext): Promise<void> | void;
  open?(partitions: readonly TopicPartition[]): Promise<void> | void;
  /** A RetriableError gets the same batch again; anything else fails the task. Called with an empty list, too. */
  put(records: readonly SinkRecord[]): Promise<void> | void;
  /** Makes everything put so far durable. */
  flush?(offsets: readonly TopicPartitionOffset[]): Promise<void> | void;
  /**
   * Says which offsets may be committed (each = last processed + 1). Default: `flush`, then the offsets given. Return
   * an empty list to commit nothing.
   */
  preCommit?(
    offsets: readonly TopicPartitionOffset[],
  ): Promise<readonly TopicPartitionOffset[]> | readonly TopicPartitionOffset[];
  /**
   * These partitions are about to be given away, or the task to be stopped: the last chance to deliver what is under
   * way, before `preCommit` and `close`. Other members of the group wait for it. Not called for partitions that are
   * lost already.
   */
  revoking?(partitions: readonly TopicPartition[]): Promise<void> | void;
  close?(partitions: readonly TopicPartition[]): Promise<void> | void;
  stop(): Promise<void> | void;
}
