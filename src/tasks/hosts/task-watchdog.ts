/** Watches the calls of all tasks of a host, and says which do not come back. */
import { taskLimitMs, WATCHDOG_TASK } from '../../config/watchdog-settings';
import type { Logger } from '../../logging/logger';
import type { RunningCall } from '../call-clock';
import type { TaskSpec } from '../host';
import { taskName } from '../task-id';
import { Watchdog, type Ongoing } from './watchdog';

/** Per task that was started. */
export type TaskCalls = readonly {
  readonly spec: TaskSpec;
  /** Under way; null: none. */
  readonly call: RunningCall | null;
  readonly excused: boolean;
  readonly fate: () => string | null;
}[];

export function ongoingCalls(calls: TaskCalls, workerLimitMs: number): Ongoing[] {
  return calls.flatMap(({ spec: { id, connectorConfig }, call, excused, fate }) =>
    call === null
      ? []
      : [
          {
            id: taskName(id),
            what: `Task ${taskName(id)}: ${call.call}() of its plug-in`,
            since: call.since,
            limitMs: taskLimitMs(connectorConfig, workerLimitMs),
            hint: `It is left alone: restart the task to end it, or raise ${WATCHDOG_TASK} if it needs that long.`,
            excused,
            fate,
          },
        ],
  );
}

/** Of a host; to be started and stopped with it. `limitMs`: `watchdog.task.ms` of the worker. */
export function taskWatchdog(calls: () => TaskCalls, limitMs: number, logger: Logger): Watchdog {
  return new Watchdog({
    look: () => ongoingCalls(calls(), limitMs),
    limitMs,
    logger,
  });
}
