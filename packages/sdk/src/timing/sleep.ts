/** Waits that an `AbortSignal` can cut short. */
import { setImmediate } from 'node:timers/promises';
import { startTimer } from './timers';

/**
 * Resolves after `ms` milliseconds, or as soon as `signal` aborts. Never rejects: call `signal.throwIfAborted()`
 * afterwards where an abort should throw.
 */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = startTimer(done, ms);
    signal?.addEventListener('abort', done);
  });
}

/** Yields to the event loop once, so that pending timers, socket events and messages run. */
export function yieldToEventLoop(): Promise<void> {
  return setImmediate();
}

/**
 * Settles with `work`, or rejects with the signal's reason as soon as `signal` aborts. The result of `work` is then
 * ignored, a rejection included; `work` itself is not cancelled.
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  signal.throwIfAborted();
  return await new Promise<T>((resolve, reject) => {
    const aborted = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', aborted, { once: true });
    const settled = (): void => signal.removeEventListener('abort', aborted);
    work.then(resolve, reject).then(settled, settled);
  });
}
