/**
 * `errors.restart.*`: automatic restarts of failed connectors and tasks. Millrace only: Java restarts nothing, which
 * equals `max` 0. A connector's keys override the worker's.
 */
import type { ConnectorConfig } from '@millrace/sdk';

export interface RestartSettings {
  /** Consecutive restarts without a healthy run between them. 0: none, -1: no limit. */
  readonly max: number;
  /** Delay before the first restart. It doubles with each restart. Milliseconds. */
  readonly backoffMs: number;
  /** Maximum delay, and how long an instance must run to count as healthy again. Milliseconds. */
  readonly maxBackoffMs: number;
}

/**
 * Twenty restarts take about an hour. Most outages are shorter, and a task that fails every time does not write
 * duplicates forever.
 */
export const RESTART_DEFAULTS: RestartSettings = { max: 20, backoffMs: 1_000, maxBackoffMs: 300_000 };

export const RESTART_MAX = 'errors.restart.max';
export const RESTART_BACKOFF = 'errors.restart.backoff.ms';
export const RESTART_BACKOFF_MAX = 'errors.restart.backoff.max.ms';

/** A value that is not a number in range was never validated by Millrace and counts as not set. */
export function restartSettings(connector: ConnectorConfig, worker: RestartSettings): RestartSettings {
  return {
    max: integer(connector[RESTART_MAX], -1) ?? worker.max,
    backoffMs: integer(connector[RESTART_BACKOFF], 1) ?? worker.backoffMs,
    maxBackoffMs: integer(connector[RESTART_BACKOFF_MAX], 1) ?? worker.maxBackoffMs,
  };
}

function integer(text: string | undefined, min: number): number | null {
  if (text === undefined || !/^\s*-?\d{1,15}\s*$/.test(text)) return null;
  const value = Number(text);
  return value >= min ? value : null;
}
