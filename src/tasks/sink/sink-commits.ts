/** When and how a sink task's offsets are committed. Source: connect-runtime §5.2, §5.5. */
import {
  checkPreCommit,
  type SinkTask,
  type TopicPartition,
  type TopicPartitionOffset,
  settledWithin,
  messageOf,
} from '@millrace/sdk';
import type { GroupConsumer } from '@millrace/kafka-client';
import type { Logger } from '../../logging/logger';
import type { TaskMetrics } from '../../metrics/task-metrics';
import type { CallClock } from '../call-clock';
import type { DeadLetters } from '../errors/dead-letters';
import type { OffsetHolds } from '../errors/offset-holds';
import type { WorkLease } from '../session-lease';
import { includes, type SinkOffsets } from './sink-offsets';
import type { SinkPuts } from './sink-puts';

/**
 * Half of the default shutdown timeout; the other half is for the commit. Records not written by then are delivered
 * again.
 */
const DEAD_LETTERS_MS = 2500;
/** Failed records that are held for longer are logged. */
const LONG_HELD_MS = 10_000;

export interface SinkCommitDependencies {
  readonly connectorClass: string;
  readonly task: SinkTask;
  readonly calls: CallClock;
  readonly lease: WorkLease;
  readonly consumer: GroupConsumer;
  readonly deadLetters: DeadLetters | null;
  readonly holds: OffsetHolds;
  readonly flushIntervalMs: number;
  readonly flushTimeoutMs: number;
  readonly metrics: TaskMetrics;
  readonly logger: Logger;
}

/** Result of `preCommit`. */
interface PreCommit {
  readonly offsets: readonly TopicPartitionOffset[];
  /** Absolute, milliseconds. Null: nothing was processed, so `preCommit` was not called. */
  readonly began: number | null;
}

export class SinkCommits {
  private requested = false;
  private nextDue: number;
  /** Start of the commit in flight; null: none. */
  private startedAt: number | null = null;
  /** Responses to older commits are ignored. */
  private sequence = 0;
  /** The last commit was limited by failed records. */
  private heldBack = false;
  /** Kafka has not confirmed the newest offsets. */
  private unconfirmed = false;

  constructor(
    private readonly parts: SinkCommitDependencies,
    private readonly offsets: SinkOffsets,
    private readonly puts: Pick<SinkPuts, 'forgetPosition'>,
  ) {
    this.nextDue = performance.now() + parts.flushIntervalMs;
  }

  request(): void {
    this.requested = true;
  }

  /** Requests a commit if the offsets that the last one left out can be committed now. True: requested. */
  requestIfReleased(): boolean {
    if (!this.heldBack || this.parts.holds.size > 0) return false;
    this.requested = true;
    return true;
  }

  /** The next record of the partition is at `position`: offsets of an earlier log are forgotten. */
  resume(at: TopicPartition, position: number): void {
    if (!this.offsets.resume(at, position)) return;
    this.puts.forgetPosition(at);
    this.parts.logger.warn(
      `${at.topic}-${at.partition} is read again from offset ${position}: the topic was deleted and created again, or its log was truncated`,
    );
  }

  /** Milliseconds until the next commit is due. */
  msUntilDue(): number {
    return this.requested && this.startedAt === null ? 0 : Math.max(0, this.nextDue - performance.now());
  }

  /**
   * The periodic commit, sent without waiting for the response. True: `preCommit` failed, rewind to the committed
   * offsets.
   */
  async commitIfDue(assigned: readonly TopicPartition[]): Promise<boolean> {
    const now = performance.now();
    if (this.startedAt !== null && now >= this.startedAt + this.parts.flushTimeoutMs) {
      this.parts.logger.warn(`Offset commit timed out after ${this.parts.flushTimeoutMs} ms; the next one covers it`);
      this.startedAt = null;
    }
    if (this.startedAt !== null || (!this.requested && now < this.nextDue)) return false;
    this.requested = false;
    this.nextDue = now + this.parts.flushIntervalMs;
    const attempt = await this.preCommit(assigned);
    if (attempt === null) return true;
    this.send(this.limitByHolds(this.chooseOffsets(attempt.offsets, assigned)), attempt);
    return false;
  }

  /**
   * revoking, preCommit, close, dead letters, commit: the last steps before the partitions are revoked. Rejects when
   * `close` throws.
   */
  async commitAndClose(partitions: readonly TopicPartition[]): Promise<void> {
    await this.revoking(partitions);
    const attempt = await this.preCommit(partitions);
    // Chosen before `close`, which may process nothing more.
    let chosen: readonly TopicPartitionOffset[] = [];
    try {
      if (attempt !== null) chosen = this.chooseOffsets(attempt.offsets, partitions);
    } finally {
      const { task, calls } = this.parts;
      if (task.close) await calls.during('close', () => task.close?.(partitions));
    }
    // Each of the three calls may have reported records.
    await settledWithin(this.parts.deadLetters?.written() ?? Promise.resolve(), DEAD_LETTERS_MS, undefined);
    const offsets = this.limitByHolds(chosen);
    const sequence = ++this.sequence;
    this.startedAt = null;
    if (offsets.length === 0 || this.mayNotCommit) return this.recordCommit(attempt, true);
    this.setUnconfirmed(true);
    try {
      const gone = await this.parts.consumer.commit(offsets);
      if (sequence === this.sequence) this.markCommitted(offsets, gone);
      this.recordCommit(attempt, true);
    } catch (error) {
      this.recordCommit(attempt, false);
      this.parts.logger.error(
        `Offsets could not be committed while closing; records may be delivered again: ${messageOf(error)}`,
        { error },
      );
    } finally {
      this.setUnconfirmed(false);
    }
  }

  /** Lets the task finish deliveries before the partitions are revoked; the next owner delivers the rest. */
  private async revoking(partitions: readonly TopicPartition[]): Promise<void> {
    const { task, calls } = this.parts;
    if (!task.revoking) return;
    try {
      await calls.during('revoking', () => task.revoking?.(partitions));
    } catch (error) {
      this.parts.logger.error(`Ignoring an error of revoking(): ${messageOf(error)}`, { error });
    }
  }

  /** Null when `preCommit` failed, which is logged. */
  private async preCommit(partitions: readonly TopicPartition[]): Promise<PreCommit | null> {
    for (const at of partitions) {
      const position = this.parts.consumer.position(at);
      // Unless it was not known at assignment: then the first record sets it.
      if (position !== undefined && this.offsets.isStarted(at)) this.resume(at, position);
    }
    const processed = this.offsets.processedOf(partitions);
    if (processed.length === 0) return { began: null, offsets: [] };
    const { task, calls, logger, metrics } = this.parts;
    metrics.sink.commits.add();
    const began = performance.now();
    try {
      const offsets = await calls.during('preCommit', async () => {
        if (task.preCommit) return await task.preCommit(processed);
        await task.flush?.(processed);
        return processed;
      });
      return { began, offsets };
    } catch (error) {
      metrics.committed(false, performance.now() - began);
      logger.error(`preCommit() failed, no offsets are committed: ${messageOf(error)}`, { error });
      return null;
    }
  }

  /** Throws ConnectError `PRE_COMMIT_RESULT`. */
  private chooseOffsets(
    returned: readonly TopicPartitionOffset[],
    concerned: readonly TopicPartition[],
  ): readonly TopicPartitionOffset[] {
    const { consumer, connectorClass } = this.parts;
    const assigned = [...consumer.assignment(), ...concerned];
    // While a position is looked up, the log may be another one than that of the offsets.
    const known = concerned.filter((at) => consumer.position(at) !== undefined && !this.offsets.isGone(at));
    const { offsets, warnings } = this.offsets.choose(checkPreCommit(returned, connectorClass), known, assigned);
    for (const warning of warnings) this.parts.logger.warn(`${warning}; ignored`);
    return offsets;
  }

  private limitByHolds(offsets: readonly TopicPartitionOffset[]): readonly TopicPartitionOffset[] {
    const { holds, logger } = this.parts;
    const left = this.offsets.before(holds.lowestOffsets(), offsets);
    this.heldBack = left !== offsets;
    if (this.heldBack && holds.ageMs > LONG_HELD_MS) {
      logger.warn(
        `Offsets are committed only up to the first of ${holds.size} failed records, which is unreported for ${Math.round(holds.ageMs / 1000)} s: the dead letter topic accepts nothing, or put() has accepted no record since`,
      );
    }
    return left;
  }

  private send(offsets: readonly TopicPartitionOffset[], attempt: PreCommit): void {
    if (offsets.length === 0 || this.mayNotCommit) {
      this.setUnconfirmed(false);
      return this.recordCommit(attempt, true);
    }
    const sequence = ++this.sequence;
    this.startedAt = performance.now();
    this.setUnconfirmed(true);
    this.parts.consumer.commit(offsets).then(
      (gone) =>
        this.onCommitResponse(sequence, () => {
          this.setUnconfirmed(false);
          this.markCommitted(offsets, gone);
          this.recordCommit(attempt, true);
        }),
      (error: unknown) =>
        this.onCommitResponse(sequence, () => {
          this.recordCommit(attempt, false);
          this.parts.logger.error(`Offsets could not be committed; the next commit covers them: ${messageOf(error)}`, {
            error,
          });
        }),
    );
  }

  /** A call of the task, which has just returned, may have lasted until the task was cancelled or the session over. */
  private get mayNotCommit(): boolean {
    return !this.parts.lease.holds;
  }

  private markCommitted(offsets: readonly TopicPartitionOffset[], gone: readonly TopicPartition[]): void {
    if (gone.length > 0) {
      for (const partition of gone) this.offsets.markGone(partition);
      const topics = [...new Set(gone.map(({ topic }) => topic))].join(', ');
      this.parts.logger.warn(`Offsets of ${topics} are not committed any more: Kafka does not know the topic`);
    }
    this.offsets.markCommitted(gone.length === 0 ? offsets : offsets.filter((at) => !includes(gone, at)));
  }

  private onCommitResponse(sequence: number, then: () => void): void {
    if (sequence !== this.sequence) return this.parts.metrics.sink.commitSkipped();
    this.startedAt = null;
    then();
  }

  private setUnconfirmed(unconfirmed: boolean): void {
    if (this.unconfirmed === unconfirmed) return;
    this.unconfirmed = unconfirmed;
    this.parts.calls[unconfirmed ? 'begin' : 'end']('offset-commit');
  }

  /** As in Java, a commit without new offsets counts as successful. */
  private recordCommit(attempt: PreCommit | null, success: boolean): void {
    if (attempt === null || attempt.began === null) return;
    this.parts.metrics.committed(success, performance.now() - attempt.began);
    this.parts.metrics.sink.activate(this.offsets.uncommitted());
  }
}
