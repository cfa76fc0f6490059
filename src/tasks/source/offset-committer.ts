/**
 * Stores source offsets every `offset.flush.interval.ms` and once more at the end. A commit that fails or takes too
 * long never fails the task: what it held is tried again with the next one. Source: connect-runtime §4.7.
 */
import {
  ConnectError,
  type SourceOffset,
  type SourcePartition,
  type SourceTask,
  startTimer,
  settledWithin,
  messageOf,
} from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { TaskMetrics } from '../../metrics/task-metrics';
import type { OffsetStorage } from '../host';
import type { Committable, OffsetTracker } from './offset-tracker';
import type { WorkLease } from '../session-lease';

export interface OffsetCommitterOptions {
  readonly connector: string;
  readonly tracker: OffsetTracker;
  readonly storage: OffsetStorage;
  readonly lease: WorkLease;
  readonly task: SourceTask;
  readonly metrics: TaskMetrics;
  readonly logger: Logger;
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

const LATE = Symbol('late');

export class OffsetCommitter {
  /** Taken from the tracker and not yet stored, by its queue number. */
  private pending = new Map<number, Committable>();
  /** Who waits for one of these. */
  private waiting: (() => void)[] = [];
  private running: Promise<boolean> | null = null;
  private timer: NodeJS.Timeout | null = null;
  private ended = false;

  constructor(private readonly options: OffsetCommitterOptions) {}

  /** Commits from now on, each `intervalMs` after the end of the one before. */
  start(): void {
    this.timer = startTimer(() => {
      void this.commit().then(() => {
        if (!this.ended) this.start();
      });
    }, this.options.intervalMs);
  }

  /** No further scheduled commits; resolves when a running one is through. */
  async stop(): Promise<void> {
    this.ended = true;
    if (this.timer) clearTimeout(this.timer);
    await this.running;
  }

  /** False when it failed; the reason is in the log. Never rejects. */
  async commit(timeoutMs = this.options.timeoutMs): Promise<boolean> {
    // A loop, because several may wait for the same one: two at once could store an older offset after a newer one.
    while (this.running) await this.running;
    const began = Date.now();
    this.running = this.flush(timeoutMs);
    try {
      const stored = await this.running;
      this.options.metrics.committed(stored, Date.now() - began);
      return stored;
    } finally {
      this.running = null;
    }
  }

  private async flush(timeoutMs: number): Promise<boolean> {
    // Another worker may have the task by now, and have stored what comes after.
    if (!this.options.lease.holds) return false;
    for (const [queue, committable] of this.options.tracker.take()) this.pending.set(queue, committable);
    const flushing = this.pending;
    this.pending = new Map();
    const waiting = this.waiting.concat(this.options.tracker.takeReached());
    this.waiting = [];
    try {
      if (flushing.size > 0) await this.write([...flushing.values()], timeoutMs);
    } catch (error) {
      this.options.logger.error(
        `Offsets of ${this.options.connector} could not be stored and are tried again: ${messageOf(error)}`,
        { error },
      );
      // Newer ones, taken meanwhile, win.
      this.pending = new Map([...flushing, ...this.pending]);
      this.waiting.unshift(...waiting);
      return false;
    }
    await this.tellTask(flushing);
    for (const onStored of waiting) onStored();
    return true;
  }

  private async write(committables: readonly Committable[], timeoutMs: number): Promise<void> {
    for (const { offset } of committables) checkOffset(offset);
    const writing = this.options.storage.write(
      this.options.connector,
      committables.map(({ partition, offset }) => [partition, offset] as const),
    );
    if ((await settledWithin(writing, timeoutMs, LATE)) === LATE) {
      throw new ConnectError(
        `Timed out after ${timeoutMs} ms (offset.flush.timeout.ms) while waiting for Kafka to store them.`,
        {
          code: 'OFFSET_FLUSH_TIMEOUT',
        },
      );
    }
  }

  private async tellTask(stored: ReadonlyMap<number, Committable>): Promise<void> {
    if (!this.options.task.commit) return;
    const offsets = new Map<SourcePartition, SourceOffset | null>();
    for (const { partition, offset } of stored.values()) if (partition !== null) offsets.set(partition, offset);
    try {
      await this.options.task.commit(offsets);
    } catch (error) {
      this.options.logger.error(`commit() of the task threw, which is ignored: ${messageOf(error)}`, { error });
    }
  }
}

/** Offsets hold primitive values only; anything else could not be read back. */
function checkOffset(offset: SourceOffset | null): void {
  for (const [key, value] of Object.entries(offset ?? {})) {
    const primitive = value === null || ['boolean', 'number', 'bigint', 'string'].includes(typeof value);
    if (primitive || value instanceof Uint8Array) continue;
    throw new ConnectError(
      `The source offset's member "${key}" is not a primitive value: offsets may hold null, boolean, number, bigint, string and bytes.`,
      { code: 'OFFSET_NOT_PRIMITIVE' },
    );
  }
}
