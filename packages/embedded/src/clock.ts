/** Time as the coordinators see it, so that tests turn it by hand. Milliseconds throughout. */
export interface Clock {
  now(): number;
  /** Calls once; the returned function takes the wish back. */
  schedule(delayMs: number, run: () => void): () => void;
}

/** Node's timers hold no more; a longer one fires after 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** As `setTimeout`, for settings and sums of them that may be longer than a timer can be. */
export function startTimer(run: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(run, Math.min(ms, LONGEST_TIMER_MS));
}

/** Its timers do not keep a process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(delayMs, run) {
    const timer = startTimer(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
