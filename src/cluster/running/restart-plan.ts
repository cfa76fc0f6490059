/** The instances that a restart request applies to. Pure. Source: connect-runtime §3.7. */
import type { Cause, ConnectorState, ConnectorStateInfo, RestartRequest, TaskState } from '../entities';

export interface PendingRestart extends RestartRequest {
  readonly connector: string;
  readonly cause: Cause;
}

export interface RestartPlan {
  readonly connector: boolean;
  /** Task numbers. */
  readonly tasks: readonly number[];
  /** The states after the restart begins: RESTARTING for everything that restarts. */
  readonly states: ConnectorStateInfo;
}

/** A pending request is replaced by one of the same or a greater rank. */
function restartRank({ includeTasks, onlyFailed }: RestartRequest): number {
  return (onlyFailed ? 0 : 2) + (includeTasks ? 1 : 0);
}

/** The request with the greater rank; the newer one when they are equal. */
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
