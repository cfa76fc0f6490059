/** When a file is retried. Pure. Source: analytics-sink §4.5. */
import { backoffMs } from '@millrace/sdk';
import type { AnalyticsSettings } from '../config/settings';
import type { ServiceError } from './service-error';

const MAX_BACKOFF_MS = 5 * 60_000;

export interface RetryState {
  readonly error: ServiceError;
  /** Failed attempts so far, including this one. */
  readonly failures: number;
  readonly firstFailureAt: number;
  readonly now: number;
  /** 0 to 1. */
  readonly random: number;
}

/** Milliseconds until the next attempt; null: do not retry. */
export function retryDelayMs(
  { maxMs, backoffMs: firstMs, multiplier }: AnalyticsSettings['retry'],
  { error, failures, firstFailureAt, now, random }: RetryState,
): number | null {
  if (error.kind === 'permanent' || maxMs === 0) return null;
  const backoff = { firstMs, maxMs: MAX_BACKOFF_MS, multiplier };
  const wait = Math.max(backoffMs(failures, backoff, random), error.retryAfterMs);
  return now + wait > firstFailureAt + maxMs ? null : wait;
}
