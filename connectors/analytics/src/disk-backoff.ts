/**
 * A disk that refuses, for instance because it is full: partitions wait and try again, until the time for that is over.
 */
import { ConnectError, type Logger } from '@millrace/sdk';
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
    private readonly now: () => number = Date.now,
  ) {}

  succeeded(partition: AssignedPartition): void {
    if (this.failures.size > 0 && !this.isWaiting(partition)) this.failures.delete(partition);
  }

  /** @throws ConnectError `ANALYTICS_DISK` when it has lasted too long. */
  failed(partition: AssignedPartition, error: Error): void {
    const { topic, partition: number } = partition.id;
    const failure = this.failures.get(partition) ?? { since: this.now(), waitUntil: 0 };
    if (this.now() + this.retry.backoffMs > failure.since + this.retry.maxMs)
      throw new ConnectError(`Records can not be written to the folder for files: ${error.message}`, {
        code: 'ANALYTICS_DISK',
        cause: error,
        place: { topic, partition: number },
      });
    failure.waitUntil = this.now() + this.retry.backoffMs;
    this.failures.set(partition, failure);
    this.logger.warn(
      `Records of ${topic}-${number} can not be written to the folder for files; the next try is in ${this.retry.backoffMs} ms: ${error.message}`,
    );
  }

  isWaiting(partition: AssignedPartition): boolean {
    return this.now() < (this.failures.get(partition)?.waitUntil ?? 0);
  }
}
