/** Time as the coordinators see it, so that tests turn it by hand. Milliseconds throughout. */
export interface Clock {
  now(): number;
  /** Calls once; the returned function takes the wish back. */
  schedule(delayMs: number, run: () => void): () => void;
}

/** Its timers do not keep a process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
