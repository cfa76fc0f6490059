/** When calls and threads count as stuck. Millrace only. A connector config may override the keys for tasks. */
import type { ConnectorConfig } from '@millrace/sdk';

export const WATCHDOG_TASK = 'watchdog.task.ms';
export const THREAD_SILENCE = 'task.thread.silence.ms';
export const WATCHDOG_ACTION = 'watchdog.task.action';
export const WATCHDOG_TICK = 'watchdog.tick.ms';

/** What happens to a task whose call exceeds its limit. */
export const TASK_ACTIONS = ['log', 'restart'] as const;
export type TaskAction = (typeof TASK_ACTIONS)[number];

export interface WatchdogSettings {
  /** Limit of one call into a task; 0: no limit. (Default: 5 minutes, Java's `max.poll.interval.ms`) */
  readonly taskMs: number;
  /** (Default: `log`) */
  readonly taskAction: TaskAction;
  /** Limit of one herder tick, joining the group included; 0: no limit. (Default: 2 minutes) */
  readonly tickMs: number;
  /** How long a task thread may be unresponsive before it is terminated; 0: no limit. (Default: 1 minute) */
  readonly threadMs: number;
}

export const WATCHDOG_DEFAULTS: WatchdogSettings = {
  taskMs: 300_000,
  taskAction: 'log',
  tickMs: 120_000,
  threadMs: 60_000,
};

/** The connector's limit if it is a number, otherwise the worker's. Milliseconds. */
export function taskLimitMs(connector: ConnectorConfig, workerMs: number): number {
  return milliseconds(connector[WATCHDOG_TASK], workerMs);
}

/** The connector's action if it is one, otherwise the worker's. */
export function taskAction(connector: ConnectorConfig, worker: TaskAction): TaskAction {
  const text = connector[WATCHDOG_ACTION]?.trim().toLowerCase();
  return TASK_ACTIONS.find((action) => action === text) ?? worker;
}

/** For a task with a dedicated thread. Milliseconds. */
export function threadSilenceMs(connector: ConnectorConfig, workerMs: number): number {
  return milliseconds(connector[THREAD_SILENCE], workerMs);
}

function milliseconds(setting: string | undefined, fallback: number): number {
  const text = setting?.trim() ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : fallback;
}
