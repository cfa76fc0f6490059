/** Backoff of partitions whose files cannot be written, for instance because the disk is full. */
import { ConnectError, type Logger, monotonicNow } from '@millrace/sdk';
import type { AnalyticsSettings } from './config/settings';
import type { AssignedPartition } from './partition';

interface DiskFailure {
  readonly since: number;
  waitUntil: number;
}

export class DiskBackoff {
  private readonly failures = new Map<AssignedPartition, DiskFailure>();

  constructor(
    private readonly retry: AnalyticsSettings['retry'],
    private readonly logger: Logger,
    private readonly now: () => number = monotonicNow,
  ) {}

  succeeded(partition: AssignedPartition): void {
    if (this.failures.size > 0 && !this.isWaiting(partition)) this.failures.delete(partition);
  }

  /** @throws ConnectError `ANALYTICS_DISK` when the partition has failed for longer than the retry time. */
  failed(partition: AssignedPartition, error: Error): void {
    const { topic, partition: number } = partition.id;
    const failure = this.failures.get(partition) ?? { since: this.now(), waitUntil: 0 };
    if (this.now() + this.retry.backoffMs > failure.since + this.retry.maxMs)
      throw new ConnectError(`Cannot write records to the staging folder: ${error.message}`, {
        code: 'ANALYTICS_DISK',
        cause: error,
        place: { topic, partition: number },
      });
    failure.waitUntil = this.now() + this.retry.backoffMs;
    this.failures.set(partition, failure);
    this.logger.warn(
      `Cannot write records of ${topic}-${number} to the staging folder, retrying in ${this.retry.backoffMs} ms: ${error.message}`,
    );
  }

  isWaiting(partition: AssignedPartition): boolean {
    return this.now() < (this.failures.get(partition)?.waitUntil ?? 0);
  }
}
