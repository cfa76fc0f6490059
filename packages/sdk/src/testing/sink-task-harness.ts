/** Runs a sink task step by step, as a worker does, and records the committed offsets. */
import type { ConnectorConfig, WorkerSettings } from '../config-def';
import type { SinkConnector } from '../connector';
import type { SinkRecord, TopicPartition, TopicPartitionOffset } from '../record';
import type { SinkTask, SinkTaskContext } from '../task';
import { checkPreCommit, checkTask } from '../checks';
import { completeRecord, type PutRecord } from './complete-record';
import { MemoryConnection } from './memory-connection';
import { MemoryLogger } from './memory-logger';
import { MemoryMetrics } from './memory-metrics';
import { MemoryConsumers, MemoryProducers } from './memory-clients';
import { TESTED } from './tested';

export interface SinkHarnessOptions {
  /** Partitions assigned at the start. (Default: partition 0 of `topic`) */
  readonly assignment?: readonly TopicPartition[];
  /**
   * Topic of records and partitions without one. (Default: the first of the config's `topics`, or `test`)
   */
  readonly topic?: string;
  /** False: `errantRecordReporter` is null, as without dead letter queue and error log. (Default: true) */
  readonly errantRecords?: boolean;
  /** Worker settings that the plugin may read. (Default: none) */
  readonly workerSettings?: WorkerSettings;
  /** (Default: in-memory producers, whose records are in `producers.records`) */
  readonly createProducer?: SinkTaskContext['createProducer'];
}

export class SinkTaskHarness {
  readonly logger = new MemoryLogger();
  /** Metrics that the task published. */
  readonly metrics = new MemoryMetrics();
  /** What the task said about its connection. */
  readonly connection = new MemoryConnection();
  /** Records reported to `errantRecordReporter`. */
  readonly errantRecords: { readonly record: SinkRecord; readonly error: unknown }[] = [];
  /** Records that the task wrote with its own producers. */
  readonly producers = new MemoryProducers();
  /** What the task reads with its own consumers. */
  readonly consumers = new MemoryConsumers();
  readonly seeks: TopicPartitionOffset[] = [];
  /** Last value passed to `context.timeout`, in milliseconds. */
  requestedTimeout: number | null = null;
  commitRequested = false;
  /** Topic → what `context.topicId` returns. (Default: none) */
  readonly topicIds = new Map<string, string>();
  readonly context: SinkTaskContext;

  private assigned: TopicPartition[] = [];
  private readonly paused = new Map<string, TopicPartition>();
  private readonly next = new Map<string, number>();
  private readonly processed = new Map<string, TopicPartitionOffset>();
  private readonly commits = new Map<string, number>();
  private readonly aborter = new AbortController();
  private lastBatch: readonly SinkRecord[] = [];

  private constructor(
    readonly task: SinkTask,
    private readonly topic: string,
    config: ConnectorConfig,
    options: SinkHarnessOptions,
  ) {
    this.context = {
      connector: config.name ?? 'test',
      task: 0,
      logger: this.logger,
      metrics: this.metrics,
      connection: this.connection,
      signal: this.aborter.signal,
      workerSettings: options.workerSettings ?? {},
      configs: () => config,
      createProducer: options.createProducer ?? this.producers.create,
      createConsumer: this.consumers.create,
      assignment: () => [...this.assigned],
      topicId: ({ topic }) => this.topicIds.get(topic) ?? null,
      seek: (offset) => void this.seeks.push(offset),
      timeout: (ms) => {
        this.requestedTimeout = ms;
      },
      pause: (partitions) => partitions.forEach((p) => this.paused.set(keyOf(p), p)),
      resume: (partitions) => partitions.forEach((p) => this.paused.delete(keyOf(p))),
      requestCommit: () => {
        this.commitRequested = true;
      },
      errantRecordReporter:
        options.errantRecords === false
          ? null
          : {
              report: async (record, error) => {
                this.errantRecords.push({ record, error });
              },
            },
    };
  }

  /** Creates and starts a task and assigns its partitions. */
  static async start(
    connector: SinkConnector,
    config: ConnectorConfig,
    options: SinkHarnessOptions = {},
  ): Promise<SinkTaskHarness> {
    const topic = options.topic ?? (config.topics?.split(',')[0]?.trim() || 'test');
    const harness = new SinkTaskHarness(
      checkTask('sink', connector.createTask(), TESTED),
      topic,
      { name: 'test', ...config },
      options,
    );
    await harness.task.start(harness.context.configs(), harness.context);
    await harness.assign(options.assignment ?? [{ topic, partition: 0 }]);
    return harness;
  }

  /**
   * Puts one batch. Rejects with the task's error; `redeliver` then puts the same batch again, as a worker does after a
   * RetriableError.
   */
  async put(records: readonly PutRecord[]): Promise<void> {
    this.lastBatch = records.map((record) => this.complete(record));
    await this.redeliver();
  }

  async redeliver(): Promise<void> {
    await this.task.put(this.lastBatch);
    for (const { originalTopic: topic, originalPartition: partition, originalOffset } of this.lastBatch) {
      this.processed.set(keyOf({ topic, partition }), { topic, partition, offset: originalOffset + 1 });
    }
    this.lastBatch = [];
  }

  /**
   * Runs one offset commit: `preCommit`, or `flush`. Rejects with the task's error, after which a worker would rewind
   * to the last committed offsets.
   */
  async commit(partitions: readonly TopicPartition[] = this.assigned): Promise<void> {
    const offered = partitions.flatMap((p) => this.processed.get(keyOf(p)) ?? []);
    this.commitRequested = false;
    if (offered.length === 0) return;
    let returned: readonly TopicPartitionOffset[] = offered;
    if (this.task.preCommit) returned = checkPreCommit(await this.task.preCommit(offered), TESTED);
    else await this.task.flush?.(offered);
    for (const { topic, partition, offset } of returned) {
      const limit = this.processed.get(keyOf({ topic, partition }))?.offset;
      if (limit === undefined || offset > limit) {
        throw new Error(
          `the task commits offset ${offset} of ${topic}-${partition}, but only ${limit ?? 'nothing'} was processed`,
        );
      }
      this.commits.set(keyOf({ topic, partition }), offset);
    }
  }

  /** Next offset to read after a restart; null if none is committed. */
  committed(partition = 0, topic = this.topic): number | null {
    return this.commits.get(keyOf({ topic, partition })) ?? null;
  }

  pausedPartitions(): TopicPartition[] {
    return [...this.paused.values()];
  }

  async assign(partitions: readonly TopicPartition[]): Promise<void> {
    this.assigned.push(...partitions);
    await this.task.open?.(partitions);
  }

  /** Revokes partitions as in a rebalance: `revoking`, commit, `close`. */
  async revoke(partitions: readonly TopicPartition[]): Promise<void> {
    await this.task.revoking?.(partitions);
    await this.commit(partitions);
    await this.lose(partitions);
  }

  /** Closes partitions without a commit, as after a session timeout. */
  async lose(partitions: readonly TopicPartition[]): Promise<void> {
    const gone = new Set(partitions.map(keyOf));
    this.assigned = this.assigned.filter((p) => !gone.has(keyOf(p)));
    for (const key of gone) this.processed.delete(key);
    await this.task.close?.(partitions);
  }

  /** Commits and closes all partitions, then stops the task. */
  async stop(): Promise<void> {
    this.aborter.abort();
    try {
      if (this.assigned.length > 0) await this.revoke([...this.assigned]);
    } finally {
      await this.task.stop();
    }
  }

  private complete(record: PutRecord): SinkRecord {
    const complete = completeRecord(record, this.topic, (topic, partition) => {
      return this.next.get(keyOf({ topic, partition })) ?? 0;
    });
    const { originalTopic: topic, originalPartition: partition, originalOffset } = complete;
    this.next.set(keyOf({ topic, partition }), originalOffset + 1);
    return complete;
  }
}

function keyOf({ topic, partition }: TopicPartition): string {
  return `${partition}/${topic}`;
}
