/** Drives a sink task as the worker would, one step at a time, and keeps the committed offsets. */
import type { ConnectorConfig, WorkerSettings } from '../config-def';
import type { SinkConnector } from '../connector';
import type { SinkRecord, TopicPartition, TopicPartitionOffset } from '../record';
import type { SinkTask, SinkTaskContext } from '../task';
import { completeRecord, type PutRecord } from './complete-record';
import { MemoryLogger } from './memory-logger';
import { MemoryProducers } from './memory-producers';

export interface SinkHarnessOptions {
  /** Partitions assigned at the start. (Default: partition 0 of `topic`) */
  readonly assignment?: readonly TopicPartition[];
  /**
   * Topic of records and partitions that name none. (Default: the first of the configuration's `topics`, else `test`)
   */
  readonly topic?: string;
  /** False: the context has no reporter, as without dead letter topic and error log. (Default: true) */
  readonly errantRecords?: boolean;
  /** What the worker grants the plug-in. (Default: nothing) */
  readonly workerSettings?: WorkerSettings;
  /** (Default: producers whose records are in `producers.records`) */
  readonly createProducer?: SinkTaskContext['createProducer'];
}

export class SinkTaskHarness {
  readonly logger = new MemoryLogger();
  /** Reported through the context's reporter. */
  readonly errantRecords: { readonly record: SinkRecord; readonly error: unknown }[] = [];
  /** What the task has written by producers of its own. */
  readonly producers = new MemoryProducers();
  readonly seeks: TopicPartitionOffset[] = [];
  /** Last wish given to `context.timeout`, milliseconds. */
  requestedTimeout: number | null = null;
  commitRequested = false;
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
      signal: this.aborter.signal,
      workerSettings: options.workerSettings ?? {},
      configs: () => config,
      createProducer: options.createProducer ?? this.producers.create,
      assignment: () => [...this.assigned],
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

  /** Starts the task and opens its partitions. */
  static async start(
    connector: SinkConnector,
    config: ConnectorConfig,
    options: SinkHarnessOptions = {},
  ): Promise<SinkTaskHarness> {
    const topic = options.topic ?? (config.topics?.split(',')[0]?.trim() || 'test');
    const harness = new SinkTaskHarness(connector.createTask(), topic, { name: 'test', ...config }, options);
    await harness.task.start(harness.context.configs(), harness.context);
    await harness.assign(options.assignment ?? [{ topic, partition: 0 }]);
    return harness;
  }

  /**
   * Puts one batch. Rejects with what the task throws; then `redeliver` puts the same batch again, as the worker does
   * after a RetriableError.
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
   * One offset commit: `preCommit`, or `flush`. Rejects with what the task throws; a worker would go back to the last
   * committed offsets.
   */
  async commit(partitions: readonly TopicPartition[] = this.assigned): Promise<void> {
    const offered = partitions.flatMap((p) => this.processed.get(keyOf(p)) ?? []);
    this.commitRequested = false;
    if (offered.length === 0) return;
    let returned: readonly TopicPartitionOffset[] = offered;
    if (this.task.preCommit) returned = await this.task.preCommit(offered);
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

  /** Next offset to read after a restart; null: nothing was committed. */
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

  /** Takes partitions away in order: a word of warning, commit, then close. */
  async revoke(partitions: readonly TopicPartition[]): Promise<void> {
    await this.task.revoking?.(partitions);
    await this.commit(partitions);
    await this.lose(partitions);
  }

  /** Takes partitions away without a commit, as when the worker was away too long. */
  async lose(partitions: readonly TopicPartition[]): Promise<void> {
    const gone = new Set(partitions.map(keyOf));
    this.assigned = this.assigned.filter((p) => !gone.has(keyOf(p)));
    for (const key of gone) this.processed.delete(key);
    await this.task.close?.(partitions);
  }

  /** Commit, close, stop. */
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
