/** Waits for converters that are not ready yet, e.g. because a schema registry has to answer. */
import { isConfigError, isRetriable, messageOf, monotonicNow, RetriableError } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { ReportedCondition } from '../reported-condition';
import { RetryInterrupted } from './error-policy';

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;
/** A wait that is longer is part of the task's condition, whether or not an attempt has failed yet. */
const SLOW_MS = 5_000;

export interface ConverterWaitOptions {
  readonly condition: Pick<ReportedCondition, 'converterWaits' | 'converterReady'>;
  readonly logger: Logger;
  /** Ends early when the task is woken. Null: no limit. */
  sleep(ms: number | null): Promise<void>;
  wake(): void;
  /** Whether the task has something else to do: it is stopped, paused, or must poll. */
  interrupted(): boolean;
  /** Milliseconds until `interrupted` may become true without a wake-up. (Default: never) */
  interruptedInMs?(): number;
}

export class ConverterWait {
  private attempts = 0;
  /** By `monotonicNow()`. Null: nothing is waited for. */
  private since: number | null = null;
  private isReported = false;

  constructor(private readonly options: ConverterWaitOptions) {}

  /**
   * Resolves when the record is to be converted again: once the converter is ready, or after a delay because what it
   * needs is away. Rejects with the reason why it does not get ready, or with RetryInterrupted when the task has
   * something else to do meanwhile: the record is to be converted again afterwards.
   */
  async until(ready: Promise<unknown>): Promise<void> {
    this.since ??= monotonicNow();
    try {
      await this.settled(ready);
      this.end();
    } catch (error) {
      if (error instanceof RetryInterrupted) throw error;
      if (!isRetriable(error)) {
        this.end();
        throw error;
      }
      this.report(error);
      const delay = Math.min(FIRST_DELAY_MS * 2 ** this.attempts++, LONGEST_DELAY_MS);
      this.options.logger.warn(`A converter cannot work now, retrying in ${delay} ms: ${messageOf(error)}`, { error });
      await this.sleepUntil(monotonicNow() + delay, () => false);
    }
  }

  /** Nothing is waited for any more: a converter is ready, or its record is another task's, or later. */
  end(): void {
    this.attempts = 0;
    this.since = null;
    if (this.isReported) this.options.condition.converterReady();
    this.isReported = false;
  }

  private report(error: unknown): void {
    this.isReported = true;
    this.options.condition.converterWaits(error);
  }

  private async settled(ready: Promise<unknown>): Promise<void> {
    let isSettled = false;
    let isWaiting = true;
    const settle = (): void => {
      isSettled = true;
      if (isWaiting) this.options.wake();
    };
    ready.then(settle, settle);
    try {
      const slowAt = (this.since ?? 0) + SLOW_MS;
      if (!this.isReported) await this.sleepUntil(slowAt, () => isSettled);
      if (!isSettled && !this.isReported)
        this.report(
          new RetriableError('A converter waits for an answer, e.g. of its schema registry.', {
            code: 'CONVERTER_NOT_READY',
          }),
        );
      await this.sleepUntil(Infinity, () => isSettled);
    } finally {
      isWaiting = false;
    }
    await ready;
  }

  /** Other events may wake the task. */
  private async sleepUntil(end: number, isOver: () => boolean): Promise<void> {
    const { sleep, interrupted, interruptedInMs } = this.options;
    while (!isOver()) {
      if (interrupted()) throw new RetryInterrupted();
      const ms = Math.min(end - monotonicNow(), interruptedInMs?.() ?? Infinity);
      if (end <= monotonicNow()) return;
      await sleep(ms === Infinity ? null : Math.max(0, ms));
    }
  }
}

/** Whether the task must end with the error, whatever happens to failed records: other ones would get it, too. */
export function endsTask(error: unknown): boolean {
  return error instanceof RetryInterrupted || isConfigError(error);
}
