/** Time for the coordinators; tests replace it with a fake. All times in milliseconds. */
export interface Clock {
  now(): number;
  /** Calls `run` once after the delay; the returned function cancels it. */
  schedule(delayMs: number, run: () => void): () => void;
}

/** The maximum of Node's timers; a longer one fires after 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** As `setTimeout`, with the delay capped at the maximum, which a setting may exceed. */
export function startTimer(run: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(run, Math.min(ms, LONGEST_TIMER_MS));
}

/** Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(delayMs, run) {
    const timer = startTimer(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
