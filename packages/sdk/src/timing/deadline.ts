/** Bounds how long the caller waits for a promise. The work behind the promise is not cancelled. */
import { startTimer } from './timers';

/** Settles with `work`, or rejects with `timeoutError()` after `ms` milliseconds. A later result is ignored. */
export async function withDeadline<T>(work: Promise<T>, ms: number, timeoutError: () => Error): Promise<T> {
  return await race(work, ms, (_, reject) => reject(timeoutError()));
}

/** Settles with `work`, or resolves to `fallback` after `ms` milliseconds. A later result is ignored. */
export async function settledWithin<T, F>(work: Promise<T>, ms: number, fallback: F): Promise<T | F> {
  return await race<T | F>(work, ms, (resolve) => resolve(fallback));
}

/** `Promise.race` handles every promise it is given, so a late rejection of `work` is never unhandled. */
async function race<T>(
  work: Promise<T>,
  ms: number,
  onTimeout: (resolve: (value: T) => void, reject: (error: Error) => void) => void,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<T>((resolve, reject) => {
    timer = startTimer(() => onTimeout(resolve, reject), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
