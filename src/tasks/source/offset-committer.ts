/**
 * Commits source offsets every `offset.flush.interval.ms` and once more at the end. A commit that fails or times out
 * never fails the task: the next one retries its offsets. Source: connect-runtime §4.7.
 */
import {
  ConnectError,
  type SourceOffset,
  type SourcePartition,
  type SourceTask,
  startTimer,
  settledWithin,
  messageOf,
  monotonicNow,
} from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { TaskMetrics } from '../../metrics/task-metrics';
import type { CallClock } from '../call-clock';
import type { OffsetStorage } from '../host';
import type { Committable, OffsetTracker } from './offset-tracker';
import type { WorkLease } from '../session-lease';

export interface OffsetCommitterOptions {
  readonly connector: string;
  readonly tracker: OffsetTracker;
  readonly storage: Pick<OffsetStorage, 'write'>;
  readonly lease: WorkLease;
  readonly task: SourceTask;
  readonly calls: Pick<CallClock, 'during'>;
  readonly metrics: TaskMetrics;
  readonly logger: Logger;
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

const LATE = Symbol('late');

export class OffsetCommitter {
  /** Taken from the tracker and not yet stored, by queue number. */
  private pending = new Map<number, Committable>();
  /** Callbacks for these offsets. */
  private waiting: (() => void)[] = [];
  private running: Promise<boolean> | null = null;
  /** The last write, while Kafka has not answered it. */
  private unanswered: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private ended = false;

  constructor(private readonly options: OffsetCommitterOptions) {}

  /** Starts periodic commits, each `intervalMs` after the previous one has finished. */
  start(): void {
    this.timer = startTimer(() => {
      void this.commit().then(() => {
        if (!this.ended) this.start();
      });
    }, this.options.intervalMs);
  }

  /** Stops periodic commits; resolves when a running one has finished. */
  async stop(): Promise<void> {
    this.ended = true;
    if (this.timer) clearTimeout(this.timer);
    await this.running;
  }

  /** False when it failed, which is logged. Never rejects. */
  async commit(timeoutMs = this.options.timeoutMs): Promise<boolean> {
    // A loop, because several calls may wait for one commit. Two at once could store an older offset last.
    while (this.running) await this.running;
    const began = monotonicNow();
    this.running = this.flush(timeoutMs);
    try {
      const stored = await this.running;
      this.options.metrics.committed(stored, monotonicNow() - began);
      return stored;
    } finally {
      this.running = null;
    }
  }

  private async flush(timeoutMs: number): Promise<boolean> {
    // Another worker may run the task by now and have stored newer offsets.
    if (!this.options.lease.holds) return false;
    for (const [queue, committable] of this.options.tracker.takeCommittable()) this.pending.set(queue, committable);
    const flushing = this.pending;
    this.pending = new Map();
    const waiting = this.waiting.concat(this.options.tracker.takeReached());
    this.waiting = [];
    try {
      if (flushing.size > 0) await this.write([...flushing.values()], timeoutMs);
    } catch (error) {
      this.options.logger.error(
        `Offsets of ${this.options.connector} could not be stored, retrying with the next commit: ${messageOf(error)}`,
        { error },
      );
      // Newer offsets, taken meanwhile, win.
      this.pending = new Map([...flushing, ...this.pending]);
      this.waiting.unshift(...waiting);
      return false;
    }
    await this.notifyTask(flushing);
    for (const onStored of waiting) onStored();
    return true;
  }

  /** One write at a time: while Kafka does not answer, further ones would fill the worker's buffer. */
  private async write(committables: readonly Committable[], timeoutMs: number): Promise<void> {
    const began = performance.now();
    await this.answered(this.unanswered, timeoutMs, timeoutMs);
    const writing = this.options.storage.write(
      this.options.connector,
      committables.map(({ partition, offset }) => [partition, offset] as const),
    );
    const unanswered = writing
      .catch(() => undefined)
      .then(() => {
        if (this.unanswered === unanswered) this.unanswered = null;
      });
    this.unanswered = unanswered;
    await this.answered(writing, Math.max(0, timeoutMs - (performance.now() - began)), timeoutMs);
  }

  private async answered(writing: Promise<void> | null, leftMs: number, timeoutMs: number): Promise<void> {
    if (writing === null || (await settledWithin<void, typeof LATE>(writing, leftMs, LATE)) !== LATE) return;
    throw new ConnectError(
      `Timed out after ${timeoutMs} ms (offset.flush.timeout.ms) while waiting for Kafka to store them.`,
      { code: 'OFFSET_FLUSH_TIMEOUT' },
    );
  }

  private async notifyTask(stored: ReadonlyMap<number, Committable>): Promise<void> {
    const { task, calls } = this.options;
    if (!task.commit) return;
    const offsets = new Map<SourcePartition, SourceOffset | null>();
    for (const { partition, offset } of stored.values()) if (partition !== null) offsets.set(partition, offset);
    try {
      await calls.during('commit', () => task.commit?.(offsets));
    } catch (error) {
      this.options.logger.error(`Ignoring an error of commit(): ${messageOf(error)}`, { error });
    }
  }
}
