/**
 * What happens when converting or sending a record fails: retries, tolerance, reports. Only failures come here; a
 * record that goes well costs nothing. Source: connect-runtime §4.6.
 */
import { ConnectError, isRetriable, type SourceRecord, messageOf } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { ErrorMetrics } from '../../metrics/error-metrics';
import type { ErrorSettings } from './error-settings';
import { failureLine, type Consumed, type FailedRecord, type FailureReporter, type Stage } from './failed-record';
import { sentence } from '../trace';

const FIRST_DELAY_MS = 300;

/** Delay before try `attempt` + 1: doubles from 300 ms; beyond the cap it is random below the cap. */
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
  readonly settings: ErrorSettings;
  readonly reporters: readonly FailureReporter[];
  readonly metrics: ErrorMetrics;
  /** Waits; ends early when the task is asked to stop. */
  sleep(ms: number): Promise<void>;
  /** True once the task is asked to stop: no further tries. */
  stopping(): boolean;
  readonly now?: () => number;
}

/**
 * A stop came between two tries: the record is neither done nor given up, and comes again with the next start. Ends the
 * loop's turn.
 */
export class RetriesCutShort extends Error {}

export class ErrorPolicy {
  private readonly now: () => number;
  constructor(private readonly options: ErrorPolicyOptions) {
    this.now = options.now ?? Date.now;
  }

  get tolerant(): boolean {
    return this.options.settings.tolerance === 'all';
  }

  /**
   * After `operation` has failed once with `error`: its value when a later try succeeds, null when the record is to be
   * skipped. Throws when the task has to fail, and RetriesCutShort when it is asked to stop before the tries are over.
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
      if (this.options.stopping()) throw new RetriesCutShort();
      metrics.retries.add();
      try {
        return { value: await operation.run() };
      } catch (again) {
        last = again;
        metrics.failures.add();
      }
    }
    this.giveUp({ ...operation, error: last });
    return null;
  }

  /**
   * Reports the record; throws unless failures are tolerated. Java skips a record whose retries ran out even with
   * `none`: we fail.
   */
  giveUp(failure: FailedRecord): void {
    this.options.metrics.gaveUp(this.tolerant);
    // Dead letters that cannot be written fail the task by themselves.
    this.tell(failure).catch(() => undefined);
    if (!this.tolerant) throw toleranceExceeded(failure);
  }

  /**
   * Of a record that was refused, for which there is no other try. Resolves when every reporter has it, rejects when
   * one cannot take it.
   */
  async report(failure: FailedRecord): Promise<void> {
    this.options.metrics.refused(this.tolerant);
    await this.tell(failure);
  }

  private async tell(failure: FailedRecord): Promise<void> {
    await Promise.all(this.options.reporters.map(async (reporter) => reporter.report(failure)));
  }
}

export function toleranceExceeded({ stage, className, error, consumed, source }: FailedRecord): ConnectError {
  // Which of several it was.
  const what = stage === 'TRANSFORMATION' ? `${stage} with ${className}` : stage;
  const topic = consumed?.topic ?? source?.topic;
  const place: Record<string, string | number> = topic === undefined ? {} : { topic };
  if (consumed) Object.assign(place, { partition: consumed.partition, offset: consumed.record.offset });
  return new ConnectError(
    `Tolerance exceeded in error handler: ${what} failed: ${sentence(messageOf(error))} Correct the record or the connector's settings, ` +
      'or set errors.tolerance=all to skip such records.',
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
