/** Which instances a restart request concerns. Pure. Source: connect-runtime §3.7. */
import type { ConnectorState, ConnectorStateInfo, RestartRequest, TaskState } from '../entities';

export interface PendingRestart extends RestartRequest {
  readonly connector: string;
}

export interface RestartPlan {
  readonly connector: boolean;
  /** Task numbers. */
  readonly tasks: readonly number[];
  /** The states as they will be: RESTARTING for everything that is restarted. */
  readonly states: ConnectorStateInfo;
}

/** Greater ranks replace smaller ones while both are pending. */
export function restartRank({ includeTasks, onlyFailed }: RestartRequest): number {
  return (onlyFailed ? 0 : 2) + (includeTasks ? 1 : 0);
}

/** The request that stays; the newer one when they are equal. */
export function mergeRestarts(pending: PendingRestart | undefined, next: PendingRestart): PendingRestart {
  return pending && restartRank(pending) > restartRank(next) ? pending : next;
}

export function restartPlan(request: RestartRequest, current: ConnectorStateInfo): RestartPlan {
  const wanted = (state: ConnectorState): boolean => !request.onlyFailed || state.state === 'FAILED';
  const connector = wanted(current.connector);
  const tasks = request.includeTasks ? current.tasks.filter(wanted).map(({ id }) => id) : [];
  const restarting = <T extends ConnectorState>(state: T, restarts: boolean): T =>
    restarts ? { ...state, state: 'RESTARTING' } : state;
  return {
    connector,
    tasks,
    states: {
      ...current,
      connector: restarting(current.connector, connector),
      tasks: current.tasks.map((task: TaskState) => restarting(task, tasks.includes(task.id))),
    },
  };
}
