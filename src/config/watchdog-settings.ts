/** How long something may take before the log says so. Keys of ours; the one for tasks may be a connector's, too. */
import type { ConnectorConfig } from '@millrace/sdk';

export const WATCHDOG_TASK = 'watchdog.task.ms';
export const WATCHDOG_TICK = 'watchdog.tick.ms';

export interface WatchdogSettings {
  /** One call of a task's plug-in; 0: any time. (Default: 5 minutes, when Java's consumers leave their group) */
  readonly taskMs: number;
  /** One round of the herder, joining the group included; 0: any time. (Default: 2 minutes) */
  readonly tickMs: number;
}

export const WATCHDOG_DEFAULTS: WatchdogSettings = { taskMs: 300_000, tickMs: 120_000 };

/** The connector's own, when it is a number. Milliseconds. */
export function taskLimitMs(connector: ConnectorConfig, workerMs: number): number {
  const text = connector[WATCHDOG_TASK]?.trim() ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : workerMs;
}
