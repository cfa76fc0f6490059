/**
 * The one state of a connector that a person should see first. Pure.
 *
 * | summary  | while                                                                                            |
 * | -------- | ------------------------------------------------------------------------------------------------ |
 * | failed   | the connector is FAILED, or all of its tasks are                                                 |
 * | degraded | some of its tasks are FAILED                                                                     |
 * | stopped  | the connector is STOPPED                                                                         |
 * | unknown  | the worker that answers is not in its group, or a worker with a running task does not answer     |
 * | starting | part of it is UNASSIGNED or RESTARTING, on a worker that is gone, or has no status yet; or the   |
 * |          | connector is RUNNING and has no task yet                                                         |
 * | degraded | a running task is disconnected, repeats a call that fails, gave records up lately, or is behind  |
 * | running  | the connector or a task is RUNNING, whatever was requested meanwhile                             |
 * | paused   | everything is PAUSED                                                                             |
 *
 * The first row that applies counts; while the worker that answers is not in its group, `unknown` comes before all but
 * `stopped`. The target state does not count: a connector that is to be paused is still running.
 */
import type { ConnectorRow, HealthReason, State } from '@millrace/console';

export type Summary = ConnectorRow['summary'];

interface Part {
  readonly state: State;
  readonly isWorkerGone: boolean;
}

/** @param configured number of tasks in the config topic, whose statuses may not exist yet */
export function summaryOf(
  connector: Part,
  tasks: readonly Part[],
  configured: number,
  reasons: readonly Pick<HealthReason, 'code'>[] = [],
): Summary {
  const has = (...codes: readonly string[]): boolean => reasons.some(({ code }) => codes.includes(code));
  if (has('HEALTH_NOT_IN_GROUP') && connector.state !== 'STOPPED') return 'unknown';
  const failed = tasks.filter(({ state }) => state === 'FAILED').length;
  if (connector.state === 'FAILED' || (failed > 0 && failed === tasks.length)) return 'failed';
  if (failed > 0) return 'degraded';
  if (connector.state === 'STOPPED') return 'stopped';
  if (has('HEALTH_WORKER_SILENT')) return 'unknown';
  const all = [connector, ...tasks];
  if (all.some(isStarting) || tasks.length < configured) return 'starting';
  if (connector.state === 'RUNNING' && tasks.length === 0) return 'starting';
  if (has('HEALTH_DISCONNECTED', 'HEALTH_RETRYING', 'HEALTH_FAILING_RECORDS', 'HEALTH_BEHIND')) return 'degraded';
  return all.every(({ state }) => state === 'PAUSED' || state === 'STOPPED') ? 'paused' : 'running';
}

function isStarting({ state, isWorkerGone }: Part): boolean {
  return state === 'UNASSIGNED' || state === 'RESTARTING' || isWorkerGone;
}
