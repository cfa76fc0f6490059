/** Exponential backoff with jitter. Pure. */

export interface Backoff {
  /** Delay after the first failure, in milliseconds. */
  readonly firstMs: number;
  /** The delay grows up to this, in milliseconds, before jitter. */
  readonly maxMs: number;
  /** Growth per failure; default 2. */
  readonly multiplier?: number;
  /**
   * The delay is multiplied by a random number in this range, so that clients do not retry in lockstep. Default 0.8 to
   * 1.2, as Kafka's clients do (KIP-580).
   */
  readonly jitter?: readonly [low: number, high: number];
}

/** Jitter for retries of whole connectors and tasks: the upper half of the delay is random. */
export const HALF_JITTER = [0.5, 1] as const;

/**
 * Milliseconds to wait before the next attempt.
 * @param failures failures so far, from 1
 * @param random in [0, 1)
 */
export function backoffMs(failures: number, backoff: Backoff, random: number = Math.random()): number {
  const { firstMs, maxMs, multiplier = 2, jitter: [low, high] = [0.8, 1.2] } = backoff;
  // Without the limit, 0 ms times an infinite growth would be NaN.
  const growth = Math.min(Number.MAX_VALUE, multiplier ** Math.max(0, failures - 1));
  const exact = Math.min(maxMs, firstMs * growth);
  return exact * (low + (high - low) * random);
}
