/**
 * Ships sealed files concurrently, with retries, and reports the outcome of each. Sources: analytics-sink §4.3, §4.5.
 */
import { randomUUID } from 'node:crypto';
import { type Logger, sleep, monotonicNow, type TaskConnection } from '@millrace/sdk';
import { exists } from '../batcher/staging-folder';
import type { SealedFile } from '../batcher/staging-file';
import type { AnalyticsSettings } from '../config/settings';
import type { SinkMetrics } from '../sink-metrics';
import { asServiceError, type ServiceError } from '../service/service-error';
import { reportUnavailable } from '../service/unavailable';
import { tableOf } from './confirmed-target';
import { Semaphore } from './semaphore';
import { PartitionRevokedError, type Ownership } from './ownership';
import { retryDelayMs } from '../service/retry-policy';
import type { Target } from './target';

/** Files that only wait for their rows to appear do not count. */
const MAX_CONCURRENT_UPLOADS = 4;

type ShipmentEnd =
  | { readonly kind: 'delivered' }
  /** The partition was revoked before the file was posted. */
  | { readonly kind: 'abandoned' }
  /** The file is no longer on the disk: its records must be read again. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly error: ServiceError; readonly attempts: number; readonly sourceId: string };

interface ShipperOptions {
  readonly targetOf: (file: SealedFile) => Target;
  readonly retry: AnalyticsSettings['retry'];
  readonly metrics: Pick<
    SinkMetrics,
    'ingestionAttempts' | 'ingestionSuccesses' | 'ingestionFailures' | 'uncompressedBytes' | 'uploadedBytes'
  >;
  readonly logger: Logger;
  readonly connection: TaskConnection;
  readonly now?: () => number;
}

export class Shipper {
  private readonly uploads = new Semaphore(MAX_CONCURRENT_UPLOADS);
  private readonly now: () => number;

  constructor(private readonly options: ShipperOptions) {
    this.now = options.now ?? monotonicNow;
  }

  /** Never rejects. */
  async ship(file: SealedFile, owner: Ownership): Promise<ShipmentEnd> {
    const sourceId = randomUUID();
    const { metrics, connection } = this.options;
    let firstFailureAt = 0;
    for (let attempts = 1; ; attempts++) {
      try {
        await this.attempt(file, sourceId, owner);
        connection.up();
        metrics.ingestionSuccesses.add();
        metrics.uncompressedBytes.add(file.rawBytes);
        metrics.uploadedBytes.add(file.bytes);
        return { kind: 'delivered' };
      } catch (caught) {
        if (owner.signal.aborted || caught instanceof PartitionRevokedError) return { kind: 'abandoned' };
        metrics.ingestionFailures.add();
        if (!(await exists(file.path))) return { kind: 'missing' };
        const error = asServiceError(caught);
        firstFailureAt ||= this.now();
        const wait = retryDelayMs(this.options.retry, {
          error,
          failures: attempts,
          firstFailureAt,
          now: this.now(),
          random: Math.random(),
        });
        reportUnavailable(connection, `Files cannot be delivered to ${tableOf(file)}`, error, wait);
        if (wait === null) return { kind: 'failed', error, attempts, sourceId };
        this.options.logger.warn(
          `Cannot deliver ${file.name} to ${tableOf(file)}, retrying in ${Math.round(wait)} ms: ${error.message}`,
          { attempts, code: error.serviceCode ?? error.code },
        );
        await sleep(wait, owner.signal);
        if (owner.signal.aborted) return { kind: 'abandoned' };
      }
    }
  }

  private async attempt(file: SealedFile, sourceId: string, owner: Ownership): Promise<void> {
    const release = await this.uploads.acquire(owner.signal);
    try {
      this.options.metrics.ingestionAttempts.add();
      await this.options.targetOf(file).ship({ file, sourceId, owner, onAccepted: release });
    } finally {
      release();
    }
  }
}
