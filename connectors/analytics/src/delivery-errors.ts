/**
 * Handles records and files that cannot be delivered: fails the task, drops them, or sends them to the dead letter
 * queue. Source: analytics-sink §4.6.
 */
import { ConnectError, type Logger, sleep, monotonicNow } from '@millrace/sdk';
import type { RawRecord } from './batcher/record-log';
import type { AnalyticsSettings } from './config/settings';
import type { DeadLetterPlace, DeadLetterQueue } from './dead-letters/dead-letter-queue';
import type { SinkMetrics } from './sink-metrics';
import { ServiceError } from './service/service-error';
import { retryDelayMs } from './service/retry-policy';

const IGNORED_LOG_INTERVAL_MS = 60_000;

interface Undeliverable {
  /** Called for each attempt. */
  readonly records: () => AsyncIterable<RawRecord> | Iterable<RawRecord>;
  readonly count: number;
  readonly place: DeadLetterPlace;
  /** E.g. `t-0 offsets 5 to 9`. */
  readonly what: string;
  readonly error: Error;
  /** Aborted when the partition is revoked. */
  readonly signal: AbortSignal;
}

export class DeliveryErrors {
  /** Thrown by the next `put`. */
  fatal: ConnectError | null = null;
  private ignored = 0;
  private ignoredSince = -Infinity;

  constructor(
    private readonly settings: Pick<AnalyticsSettings, 'onError' | 'retry'>,
    private readonly deadLetters: DeadLetterQueue | null,
    private readonly metrics: Pick<SinkMetrics, 'deadLetters' | 'recordsDropped'>,
    private readonly logger: Logger,
  ) {}

  /** Resolves to whether the offsets of the records may be committed. Never rejects. */
  async handle(undeliverable: Undeliverable): Promise<boolean> {
    const { what, error, count, place } = undeliverable;
    if (this.settings.onError === 'fail') {
      this.fatal ??= new ConnectError(
        `${what} could not be delivered to ${place.database}.${place.table}: ${error.message}`,
        {
          code: 'ANALYTICS_DELIVERY',
          cause: error,
          place: { topic: place.topic, partition: place.partition, table: `${place.database}.${place.table}` },
        },
      );
      return false;
    }
    if (this.deadLetters && !(await this.deadLetter(undeliverable, this.deadLetters))) return false;
    (this.deadLetters ? this.metrics.deadLetters : this.metrics.recordsDropped).add(count);
    this.report(undeliverable, this.deadLetters ? 'sent to the dead letter queue' : 'dropped', count);
    return true;
  }

  private async deadLetter(
    { records, place, error, what, signal }: Undeliverable,
    queue: DeadLetterQueue,
  ): Promise<boolean> {
    let firstFailureAt = 0;
    for (let failures = 1; ; failures++) {
      try {
        await queue.send(records(), place, error, signal);
        return true;
      } catch (caught) {
        if (signal.aborted) return false;
        firstFailureAt ||= monotonicNow();
        const failure = new ServiceError((caught as Error).message, 'transient', { cause: caught });
        const situation = { error: failure, failures, firstFailureAt, now: monotonicNow(), random: Math.random() };
        const wait = retryDelayMs(this.settings.retry, situation);
        if (wait === null) {
          this.fatal ??= new ConnectError(
            `${what} can neither be delivered nor sent to the dead letter queue: ${failure.message}`,
            { code: 'ANALYTICS_DEAD_LETTERS', cause: caught },
          );
          return false;
        }
        await sleep(wait, signal);
      }
    }
  }

  private report({ what, error, place }: Undeliverable, end: string, count: number): void {
    const text = `${what} could not be delivered to ${place.database}.${place.table} and ${count === 1 ? 'was' : 'were'} ${end}: ${error.message}`;
    if (this.settings.onError === 'log') {
      this.logger.error(text, { records: count });
      return;
    }
    this.ignored += count;
    if (monotonicNow() - this.ignoredSince < IGNORED_LOG_INTERVAL_MS) return;
    this.logger.warn(`${this.ignored} record(s) could not be delivered; the last one: ${text}`);
    this.ignored = 0;
    this.ignoredSince = monotonicNow();
  }
}
