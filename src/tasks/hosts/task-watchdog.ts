/** Watches the calls of all tasks of a host. */
import { taskLimitMs, WATCHDOG_TASK } from '../../config/watchdog-settings';
import type { Logger } from '../../logging/logger';
import type { RunningCall } from '../call-clock';
import type { TaskSpec } from '../host';
import { taskName } from '../task-id';
import { Watchdog, type WatchedCall } from './watchdog';

/** One entry per started task. */
export type TaskCalls = readonly {
  readonly spec: TaskSpec;
  /** In progress; null: none. */
  readonly call: RunningCall | null;
  readonly excused: boolean;
  readonly fate: () => string | null;
}[];

export function watchedCalls(calls: TaskCalls, workerLimitMs: number): WatchedCall[] {
  return calls.flatMap(({ spec: { id, connectorConfig }, call, excused, fate }) =>
    call === null
      ? []
      : [
          {
            id: taskName(id),
            what: `Task ${taskName(id)}: ${call.call}() of its plugin`,
            since: call.since,
            limitMs: taskLimitMs(connectorConfig, workerLimitMs),
            hint: `Restart the task to end the call, or raise ${WATCHDOG_TASK} if it needs that long.`,
            excused,
            fate,
          },
        ],
  );
}

/** Started and stopped with its host. `limitMs`: `watchdog.task.ms` of the worker. */
export function taskWatchdog(calls: () => TaskCalls, limitMs: number, logger: Logger): Watchdog {
  return new Watchdog({
    calls: () => watchedCalls(calls(), limitMs),
    limitMs,
    logger,
  });
}
