/**
 * Lets one loop wait until it is woken. A wake-up while nothing waits is kept for the next wait, so none is lost
 * between a check and the wait after it. A wait may therefore return early: check the condition again after each
 * one. Nothing stays attached to signals; a promise passed to `waitFor` keeps a handler until it settles.
 */
import { startTimer } from './timers';

export class Wakeup {
  private pending = false;
  private release: (() => void) | null = null;

  wake(): void {
    this.pending = true;
    this.release?.();
  }

  /**
   * Resolves after `ms` milliseconds (`null`: no limit), when woken, or when `signal` aborts. Resolves at once if woken
   * since the last wait.
   */
  async wait(ms: number | null, signal?: AbortSignal): Promise<void> {
    if (!this.pending && signal?.aborted !== true && (ms === null || ms > 0)) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', done);
          resolve();
        };
        const timer = ms === null ? undefined : startTimer(done, ms);
        signal?.addEventListener('abort', done, { once: true });
        this.release = done;
      });
    }
    this.reset();
  }

  /** Settles with `promise`, or resolves when woken, at once if woken since the last wait. */
  async waitFor(promise: Promise<unknown>): Promise<void> {
    try {
      if (this.pending) promise.catch(() => undefined);
      else
        await new Promise<void>((resolve, reject) => {
          this.release = resolve;
          promise.then(() => resolve(), reject);
        });
    } finally {
      this.reset();
    }
  }

  private reset(): void {
    this.release = null;
    this.pending = false;
  }
}
