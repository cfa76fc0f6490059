/** Waits for converters that are not ready yet, e.g. because a schema registry has to answer. */
import { converterCall, converterReady, isRetriable, messageOf, monotonicNow, RetriableError } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { CallClock } from '../call-clock';
import type { ReportedCondition } from '../reported-condition';
import { RetryInterrupted } from './error-policy';

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;
/** A wait that is longer is part of the task's condition, whether or not an attempt has failed yet. */
const SLOW_MS = 5_000;

export interface ConverterWaitOptions {
  readonly condition: Pick<ReportedCondition, 'converterWaits' | 'converterReady'>;
  readonly calls: Pick<CallClock, 'beginCall' | 'endCall'>;
  readonly logger: Logger;
  /** Ends early when the task is woken. Null: no limit. */
  sleep(ms: number | null): Promise<void>;
  wake(): void;
  /** Whether the task has something else to do: it is stopped, paused, or must poll. */
  interrupted(): boolean;
  /** Milliseconds until `interrupted` may become true without a wake-up. (Default: never) */
  interruptedInMs?(): number;
}

/** What is waited for, also while the task does something else in between. */
interface Waited {
  /** See `ConverterNotReady`. */
  readonly call: string | null;
  /** By `monotonicNow()`. */
  readonly since: number;
  /** It takes long, and is the task's call for the watchdog. */
  isWatched: boolean;
}

export class ConverterWait {
  private attempts = 0;
  private waited: Waited | null = null;
  private isReported = false;

  constructor(private readonly options: ConverterWaitOptions) {}

  /**
   * Resolves when the record is to be converted again: once the converter is ready, or after a delay because what it
   * needs is away. Rejects with the reason why it does not get ready, or with RetryInterrupted when the task has
   * something else to do meanwhile: the record is to be converted again afterwards.
   * @param call see `ConverterNotReady`
   */
  async until(ready: Promise<unknown>, call: string | null): Promise<void> {
    try {
      await this.settled(ready, call);
      this.end();
    } catch (error) {
      if (error instanceof RetryInterrupted) throw error;
      this.forget();
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
    this.forget();
    if (this.isReported) this.options.condition.converterReady();
    this.isReported = false;
  }

  private forget(): void {
    if (this.waited?.isWatched === true) this.options.calls.endCall('convert');
    this.waited = null;
  }

  /** @param agoMs when it began */
  private report(error: unknown, agoMs = 0): void {
    this.isReported = true;
    this.options.condition.converterWaits(error, agoMs);
  }

  /** Once for each thing that is waited for. */
  private onSlow(waited: Waited): void {
    const { call, since } = waited;
    const agoMs = monotonicNow() - since;
    if (call === null) {
      const message = 'A converter waits for an answer, e.g. of its schema registry.';
      if (!this.isReported) this.report(new RetriableError(message, { code: 'CONVERTER_NOT_READY' }), agoMs);
      return;
    }
    if (waited.isWatched) return;
    waited.isWatched = true;
    this.options.calls.beginCall('convert', since);
    const error = new RetriableError(`${call} has not returned: the task waits for it.`, {
      code: 'CONVERTER_NOT_READY',
    });
    this.options.logger.warn(`${call} has not returned for ${Math.round(agoMs / 1000)} s: the task waits for it`);
    this.report(error, agoMs);
  }

  private async settled(ready: Promise<unknown>, call: string | null): Promise<void> {
    if (this.waited?.call !== call) this.forget();
    const waited = (this.waited ??= { call, since: monotonicNow(), isWatched: false });
    let isSettled = false;
    let isWaiting = true;
    const settle = (): void => {
      isSettled = true;
      if (isWaiting) this.options.wake();
    };
    ready.then(settle, settle);
    try {
      await this.sleepUntil(waited.since + SLOW_MS, () => isSettled);
      if (!isSettled) this.onSlow(waited);
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

/**
 * What another attempt at a failed record returns. Throws what `convert` throws, and as `until`: also then the task may
 * have something else to do. A promise only if it has to wait.
 */
export function retriedWhenReady<T>(convert: () => T, wait: Pick<ConverterWait, 'until'>): T | Promise<T> {
  try {
    return convert();
  } catch (error) {
    const ready = converterReady(error);
    if (ready === null) throw error;
    return wait.until(ready, converterCall(error)).then(() => retriedWhenReady(convert, wait));
  }
}
