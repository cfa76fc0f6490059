/** Pauses partitions with too many files in flight or a failing disk, and resumes them. Source: analytics-sink §4.3. */
import { type SinkTaskContext, monotonicNow } from '@millrace/sdk';
import type { DiskBackoff } from './disk-backoff';
import { type AssignedPartition, partitionKey } from './partition';

/** Interval at which `put` checks the background deliveries. */
const CHECK_INTERVAL_MS = 250;

export class PartitionPauses {
  constructor(
    private readonly context: Pick<SinkTaskContext, 'pause' | 'resume' | 'assignment' | 'timeout' | 'signal'>,
    private readonly diskBackoff: DiskBackoff,
    private readonly maxInflightFiles: number,
  ) {}

  /** At the end of a `put`, the next of which it schedules. */
  update(partitions: Iterable<AssignedPartition>): void {
    let next = Infinity;
    for (const partition of partitions) {
      const waits = this.diskBackoff.isWaiting(partition);
      if (!partition.isPaused && (waits || partition.isFull(this.maxInflightFiles))) {
        partition.isPaused = true;
        this.context.pause([partition.id]);
      } else this.resumeIfRoom(partition);
      const busy = waits || partition.shipments.size > 0 || partition.isPaused;
      next = Math.min(next, partition.batcher.dueAt - monotonicNow(), busy ? CHECK_INTERVAL_MS : Infinity);
    }
    if (next !== Infinity) this.context.timeout(Math.max(1, Math.ceil(next)));
  }

  /** Also when a delivery ends: a paused partition gets no `put` until the next check. */
  resumeIfRoom(partition: AssignedPartition): void {
    const { id, owner } = partition;
    if (!partition.isPaused || !partition.hasRoom(this.maxInflightFiles) || this.diskBackoff.isWaiting(partition))
      return;
    if (owner.signal.aborted || this.context.signal.aborted) return;
    // It may have been lost, which the task is told later.
    if (!this.context.assignment().some((at) => partitionKey(at) === partitionKey(id))) return;
    partition.isPaused = false;
    this.context.resume([id]);
  }
}
