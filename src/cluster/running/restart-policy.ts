/** Whether and when a failed connector or task restarts automatically. Pure. */
import { backoffMs, HALF_JITTER } from '@millrace/sdk';
import type { RestartSettings } from '../../config/worker-settings';

export interface FailureHistory {
  /** Automatic restarts since it was last healthy, or started otherwise. */
  readonly restarts: number;
  /** When it last became RUNNING, by the monotonic clock, milliseconds; null: not since its last start. */
  readonly runningSince: number | null;
}

export const NO_HISTORY: FailureHistory = { restarts: 0, runningSince: null };

type RestartDecision =
  /** `attempt` counts from 1. */
  | { readonly type: 'restart'; readonly attempt: number; readonly delayMs: number }
  /** Restarting does not help, e.g. an invalid setting or a failed login. */
  | { readonly type: 'final' }
  | { readonly type: 'exhausted'; readonly restarts: number }
  | { readonly type: 'off' };

export interface RestartCircumstances {
  readonly settings: RestartSettings;
  readonly history: FailureHistory;
  /** Whether the error may go away with a restart. */
  readonly worthRestarting: boolean;
  /** When it stopped working, by the same clock. */
  readonly now: number;
  /** In [0, 1). */
  readonly random: number;
}

export function decideRestart(circumstances: RestartCircumstances): RestartDecision {
  const { settings, history, worthRestarting, now, random } = circumstances;
  if (settings.max === 0) return { type: 'off' };
  if (!worthRestarting) return { type: 'final' };
  const wasHealthy = history.runningSince !== null && now - history.runningSince >= settings.maxBackoffMs;
  const restarts = wasHealthy ? 0 : history.restarts;
  if (settings.max > 0 && restarts >= settings.max) return { type: 'exhausted', restarts };
  return { type: 'restart', attempt: restarts + 1, delayMs: restartDelay(settings, restarts, random) };
}

/** Half of the delay is random, so that tasks that failed together do not restart together. */
export function restartDelay(settings: RestartSettings, restarts: number, random: number): number {
  const backoff = { firstMs: settings.backoffMs, maxMs: settings.maxBackoffMs, jitter: HALF_JITTER };
  return Math.round(backoffMs(restarts + 1, backoff, random));
}

/** After the number of a restart; empty without a limit. */
export function limitText({ max }: RestartSettings): string {
  return max < 0 ? '' : ` of ${max}`;
}

/**
 * A line for the end of a trace, the part of a status that all clients show unchanged. Empty, or ends with a line feed.
 */
export function restartNote(decision: RestartDecision, settings: RestartSettings, now: number): string {
  switch (decision.type) {
    case 'restart': {
      return `Automatic restart ${decision.attempt}${limitText(settings)} is due at ${new Date(now + decision.delayMs).toISOString()}.\n`;
    }
    case 'final':
      return 'Not restarted automatically: remove the cause, then restart it.\n';
    case 'exhausted':
      return `Not restarted automatically any more, after ${decision.restarts} restarts (errors.restart.max): remove the cause, then restart it.\n`;
    case 'off':
      return '';
  }
}
