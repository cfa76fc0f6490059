/**
 * poll → convert → put, with commits in between. All methods of the task are called from here, one call at a time.
 * The consumer calls the rebalance listener inside `poll`. Source: connect-runtime §5.2 to §5.7.
 */
import {
  type SinkTask,
  type TopicPartition,
  type TopicPartitionOffset,
  yieldToEventLoop,
  messageOf,
} from '@millrace/sdk';
import type { FetchedBatch, GroupConsumer, RebalanceListener } from '@millrace/kafka-client';
import type { Logger } from '../../logging/logger';
import type { TaskMetrics } from '../../metrics/task-metrics';
import type { CallClock } from '../call-clock';
import type { DeadLetters } from '../errors/dead-letters';
import type { ErrantRecords } from './errant-records';
import type { ReportedCondition } from '../reported-condition';
import type { ConverterWait } from '../errors/converter-wait';
import { RetryInterrupted } from '../errors/error-policy';
import type { OffsetHolds } from '../errors/offset-holds';
import { PartitionMap } from '../partition-map';
import { SinkCommits } from './sink-commits';
import { includes, SinkOffsets } from './sink-offsets';
import { SinkPauses } from './sink-pauses';
import { endOf, SinkPuts } from './sink-puts';
import { splitBatches } from './split-batches';
import type { WorkLease } from '../session-lease';
import type { RejectedRecords } from './rejected-records';
import type { BatchConversion } from './sink-conversion';

/** Interval of checks while the lease does not hold. */
const LEASE_CHECK_MS = 100;
/**
 * How long a converter may keep the loop from polling. Other members of the group wait as long when they join or leave.
 */
const LONGEST_CONVERTER_WAIT_MS = 10_000;

export interface SinkLoopDependencies {
  readonly task: SinkTask;
  readonly connectorClass: string;
  readonly calls: CallClock;
  readonly lease: WorkLease;
  /** Ends early when the task is stopped. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Ends `sleep`, and the wait for a converter if there is something else to do. */
  readonly wake: () => void;
  readonly consumer: GroupConsumer;
  readonly maxPollIntervalMs: number;
  readonly maxPollRecords: number;
  readonly conversion: BatchConversion;
  readonly converterWait: Pick<ConverterWait, 'end'>;
  readonly errants: ErrantRecords;
  /** Null: a batch that `put` rejects fails the task. */
  readonly rejected: RejectedRecords | null;
  readonly deadLetters: DeadLetters | null;
  readonly holds: OffsetHolds;
  readonly flushIntervalMs: number;
  readonly flushTimeoutMs: number;
  readonly metrics: TaskMetrics;
  readonly condition: Pick<ReportedCondition, 'retrying' | 'succeeded'>;
  readonly logger: Logger;
  onTopicActive(topic: string): void;
  onPaused(): void;
  onResumed(): void;
  /** Before the partitions are closed, which may take long: `run` rejects afterwards. */
  onFailing(error: unknown): void;
}

export class SinkLoop implements RebalanceListener {
  private readonly offsets = new SinkOffsets();
  private readonly pauses: SinkPauses;
  private readonly commits: SinkCommits;
  private readonly puts: SinkPuts;
  private readonly activeTopics = new Set<string>();
  private readonly seeks = new PartitionMap<number>();
  private readonly topicIds = new PartitionMap<string>();
  private rebalanceError: unknown;
  private stopping = false;
  private closed = false;
  private pauseRequested = false;
  private polledAt = 0;
  /** Set by the task for one poll. */
  private timeoutMs: number | null = null;

  constructor(private readonly parts: SinkLoopDependencies) {
    this.pauses = new SinkPauses(parts.consumer);
    this.puts = new SinkPuts(
      { ...parts, stopping: () => this.stopping, failure: () => this.failure },
      this.offsets,
      this.pauses,
    );
    this.commits = new SinkCommits(parts, this.offsets, this.puts);
    parts.consumer.lags?.trackProcessing();
  }

  stop(): void {
    this.stopping = true;
    this.parts.consumer.wakeup();
  }

  get isStopping(): boolean {
    return this.stopping;
  }

  pause(): void {
    this.pauseRequested = true;
    this.parts.consumer.wakeup();
    this.parts.wake();
  }

  resume(): void {
    this.pauseRequested = false;
    this.parts.consumer.wakeup();
  }

  forgetTopic(topic: string): void {
    this.activeTopics.delete(topic);
  }

  /** Stops without further commits: another worker may own the partitions. */
  cancel(): void {
    this.closed = true;
    this.stop();
  }

  // ------------------------------------------------------------ methods of the task's context

  topicId(partition: TopicPartition): string | null {
    return this.topicIds.get(partition) ?? null;
  }
  seek({ topic, partition, offset }: TopicPartitionOffset): void {
    this.seeks.set({ topic, partition }, offset);
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

  /** Wakes `poll` when dead letters have been written or refused. */
  onDeadLettersChange(): void {
    if (this.commits.requestIfReleased() || this.pauses.deadLetters || this.failure !== null)
      this.parts.consumer.wakeup();
  }

  // ------------------------------------------------------------ the loop

  /** Resolves when stopped; rejects when the task must fail. Partitions are committed and closed in both cases. */
  async run(): Promise<void> {
    let failure: { error: unknown } | null = null;
    try {
      while (!this.stopping) await this.runOnce();
    } catch (error) {
      if (!this.stopping || !(error instanceof RetryInterrupted)) failure = { error };
    }
    if (failure) this.parts.onFailing(failure.error);
    try {
      await this.closePartitions(this.parts.consumer.assignment());
    } catch (error) {
      if (failure) this.parts.logger.error(`close() of the task failed as well: ${messageOf(error)}`, { error });
      failure ??= { error };
    }
    this.closed = true;
    if (failure) throw failure.error;
  }

  private async runOnce(): Promise<void> {
    await this.waitForLease();
    if (this.stopping) return;
    this.applyPause();
    this.pauses.deadLetters = this.parts.deadLetters?.congested ?? false;
    if (await this.commits.commitIfDue(this.parts.consumer.assignment())) this.rewindToCommitted();
    this.applySeeks();
    const fetched = await this.parts.consumer.poll(this.pollTimeout(), this.puts.pollTimes);
    if (this.rebalanceError !== undefined) throw this.rebalanceError;
    this.throwFailure();
    this.polledAt = performance.now();
    if (!(await this.putConsumed(fetched))) {
      await this.convertBatches(fetched);
      await this.deliver();
    }
    await yieldToEventLoop();
  }

  private async convertBatches(fetched: readonly FetchedBatch[]): Promise<void> {
    for (const [at, batch] of fetched.entries()) {
      if (await this.convertBatch(batch)) continue;
      this.giveBack(fetched.slice(at), this.parts.conversion.reached);
      break;
    }
  }

  /** Where the task does all of the processing, in the same call. False: all is left to be converted and put. */
  private async putConsumed(fetched: readonly FetchedBatch[]): Promise<boolean> {
    const batches = fetched.filter(({ records }) => records.length > 0);
    if (batches.length === 0 || !this.parts.conversion.isTasks) return false;
    await this.waitForLease();
    if (this.stopping) return false;
    for (const batch of batches) this.begin(batch);
    const put = await this.puts.deliverConsumed(batches);
    if (put === null) return false;
    const [taken, rest] = splitBatches(batches, put.taken);
    for (const batch of taken) {
      this.markConsumed(batch, endOf(batch));
      this.activate(batch);
    }
    const [left, others] = splitBatches(rest, put.left);
    this.giveBack(others);
    if (left.length === 0) return true;
    await this.convertBatches(left);
    await this.deliver();
    return true;
  }

  private async deliver(): Promise<void> {
    await this.waitForLease();
    if (!this.stopping && !this.puts.isHeld) await this.puts.deliver();
  }

  /** Why the task must fail, because of a failed record. */
  private get failure(): Error | null {
    const { errants, deadLetters, rejected } = this.parts;
    return errants.failure ?? deadLetters?.failure ?? rejected?.failure ?? null;
  }

  private throwFailure(): void {
    if (this.failure !== null) throw this.failure;
  }

  /** While the session may be lost, nothing is put or committed: other workers may run the task. */
  private async waitForLease(): Promise<void> {
    while (!this.stopping && !this.parts.lease.holds) await this.parts.sleep(LEASE_CHECK_MS);
  }

  /** How long the loop may wait for a converter until it has something else to do: 0 or less, now. */
  get converterWaitMs(): number {
    if (this.stopping || this.pauseRequested !== this.pauses.connector) return 0;
    const longest = Math.min(LONGEST_CONVERTER_WAIT_MS, this.parts.maxPollIntervalMs / 2);
    return this.polledAt + longest - performance.now();
  }

  private pollTimeout(): number {
    const untilCommit = this.commits.msUntilDue();
    const limit = this.timeoutMs ?? this.puts.redeliveryMs;
    this.timeoutMs = null;
    return Math.max(0, Math.min(untilCommit, limit));
  }

  /** False: a converter waits, and the loop has something else to do. Records from `conversion.reached` are left. */
  private async convertBatch(batch: FetchedBatch): Promise<boolean> {
    const first = batch.records[0];
    const last = batch.records[batch.records.length - 1];
    if (!first || !last) return true;
    this.begin(batch);
    let next = last.offset + 1;
    let converting = batch;
    try {
      if (this.puts.takesTexts && this.parts.conversion.readsTexts(batch)) this.puts.addTexts(batch);
      else {
        for (converting of this.puts.releaseTexts()) await this.convert(converting);
        converting = batch;
        await this.convert(batch);
      }
    } catch (error) {
      const isInterrupted = error instanceof RetryInterrupted;
      if (isInterrupted && !this.stopping && converting === batch) next = this.parts.conversion.reached;
      else {
        this.markConsumed(batch, next);
        if (!isInterrupted) await this.deliverBefore(batch, first.offset);
        throw error;
      }
    }
    if (next > first.offset) {
      this.markConsumed(batch, next);
      this.puts.reach(batch, next);
    }
    this.activate(batch);
    return next > last.offset;
  }

  /** Before its records are converted or put. */
  private begin(batch: FetchedBatch): void {
    this.commits.resume(batch, batch.records[0]?.offset ?? 0);
    if (batch.topicId !== undefined) this.topicIds.set(batch, batch.topicId);
  }

  private activate({ topic }: FetchedBatch): void {
    if (this.activeTopics.has(topic)) return;
    this.activeTopics.add(topic);
    this.parts.onTopicActive(topic);
  }

  private markConsumed(batch: FetchedBatch, next: number): void {
    const { records } = batch;
    const isWhole = next > (records[records.length - 1]?.offset ?? 0);
    const consumed = isWhole ? records.length : records.findIndex(({ offset }) => offset >= next);
    this.parts.metrics.sink.consumed(consumed, this.offsets.markConsumed(batch, next));
  }

  /**
   * They are consumed again later, so that the loop can do something else meanwhile.
   * @param from in the first of them (Default: its first record)
   */
  private giveBack(batches: readonly FetchedBatch[], from?: number): void {
    const { consumer } = this.parts;
    const assigned = consumer.assignment();
    // Of the batches of a partition, the first one counts.
    for (const [at, { topic, partition, records }] of [...batches.entries()].reverse()) {
      const offset = at === 0 && from !== undefined ? from : records[0]?.offset;
      if (offset !== undefined && includes(assigned, { topic, partition })) consumer.seek({ topic, partition, offset });
    }
  }

  private async convert(batch: FetchedBatch): Promise<void> {
    await this.parts.conversion.convertBatch(batch, this.puts.records);
  }

  /**
   * Delivers the records before the one that fails the task, so that the committed offset is that of the record: who
   * skips it then skips no other one. Without that, they are read again.
   */
  private async deliverBefore(batch: FetchedBatch, first: number): Promise<void> {
    const { conversion, logger } = this.parts;
    if (this.puts.records.length === 0) return;
    if (conversion.reached > first) this.puts.reach(batch, conversion.reached);
    try {
      await this.deliver();
    } catch (error) {
      logger.warn(`The records before the one that fails the task are not delivered: ${messageOf(error)}`, { error });
    }
  }

  private applyPause(): void {
    if (this.pauseRequested === this.pauses.connector) return;
    this.pauses.connector = this.pauseRequested;
    if (this.pauseRequested) {
      this.parts.converterWait.end();
      this.commits.request();
      this.parts.onPaused();
    } else {
      this.parts.onResumed();
    }
  }

  /** `preCommit` failed: everything since the last commit is delivered again. */
  private rewindToCommitted(): void {
    const assigned = this.parts.consumer.assignment();
    for (const to of this.offsets.rewind(assigned)) this.parts.consumer.seek(to);
    this.puts.rewind(assigned);
    this.parts.metrics.sink.activate(this.offsets.uncommitted());
  }

  private applySeeks(): void {
    const assigned = this.parts.consumer.assignment();
    for (const [partition, offset] of this.seeks.entries()) {
      if (!includes(assigned, partition)) {
        this.parts.logger.warn(
          `seek() for ${partition.topic}-${partition.partition} is ignored: the partition is not assigned to this task`,
        );
        continue;
      }
      this.parts.consumer.seek({ ...partition, offset });
      this.offsets.start(partition, offset);
    }
    this.seeks.clear();
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
    await this.captureError(async () => {
      if (this.parts.task.open) await this.parts.calls.during('open', () => this.parts.task.open?.(partitions));
      this.applySeeks();
    });
  }

  async onRevoked(partitions: readonly TopicPartition[]): Promise<void> {
    if (this.closed || partitions.length === 0) return;
    await this.captureError(() => this.closePartitions(partitions));
  }

  async onLost(partitions: readonly TopicPartition[]): Promise<void> {
    if (this.closed || partitions.length === 0) return;
    await this.captureError(() => this.dropPartitions(partitions));
  }

  private async dropPartitions(partitions: readonly TopicPartition[]): Promise<void> {
    this.forget(partitions);
    if (this.parts.task.close) await this.parts.calls.during('close', () => this.parts.task.close?.(partitions));
  }

  private async closePartitions(partitions: readonly TopicPartition[]): Promise<void> {
    if (this.closed || partitions.length === 0) return;
    if (!this.parts.lease.holds) return await this.dropPartitions(partitions);
    try {
      await this.commits.commitAndClose(partitions);
    } finally {
      this.forget(partitions);
    }
  }

  private forget(partitions: readonly TopicPartition[]): void {
    this.parts.converterWait.end();
    this.offsets.forget(partitions);
    this.parts.metrics.sink.partitions.add(-partitions.length);
    this.parts.metrics.sink.activate(this.offsets.uncommitted());
    this.pauses.forget(partitions);
    this.puts.forget(partitions);
    for (const partition of partitions) {
      this.seeks.delete(partition);
      this.topicIds.delete(partition);
    }
  }

  /** Lets the rebalance continue; the task fails when `poll` has returned. */
  private async captureError(run: () => Promise<void>): Promise<void> {
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
