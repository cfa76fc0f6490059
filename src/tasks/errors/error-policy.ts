/**
 * Retries, tolerance and reports for records whose conversion or delivery fails. Successful records never get here and
 * cost nothing. Source: connect-runtime §4.6.
 */
import { ConnectError, isConfigError, isRetriable, type SourceRecord, messageOf, monotonicNow } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { ErrorMetrics } from '../../metrics/error-metrics';
import type { ErrorSettings } from './error-settings';
import { failureLine, type Consumed, type FailedRecord, type FailureReporter, type Stage } from './failed-record';
import { quotedSentence } from '../trace';

const FIRST_DELAY_MS = 300;

/** Delay before attempt `attempt` + 1: doubles from 300 ms; above the cap it is random below the cap. */
export function retryDelay(attempt: number, capMs: number, random = Math.random()): number {
  const delay = FIRST_DELAY_MS * 2 ** (attempt - 1);
  return delay > capMs ? Math.floor(random * capMs) : delay;
}

export interface Operation<T> {
  readonly stage: Stage;
  readonly className: string;
  run(): T | Promise<T>;
  readonly source?: SourceRecord;
  readonly consumed?: Consumed;
}

export interface ErrorPolicyOptions {
  readonly connector: string;
  readonly settings: ErrorSettings;
  readonly reporters: readonly FailureReporter[];
  readonly metrics: ErrorMetrics;
  /** Ends early when the task is stopped. */
  sleep(ms: number): Promise<void>;
  /** True once the task is stopped: no further retries. */
  stopping(): boolean;
  readonly now?: () => number;
}

/**
 * The task was stopped between two retries, or has something else to do while a converter waits. The record is neither
 * processed nor failed: it is delivered again, after the next start or later.
 */
export class RetryInterrupted extends Error {}

/** Whether the task must end with the error, whatever happens to failed records: other ones would get it, too. */
export function endsTask(error: unknown): boolean {
  return error instanceof RetryInterrupted || isConfigError(error);
}

export class ErrorPolicy {
  private readonly now: () => number;
  constructor(private readonly options: ErrorPolicyOptions) {
    this.now = options.now ?? monotonicNow;
  }

  get tolerant(): boolean {
    return this.options.settings.tolerance === 'all';
  }

  /**
   * Call after `operation` has failed with `error`. Returns the value of a successful retry, or null when the record is
   * skipped. Throws when the task must fail, and RetryInterrupted when the task is stopped meanwhile.
   */
  async recover<T>(operation: Operation<T>, error: unknown): Promise<{ value: T } | null> {
    const { metrics } = this.options;
    const { retryTimeoutMs, retryDelayMaxMs } = this.options.settings;
    const deadline = this.now() + retryTimeoutMs;
    let last = error;
    metrics.failures.add();
    for (let attempt = 1; isRetriable(last) && this.now() < deadline; attempt++) {
      if (!this.options.stopping())
        await this.options.sleep(Math.min(retryDelay(attempt, retryDelayMaxMs), deadline - this.now()));
      if (this.options.stopping()) throw new RetryInterrupted();
      metrics.retries.add();
      try {
        return { value: await operation.run() };
      } catch (again) {
        if (endsTask(again)) throw again;
        last = again;
        metrics.failures.add();
      }
    }
    this.giveUp({ ...operation, error: last });
    return null;
  }

  /**
   * Reports the record; throws unless failures are tolerated. Java skips a record whose retries are exhausted even with
   * `none`; we fail the task.
   */
  giveUp(failure: FailedRecord): void {
    this.options.metrics.gaveUp(this.tolerant);
    // A dead letter that cannot be written fails the task through `DeadLetters.failure`.
    this.notifyReporters(failure).catch(() => undefined);
    if (!this.tolerant) throw this.exceeded(failure);
  }

  /**
   * Reports a record that cannot be retried. Resolves when every reporter has written it, rejects when one cannot.
   */
  async report(failure: FailedRecord): Promise<void> {
    this.options.metrics.refused(this.tolerant);
    await this.notifyReporters(failure);
  }

  /** The error of a task that fails with the record. */
  exceeded(failure: FailedRecord): ConnectError {
    return toleranceExceeded(failure, this.options.connector);
  }

  /** False: failed records are only counted. */
  get reports(): boolean {
    return this.options.reporters.length > 0;
  }

  /**
   * Skips a record that the task rejects, whatever the tolerance. Null: there is nothing to report. A dead letter that
   * cannot be written fails the task through `DeadLetters.failure`.
   */
  setAside(failure: FailedRecord | null): void {
    this.options.metrics.failures.add();
    this.options.metrics.gaveUp(true);
    if (failure !== null) this.notifyReporters(failure).catch(() => undefined);
  }

  private async notifyReporters(failure: FailedRecord): Promise<void> {
    await Promise.all(this.options.reporters.map(async (reporter) => reporter.report(failure)));
  }
}

export function toleranceExceeded(
  { stage, className, error, consumed, source }: FailedRecord,
  connector: string,
): ConnectError {
  // Identifies one of several transformations.
  const what = stage === 'TRANSFORMATION' ? `${stage} with ${className}` : stage;
  const topic = consumed?.topic ?? source?.topic;
  const place: Record<string, string | number> = topic === undefined ? {} : { topic };
  if (consumed) Object.assign(place, { partition: consumed.partition, offset: consumed.record.offset });
  return new ConnectError(
    `Tolerance exceeded in error handler: ${what} failed: ${quotedSentence(messageOf(error), connector)} Correct the record or the connector's settings, ` +
      (consumed
        ? 'or keep such records aside with errors.tolerance=all and errors.deadletterqueue.topic.name.'
        : 'or skip such records with errors.tolerance=all, and log them with errors.log.enable=true.'),
    { code: 'TOLERANCE_EXCEEDED', cause: error, place },
  );
}

/** Writes failed records to the worker's log. Source: connect-runtime §4.6. */
export class LogReporter implements FailureReporter {
  constructor(
    private readonly logger: Logger,
    private readonly task: string,
    private readonly settings: ErrorSettings,
    private readonly metrics: ErrorMetrics,
  ) {}

  report(failure: FailedRecord): void {
    this.metrics.logged.add();
    this.logger.error(failureLine(this.task, failure, this.settings.logMessages), { error: failure.error });
  }
}
