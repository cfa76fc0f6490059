const FIRST_MS = 100;
const MAX_MS = 5_000;

/**
 * Delay before the next attempt: 100 ms, doubled each time up to 5 s. Half of it is random, so that programs that lost
 * a server at the same time do not reconnect at the same time.
 * @param failures number of failed attempts so far.
 */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const upperBound = Math.min(FIRST_MS * 2 ** Math.min(failures, 10), MAX_MS);
  return Math.round(upperBound * (0.5 + random() / 2));
}
