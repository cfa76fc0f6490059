/** Waits for converters that are not ready yet, e.g. because a schema registry has to answer. */
import { isConfigError, isRetriable, messageOf } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { ReportedCondition } from '../reported-condition';
import { RetryInterrupted } from './error-policy';

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;

export interface ConverterWaitOptions {
  readonly condition: Pick<ReportedCondition, 'retrying' | 'succeeded'>;
  readonly logger: Logger;
  /** Settles with the promise, or resolves earlier. */
  waitFor(promise: Promise<unknown>): Promise<void>;
  /** Ends early when the task is stopped. */
  sleep(ms: number): Promise<void>;
  stopping(): boolean;
}

export class ConverterWait {
  private attempts = 0;

  constructor(private readonly options: ConverterWaitOptions) {}

  /**
   * Resolves when the record is to be converted again: once the converter is ready, or after a delay because what it
   * needs is away. Rejects with the reason why it does not get ready, or with RetryInterrupted when the task is stopped
   * meanwhile.
   */
  async until(ready: Promise<unknown>): Promise<void> {
    const { condition, logger, sleep } = this.options;
    try {
      await this.settled(ready);
      this.succeeded();
    } catch (error) {
      if (error instanceof RetryInterrupted) throw error;
      if (!isRetriable(error)) {
        this.succeeded();
        throw error;
      }
      condition.retrying(error);
      const delay = Math.min(FIRST_DELAY_MS * 2 ** this.attempts++, LONGEST_DELAY_MS);
      logger.warn(`A converter cannot work now, retrying in ${delay} ms: ${messageOf(error)}`, { error });
      await sleep(delay);
      this.throwIfStopping();
    }
  }

  private succeeded(): void {
    if (this.attempts === 0) return;
    this.attempts = 0;
    this.options.condition.succeeded();
  }

  /** Other events may wake the task. */
  private async settled(ready: Promise<unknown>): Promise<void> {
    let isSettled = false;
    const settle = (): void => void (isSettled = true);
    ready.then(settle, settle);
    while (!isSettled) {
      await this.options.waitFor(ready);
      this.throwIfStopping();
    }
    await ready;
  }

  private throwIfStopping(): void {
    if (this.options.stopping()) throw new RetryInterrupted();
  }
}

/** Whether the task must end with the error, whatever happens to failed records: other ones would get it, too. */
export function endsTask(error: unknown): boolean {
  return error instanceof RetryInterrupted || isConfigError(error);
}
