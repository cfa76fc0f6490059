/**
 * Puts converted records: all at once, again after a retriable error, or in parts to find the records that `put`
 * rejects. Source: connect-runtime §5.4, §5.6.
 */
import {
  type ConsumedPut,
  isConfigError,
  isRetriable,
  LimitedLog,
  messageOf,
  type SinkRecord,
  type SinkTask,
  type TopicPartition,
} from '@millrace/sdk';
import type { FetchedBatch, GroupConsumer } from '@millrace/kafka-client';
import type { Logger } from '../../logging/logger';
import type { TaskMetrics } from '../../metrics/task-metrics';
import type { CallClock } from '../call-clock';
import { PartitionMap } from '../partition-map';
import { type ConsumedPutDependencies, ConsumedPuts } from './consumed-puts';
import type { ReportedCondition } from '../reported-condition';
import { PutBisection, type Finding } from './put-bisection';
import type { RejectedRecords } from './rejected-records';
import { includes, type SinkOffsets } from './sink-offsets';
import type { SinkPauses } from './sink-pauses';
import { splitBatches } from './split-batches';

/**
 * Retry delay of a batch, unless the task sets a shorter one. Java waits until the next commit is due, up to a minute.
 */
const REDELIVERY_MS = 1000;

export interface SinkPutDependencies extends ConsumedPutDependencies {
  readonly task: SinkTask;
  readonly calls: CallClock;
  readonly consumer: GroupConsumer;
  /** Null: a batch that `put` rejects fails the task. */
  readonly rejected: RejectedRecords | null;
  readonly metrics: TaskMetrics;
  readonly condition: Pick<ReportedCondition, 'retrying' | 'succeeded'>;
  readonly logger: Logger;
  stopping(): boolean;
  /** Why the task must fail, because of a failed record; null: it need not. */
  failure(): Error | null;
}

export class SinkPuts {
  /** Converted and not yet put; kept while `put` is retried. */
  private batch: SinkRecord[] = [];
  /** Not put and not converted, for `putTexts`; there are none beside converted ones. */
  private texts: FetchedBatch[] = [];
  /** Offsets that are processed once `batch` is put, skipped records included. */
  private readonly batchOffsets = new PartitionMap<number>();
  /** Finds the records that make `put` reject `batch`. Null: it was not rejected. */
  private bisection: PutBisection | null = null;
  /** Of a put of the records in `batch` before they were converted. Null: there was none. */
  private consumedError: { readonly error: unknown } | null = null;
  /** The last put failed, and the same records are put again after a delay. */
  private retrying = false;
  private readonly consumed: ConsumedPuts;
  /** For warnings that rejected records cause. */
  private readonly warnings: LimitedLog;

  constructor(
    private readonly parts: SinkPutDependencies,
    private readonly offsets: SinkOffsets,
    private readonly pauses: SinkPauses,
  ) {
    this.warnings = new LimitedLog(parts.logger);
    this.consumed = new ConsumedPuts(parts);
  }

  /** What is put next. Converted records are pushed to it; `reach` is called after those of a fetched batch. */
  get records(): SinkRecord[] {
    return this.batch;
  }

  /** Batches may be put as texts: those before them are, and a record that is rejected need not be found. */
  get takesTexts(): boolean {
    return this.parts.task.putTexts !== undefined && this.parts.rejected === null && this.batch.length === 0;
  }

  addTexts(batch: FetchedBatch): void {
    this.texts.push(batch);
  }

  /** They are converted before the batch that must be. */
  releaseTexts(): FetchedBatch[] {
    return this.texts.splice(0);
  }

  /** @param next offset up to which the partition is processed once its records are put */
  reach(at: TopicPartition, next: number): void {
    this.batchOffsets.set(at, next);
  }

  /** The partition's log is another one than that of the records that are left to put. */
  forgetPosition(at: TopicPartition): void {
    this.batchOffsets.delete(at);
  }

  /** While paused, a batch is not retried. */
  get isHeld(): boolean {
    return this.pauses.redelivery && (this.pauses.connector || this.pauses.deadLetters);
  }

  /** Milliseconds until records are put again; Infinity: none are. */
  get redeliveryMs(): number {
    if (!this.pauses.redelivery) return Infinity;
    return this.retrying || this.isHeld || this.bisection === null ? REDELIVERY_MS : 0;
  }

  /** How often `max.poll.records` the next poll may return. */
  get pollTimes(): number {
    return this.consumed.pollTimes;
  }

  /**
   * Puts batches as they were consumed. What is left of them is converted and delivered as records; null: all is.
   * Rejects when the task must fail.
   */
  async deliverConsumed(batches: readonly FetchedBatch[]): Promise<ConsumedPut | null> {
    const { task, rejected, condition, metrics } = this.parts;
    if (task.putConsumed === undefined || rejected !== null || this.batch.length + this.texts.length > 0) return null;
    const put = await this.consumed.put(batches);
    if (put === null) return null;
    // Before any of it counts as processed.
    this.throwFailure();
    if (put.error === null) condition.succeeded();
    else this.consumedError = { error: put.error };
    for (const { records, ms } of put.puts) metrics.put(records, ms);
    for (const batch of splitBatches(batches, put.taken)[0]) this.markProcessed(batch, endOf(batch));
    return put;
  }

  /** One call of `put`. Rejects when the task must fail. */
  async deliver(): Promise<void> {
    const failed = this.consumedError;
    this.consumedError = null;
    if (failed !== null) return this.onPutError(this.batch.length, failed.error);
    const began = performance.now();
    // A copy: the task may change it, and the batch may have to be put again.
    const part = this.bisection === null ? this.batch.slice() : this.partOf(this.bisection);
    const texts = this.texts.map(({ topic, partition, views = [] }) => ({ topic, partition, records: views }));
    const length = part.length + texts.reduce((sum, { records }) => sum + records.length, 0);
    this.retrying = false;
    const { task } = this.parts;
    try {
      await this.parts.calls.during('put', () => (texts.length > 0 ? task.putTexts?.(texts) : task.put(part)));
    } catch (error) {
      this.onPutError(length, error);
      return;
    }
    this.parts.condition.succeeded();
    // Before the batch counts as processed: it has the record that fails the task.
    this.throwFailure();
    this.parts.metrics.put(length, performance.now() - began);
    if (this.bisection !== null) return this.apply(this.bisection.accepted(), true);
    if (length > 0) this.parts.rejected?.onAccepted();
    for (const [partition, next] of this.batchOffsets.entries()) this.markProcessed(partition, next);
    this.dropBatch();
  }

  /** All partitions are consumed again from their committed offsets. */
  rewind(assigned: readonly TopicPartition[]): void {
    this.parts.rejected?.forget(assigned);
    this.dropBatch();
  }

  /** These partitions are no longer owned. */
  forget(partitions: readonly TopicPartition[]): void {
    this.parts.rejected?.forget(partitions);
    // What is left of the batch is put as a whole again.
    this.bisection = null;
    this.batch = this.batch.filter(
      ({ originalTopic: topic, originalPartition: partition }) => !includes(partitions, { topic, partition }),
    );
    this.texts = this.texts.filter((batch) => !includes(partitions, batch));
    for (const partition of partitions) this.batchOffsets.delete(partition);
    if (this.batch.length + this.texts.length === 0) this.pauses.redelivery = false;
  }

  private onPutError(length: number, error: unknown): void {
    const { logger } = this.parts;
    if (isRetriable(error)) {
      this.parts.condition.retrying(error);
      logger.warn(`put() failed, retrying the same ${length} records: ${messageOf(error)}`, { error });
      this.pauses.redelivery = true;
      this.retrying = true;
      return;
    }
    if (!this.mayBisect(error)) throw error;
    if (this.bisection !== null) return this.apply(this.bisection.rejected(error), false);
    this.warnings.warn(
      'batch',
      `put() rejects a batch of ${length} records; putting parts of it to find those that fail: ${messageOf(error)}`,
      { error },
    );
    this.bisection = new PutBisection(length, error);
    this.parts.rejected?.onBatchRejected();
    this.pauses.redelivery = true;
  }

  /** Not if a part fails for a reason other than its records. */
  private mayBisect(error: unknown): boolean {
    if (this.parts.rejected === null || this.batch.length === 0) return false;
    return !this.parts.stopping() && this.parts.failure() === null && !isConfigError(error);
  }

  private partOf(bisection: PutBisection): SinkRecord[] {
    const { from, to } = bisection.next();
    return this.batch.slice(from, to);
  }

  /** `accepted`: the task has just accepted a record. */
  private apply({ records, rejection }: Finding, accepted: boolean): void {
    const { rejected } = this.parts;
    const first = this.batch[0];
    if (rejection !== null && first !== undefined) {
      const { originalTopic: topic, originalPartition: partition, originalOffset: offset } = first;
      this.warnings.warn(
        'record',
        `put() rejects the record at offset ${offset} of ${topic}-${partition}: ${messageOf(rejection.error)}`,
      );
      rejected?.add(first, rejection.error);
    }
    if (accepted) rejected?.onAccepted();
    this.throwFailure();
    this.batch = this.batch.slice(records);
    this.markDecided();
    if (this.batch.length > 0) return;
    this.dropBatch();
    rejected?.onBatchEnd();
  }

  /** Partitions are processed up to the first record that is left of them. */
  private markDecided(): void {
    const left = new PartitionMap<number>();
    for (const { originalTopic: topic, originalPartition: partition, originalOffset } of this.batch)
      if (!left.has({ topic, partition })) left.set({ topic, partition }, originalOffset);
    for (const [at, next] of this.batchOffsets.entries()) this.markProcessed(at, left.get(at) ?? next);
  }

  private markProcessed(at: TopicPartition, next: number): void {
    this.offsets.markProcessed(at, next);
    this.parts.consumer.lags?.of(at)?.processedTo(next, Date.now());
  }

  private dropBatch(): void {
    this.batch = [];
    this.texts = [];
    this.bisection = null;
    this.retrying = false;
    this.batchOffsets.clear();
    this.pauses.redelivery = false;
  }

  private throwFailure(): void {
    const failure = this.parts.failure();
    if (failure !== null) throw failure;
  }
}

/** The offset after its last record. */
export function endOf({ records }: FetchedBatch): number {
  return (records[records.length - 1]?.offset ?? -1) + 1;
}
