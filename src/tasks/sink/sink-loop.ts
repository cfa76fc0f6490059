/**
 * poll → convert → put, with commits in between. Everything the task implements is called from here, one call at a
 * time; the consumer calls the rebalance listener inside `poll`. Source: connect-runtime §5.2 to §5.7.
 */
import {
  isRetriable,
  type SinkRecord,
  type SinkTask,
  type TopicPartition,
  type TopicPartitionOffset,
  yieldToEventLoop,
  messageOf,
} from '@millrace/sdk';
import type { FetchedBatch, GroupConsumer, RebalanceListener } from '../../kafka/port';
import type { Logger } from '../../logging/logger';
import type { TaskMetrics } from '../../metrics/task-metrics';
import type { CallClock } from '../call-clock';
import type { DeadLetters } from '../errors/dead-letters';
import type { ErrantRecords } from './errant-records';
import { RetriesCutShort } from '../errors/error-policy';
import type { OffsetHolds } from '../errors/offset-holds';
import { PartitionMap } from '../partition-map';
import { SinkCommits } from './sink-commits';
import { includes, SinkOffsets } from './sink-offsets';
import { SinkPauses } from './sink-pauses';
import type { WorkLease } from '../session-lease';
import type { SinkConversion } from './sink-conversion';

/**
 * Between two tries of a batch, unless the task asks for less. Java waits until the next commit is due, up to a minute.
 */
const REDELIVERY_MS = 1000;
/** Between two looks at a lease that does not hold. */
const LEASE_MS = 100;

export interface SinkLoopParts {
  readonly task: SinkTask;
  readonly calls: CallClock;
  readonly lease: WorkLease;
  /** Ends early when the task is told to stop. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly consumer: GroupConsumer;
  readonly conversion: SinkConversion;
  readonly errants: ErrantRecords | null;
  readonly deadLetters: DeadLetters | null;
  readonly holds: OffsetHolds;
  readonly flushIntervalMs: number;
  readonly flushTimeoutMs: number;
  readonly metrics: TaskMetrics;
  readonly logger: Logger;
  onTopicActive(topic: string): void;
  onPaused(): void;
  onResumed(): void;
}

export class SinkLoop implements RebalanceListener {
  private readonly offsets = new SinkOffsets();
  private readonly pauses: SinkPauses;
  private readonly commits: SinkCommits;
  private readonly active = new Set<string>();
  private readonly rewinds = new PartitionMap<number>();
  /** Converted and not yet put; kept while the task asks for it again. */
  private batch: SinkRecord[] = [];
  /** What is processed once `batch` is put, skipped records included. */
  private readonly batchOffsets = new PartitionMap<number>();
  private rebalanceError: unknown;
  private stopping = false;
  private closed = false;
  private wantPaused = false;
  /** Set by the task for one poll. */
  private timeoutMs: number | null = null;

  constructor(private readonly parts: SinkLoopParts) {
    this.pauses = new SinkPauses(parts.consumer);
    this.commits = new SinkCommits(parts, this.offsets);
  }

  stop(): void {
    this.stopping = true;
    this.parts.consumer.wakeup();
  }

  get isStopping(): boolean {
    return this.stopping;
  }

  pause(): void {
    this.wantPaused = true;
    this.parts.consumer.wakeup();
  }

  resume(): void {
    this.wantPaused = false;
    this.parts.consumer.wakeup();
  }

  forgetTopic(topic: string): void {
    this.active.delete(topic);
  }

  /** No commits from now on: another worker may own the partitions. */
  cancel(): void {
    this.closed = true;
    this.commits.cancel();
    this.stop();
  }

  // ------------------------------------------------------------ what the task's context offers

  seek({ topic, partition, offset }: TopicPartitionOffset): void {
    this.rewinds.set({ topic, partition }, offset);
  }
  limitNextPoll(ms: number): void {
    this.timeoutMs = ms;
  }
  pausePartitions(partitions: readonly TopicPartition[]): void {
    this.requireAssigned(partitions);
    this.pauses.pauseByTask(partitions);
  }
  resumePartitions(partitions: readonly TopicPartition[]): void {
    this.requireAssigned(partitions);
    this.pauses.resumeByTask(partitions);
  }
  requestCommit(): void {
    this.commits.request();
  }

  /** The dead letters' part: `poll` need not wait any longer. */
  deadLettersMoved(): void {
    if (this.commits.released() || this.pauses.deadLetters || this.failure !== null) this.parts.consumer.wakeup();
  }

  // ------------------------------------------------------------ the loop

  /** Resolves when stopped; rejects when the task has to fail. Partitions are closed and committed in both cases. */
  async run(): Promise<void> {
    let failure: { error: unknown } | null = null;
    try {
      while (!this.stopping) await this.turn();
    } catch (error) {
      if (!(error instanceof RetriesCutShort)) failure = { error };
    }
    try {
      await this.closePartitions(this.parts.consumer.assignment());
    } catch (error) {
      if (failure) this.parts.logger.error(`close() of the task threw as well: ${messageOf(error)}`, { error });
      failure ??= { error };
    }
    this.closed = true;
    if (failure) throw failure.error;
  }

  private async turn(): Promise<void> {
    await this.untilLeaseHolds();
    if (this.stopping) return;
    this.followPause();
    this.pauses.deadLetters = this.parts.deadLetters?.congested ?? false;
    if (await this.commits.ifDue(this.parts.consumer.assignment())) this.rewindToCommitted();
    this.applyRewinds();
    const fetched = await this.parts.consumer.poll(this.pollTimeout());
    if (this.rebalanceError !== undefined) throw this.rebalanceError;
    this.throwFailure();
    for (const batch of fetched) await this.convert(batch);
    await this.untilLeaseHolds();
    // While paused a batch that waits to be put again goes on waiting.
    const waiting = this.pauses.redelivery && (this.pauses.connector || this.pauses.deadLetters);
    if (!this.stopping && !waiting) await this.deliver();
    await yieldToEventLoop();
  }

  /** A failed record that the task may not go on after. */
  private get failure(): Error | null {
    return this.parts.errants?.failure ?? this.parts.deadLetters?.failure ?? null;
  }

  private throwFailure(): void {
    if (this.failure !== null) throw this.failure;
  }

  /** While the worker may have lost its place, nothing is put or committed: others may be doing it. */
  private async untilLeaseHolds(): Promise<void> {
    while (!this.stopping && !this.parts.lease.holds) await this.parts.sleep(LEASE_MS);
  }

  private pollTimeout(): number {
    const untilCommit = this.commits.untilDue();
    const limit = this.timeoutMs ?? (this.pauses.redelivery ? REDELIVERY_MS : Infinity);
    this.timeoutMs = null;
    return Math.max(0, Math.min(untilCommit, limit));
  }

  private async convert(batch: FetchedBatch): Promise<void> {
    const first = batch.records[0];
    const last = batch.records[batch.records.length - 1];
    if (!first || !last) return;
    this.offsets.startIfUnknown(batch, first.offset);
    this.parts.metrics.sink.consumed(batch.records.length, this.offsets.consumed(batch, last.offset + 1));
    await this.parts.conversion.convert(batch, this.batch);
    this.batchOffsets.set(batch, last.offset + 1);
    if (this.active.has(batch.topic)) return;
    this.active.add(batch.topic);
    this.parts.onTopicActive(batch.topic);
  }

  private async deliver(): Promise<void> {
    const began = performance.now();
    try {
      await this.parts.calls.during('put', () => this.parts.task.put(this.batch));
    } catch (error) {
      if (!isRetriable(error)) throw error;
      this.parts.logger.warn(`put() failed and gets the same ${this.batch.length} records again: ${messageOf(error)}`, {
        error,
      });
      this.pauses.redelivery = true;
      return;
    }
    // Before the batch counts as processed: the record that fails the task is in it, and comes again.
    this.throwFailure();
    this.parts.metrics.put(this.batch.length, performance.now() - began);
    for (const [partition, next] of this.batchOffsets.entries()) this.offsets.processed(partition, next);
    this.dropBatch();
  }

  private dropBatch(): void {
    this.batch = [];
    this.batchOffsets.clear();
    this.pauses.redelivery = false;
  }

  private followPause(): void {
    if (this.wantPaused === this.pauses.connector) return;
    this.pauses.connector = this.wantPaused;
    if (this.wantPaused) {
      this.commits.request();
      this.parts.onPaused();
    } else {
      this.parts.onResumed();
    }
  }

  /** The task refused the commit: it gets everything since the last one again. */
  private rewindToCommitted(): void {
    for (const to of this.offsets.rewind(this.parts.consumer.assignment())) this.parts.consumer.seek(to);
    this.dropBatch();
    this.parts.metrics.sink.activate(this.offsets.uncommitted());
  }

  private applyRewinds(): void {
    const assigned = this.parts.consumer.assignment();
    for (const [partition, offset] of this.rewinds.entries()) {
      if (!includes(assigned, partition)) {
        this.parts.logger.warn(
          `seek() for ${partition.topic}-${partition.partition} is ignored: it is not assigned to this task`,
        );
        continue;
      }
      this.parts.consumer.seek({ ...partition, offset });
      this.offsets.start(partition, offset);
    }
    this.rewinds.clear();
  }

  // ------------------------------------------------------------ rebalances, called inside poll

  async onAssigned(partitions: readonly TopicPartition[]): Promise<void> {
    if (this.closed) return;
    this.parts.metrics.sink.partitions.add(partitions.length);
    for (const partition of partitions) {
      const position = this.parts.consumer.position(partition);
      if (position !== undefined) this.offsets.start(partition, position);
    }
    this.pauses.apply();
    if (partitions.length === 0) return;
    await this.guard(async () => {
      await this.parts.task.open?.(partitions);
      this.applyRewinds();
    });
  }

  async onRevoked(partitions: readonly TopicPartition[]): Promise<void> {
    if (this.closed || partitions.length === 0) return;
    await this.guard(() => this.closePartitions(partitions));
  }

  async onLost(partitions: readonly TopicPartition[]): Promise<void> {
    if (this.closed || partitions.length === 0) return;
    await this.guard(() => this.lose(partitions));
  }

  private async lose(partitions: readonly TopicPartition[]): Promise<void> {
    this.forget(partitions);
    await this.parts.task.close?.(partitions);
  }

  private async closePartitions(partitions: readonly TopicPartition[]): Promise<void> {
    if (this.closed || partitions.length === 0) return;
    if (!this.parts.lease.holds) return await this.lose(partitions);
    try {
      await this.commits.closing(partitions);
    } finally {
      this.forget(partitions);
    }
  }

  private forget(partitions: readonly TopicPartition[]): void {
    this.offsets.forget(partitions);
    this.parts.metrics.sink.partitions.add(-partitions.length);
    this.parts.metrics.sink.activate(this.offsets.uncommitted());
    this.pauses.forget(partitions);
    this.batch = this.batch.filter(
      ({ originalTopic: topic, originalPartition: partition }) => !includes(partitions, { topic, partition }),
    );
    for (const partition of partitions) {
      this.batchOffsets.delete(partition);
      this.rewinds.delete(partition);
    }
    if (this.batch.length === 0) this.pauses.redelivery = false;
  }

  /** The group protocol goes on; the task fails when `poll` has returned. */
  private async guard(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.rebalanceError ??= error;
    }
  }

  private requireAssigned(partitions: readonly TopicPartition[]): void {
    const assigned = this.parts.consumer.assignment();
    const foreign = partitions.find((p) => !includes(assigned, p));
    if (foreign) throw new Error(`Partition ${foreign.topic}-${foreign.partition} is not assigned to this task`);
  }
}
