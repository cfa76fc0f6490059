import { backoffMs, HALF_JITTER } from '@millrace/sdk';

const LONGEST_MS = 60_000;

/**
 * Milliseconds before the next attempt to connect. Half of the delay is random, so that many connectors do not
 * reconnect to a restarted server at once.
 * @param attempt from 1
 */
export function reconnectDelayMs(attempt: number, firstMs: number, random?: number): number {
  return Math.round(backoffMs(attempt, { firstMs, maxMs: LONGEST_MS, jitter: HALF_JITTER }, random));
}
