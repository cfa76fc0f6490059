/** How long something may take before the log says so. Keys of ours; the one for tasks may be a connector's, too. */
import type { ConnectorConfig } from '@millrace/sdk';

export const WATCHDOG_TASK = 'watchdog.task.ms';
export const THREAD_SILENCE = 'task.thread.silence.ms';
export const WATCHDOG_TICK = 'watchdog.tick.ms';

export interface WatchdogSettings {
  /** One call of a task's plug-in; 0: any time. (Default: 5 minutes, when Java's consumers leave their group) */
  readonly taskMs: number;
  /** One round of the herder, joining the group included; 0: any time. (Default: 2 minutes) */
  readonly tickMs: number;
  /** How long a task thread may not answer before it is ended; 0: for ever. (Default: 1 minute) */
  readonly threadMs: number;
}

export const WATCHDOG_DEFAULTS: WatchdogSettings = { taskMs: 300_000, tickMs: 120_000, threadMs: 60_000 };

/** The connector's own, when it is a number. Milliseconds. */
export function taskLimitMs(connector: ConnectorConfig, workerMs: number): number {
  return milliseconds(connector[WATCHDOG_TASK], workerMs);
}

/** For a task that has a thread of its own. */
export function threadSilenceMs(connector: ConnectorConfig, workerMs: number): number {
  return milliseconds(connector[THREAD_SILENCE], workerMs);
}

function milliseconds(setting: string | undefined, otherwise: number): number {
  const text = setting?.trim() ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : otherwise;
}
