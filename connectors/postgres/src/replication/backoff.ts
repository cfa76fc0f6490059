const LONGEST_MS = 60_000;

/**
 * Exponential with jitter: half fixed, half random, so that many connectors do not return at once. @param attempt from
 * 1
 */
export function backoffMs(attempt: number, firstMs: number, random: () => number = Math.random): number {
  const full = Math.min(LONGEST_MS, firstMs * 2 ** Math.min(attempt - 1, 20));
  return Math.round(full / 2 + (full / 2) * random());
}
