/**
 * `errors.restart.*`: how a connector or task that failed is restarted by itself. Keys of ours: Java restarts nothing,
 * which is what `max` 0 gives. A connector's keys take precedence over the worker's.
 */
import type { ConnectorConfig } from '@millrace/sdk';

export interface RestartSettings {
  /** Restarts in a row, without a time of health between them; 0: none, -1: no limit. */
  readonly max: number;
  /** Wait before the first restart; it doubles with each one. Milliseconds. */
  readonly backoffMs: number;
  /** Longest wait, and how long an instance must have run to count as healthy again. Milliseconds. */
  readonly maxBackoffMs: number;
}

/**
 * Twenty restarts take about an hour: most outages are over by then, and what fails on purpose does not write
 * duplicates for ever.
 */
export const RESTART_DEFAULTS: RestartSettings = { max: 20, backoffMs: 1_000, maxBackoffMs: 300_000 };

export const RESTART_MAX = 'errors.restart.max';
export const RESTART_BACKOFF = 'errors.restart.backoff.ms';
export const RESTART_BACKOFF_MAX = 'errors.restart.backoff.max.ms';

/** What is not a number in range was never validated here, and counts as not set. */
export function restartSettings(connector: ConnectorConfig, worker: RestartSettings): RestartSettings {
  return {
    max: integer(connector[RESTART_MAX], -1) ?? worker.max,
    backoffMs: integer(connector[RESTART_BACKOFF], 1) ?? worker.backoffMs,
    maxBackoffMs: integer(connector[RESTART_BACKOFF_MAX], 1) ?? worker.maxBackoffMs,
  };
}

function integer(text: string | undefined, least: number): number | null {
  if (text === undefined || !/^\s*-?\d{1,15}\s*$/.test(text)) return null;
  const value = Number(text);
  return value >= least ? value : null;
}
