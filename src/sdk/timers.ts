/**
 * Node's timers hold at most 2^31 - 1 ms, about 24.8 days; a longer one fires after 1 ms. Settings may be longer, and
 * sums of them are: these wait as long as a timer can.
 */

/** For times that others start a timer with. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** As `setTimeout`; `clearTimeout` ends it. */
export function startTimer(run: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(run, Math.min(ms, LONGEST_TIMER_MS));
}

/** As `setInterval`; `clearInterval` ends it. */
export function startInterval(run: () => void, ms: number): NodeJS.Timeout {
  return setInterval(run, Math.min(ms, LONGEST_TIMER_MS));
}

/** As `AbortSignal.timeout`, which keeps no process alive. */
export function timeoutSignal(ms: number): AbortSignal {
  return AbortSignal.timeout(Math.min(ms, LONGEST_TIMER_MS));
}

/** Resolves after `ms`, or at once when aborted; never rejects. */
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
