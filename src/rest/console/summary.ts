/**
 * The one state of a connector that a person should see first. Pure.
 *
 * | summary  | while                                                                                            |
 * | -------- | ------------------------------------------------------------------------------------------------ |
 * | failed   | the connector is FAILED, or all of its tasks are                                                 |
 * | degraded | some of its tasks are FAILED                                                                     |
 * | stopped  | the connector is STOPPED                                                                         |
 * | starting | part of it is UNASSIGNED or RESTARTING, on a worker that is gone, or has no status yet; or the   |
 * |          | connector is RUNNING and has no task yet                                                         |
 * | running  | the connector or a task is RUNNING, whatever was requested meanwhile                             |
 * | paused   | everything is PAUSED                                                                             |
 *
 * The first row that applies counts. The target state does not: a connector that is to be paused is still running.
 */
import type { ConnectorRow, State } from '@millrace/console';

export type Summary = ConnectorRow['summary'];

interface Part {
  readonly state: State;
  readonly isWorkerGone: boolean;
}

/** @param configured number of tasks in the config topic, whose statuses may not exist yet */
export function summaryOf(connector: Part, tasks: readonly Part[], configured: number): Summary {
  const failed = tasks.filter(({ state }) => state === 'FAILED').length;
  if (connector.state === 'FAILED' || (failed > 0 && failed === tasks.length)) return 'failed';
  if (failed > 0) return 'degraded';
  if (connector.state === 'STOPPED') return 'stopped';
  const all = [connector, ...tasks];
  if (all.some(isStarting) || tasks.length < configured) return 'starting';
  if (connector.state === 'RUNNING' && tasks.length === 0) return 'starting';
  return all.every(({ state }) => state === 'PAUSED' || state === 'STOPPED') ? 'paused' : 'running';
}

function isStarting({ state, isWorkerGone }: Part): boolean {
  return state === 'UNASSIGNED' || state === 'RESTARTING' || isWorkerGone;
}
