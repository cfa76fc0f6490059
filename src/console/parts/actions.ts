/** Actions on connectors: what each one requests of Connect, and when the overview shows that it has happened. */
import type { ConnectorRow, Role } from '../../rest/console/api';
import * as connect from '../api/connect';
import type { RestartPlan } from '../api/connect';
import type { IconName } from './icon';

export type ActionKey = 'pause' | 'resume' | 'stop' | 'restart' | 'restart-failed' | 'delete';

/** `null`: on its way. `failed`: it happened, and the connector failed then. */
export type Outcome = 'done' | 'failed' | null;

export interface Action {
  readonly key: ActionKey;
  readonly label: string;
  /** What it is called while it runs. */
  readonly doing: string;
  readonly needs: Role;
  readonly icon: IconName;
  /** Absent: to every connector. */
  readonly appliesTo?: (row: ConnectorRow) => boolean;
  readonly send: (name: string) => Promise<RestartPlan | null>;
  /**
   * @param before the row when the action was requested
   * @param now the row now; null: the connector does not exist
   * @param plan the answer of a restart
   */
  readonly outcome: (before: ConnectorRow, now: ConnectorRow | null, plan: RestartPlan | null) => Outcome;
}

const pause: Action = {
  key: 'pause',
  label: 'Pause',
  doing: 'Pause',
  needs: 'operator',
  icon: 'pause',
  send: connect.pauseConnector,
  // Failed tasks do not become paused.
  outcome: (_, now) =>
    now?.state === 'PAUSED' && now.tasks.every(({ state }) => state === 'PAUSED' || state === 'FAILED') ? 'done' : null,
};

const resume: Action = {
  key: 'resume',
  label: 'Resume',
  doing: 'Resume',
  needs: 'operator',
  icon: 'play',
  send: connect.resumeConnector,
  outcome: (before, now) => {
    if (now === null || now.target !== 'STARTED') return null;
    if (now.summary === 'running') return 'done';
    const isFailed = now.summary === 'failed' || now.summary === 'degraded';
    // What was failed before may not have been started yet.
    if (!isFailed || now.state === 'PAUSED' || now.state === 'STOPPED') return null;
    return now.since === before.since && before.state !== now.state ? null : 'failed';
  },
};

const stop: Action = {
  key: 'stop',
  label: 'Stop',
  doing: 'Stop',
  needs: 'operator',
  icon: 'stop',
  send: connect.stopConnector,
  outcome: (_, now) => (now?.state === 'STOPPED' && now.tasks.length === 0 ? 'done' : null),
};

const restart: Action = {
  key: 'restart',
  label: 'Restart',
  doing: 'Restart with tasks',
  needs: 'operator',
  icon: 'restart',
  send: (name) => connect.restartConnector(name, { includeTasks: true, onlyFailed: false }),
  outcome: restartOutcome,
};

const restartFailed: Action = {
  key: 'restart-failed',
  label: 'Restart failed',
  doing: 'Restart what is failed',
  needs: 'operator',
  icon: 'restart',
  appliesTo: ({ summary }) => summary === 'failed' || summary === 'degraded',
  send: (name) => connect.restartConnector(name, { includeTasks: true, onlyFailed: true }),
  outcome: restartOutcome,
};

const remove: Action = {
  key: 'delete',
  label: 'Delete',
  doing: 'Delete',
  needs: 'admin',
  icon: 'delete',
  send: connect.deleteConnector,
  outcome: (_, now) => (now === null ? 'done' : null),
};

export const ACTIONS: readonly Action[] = [pause, resume, stop, restart, restartFailed, remove];

interface Instance {
  readonly state: string;
  readonly since: number | null;
}

/** Done when each part that the worker restarts has a status written after the request. */
function restartOutcome(before: ConnectorRow, now: ConnectorRow | null, plan: RestartPlan | null): Outcome {
  if (now === null) return null;
  const pairs: (readonly [Instance | undefined, Instance | undefined])[] = (plan?.tasks ?? [])
    .filter(({ state }) => state === 'RESTARTING')
    .map(({ id }) => [before.tasks.find((task) => task.id === id), now.tasks.find((task) => task.id === id)]);
  if (plan === null || plan.connector.state === 'RESTARTING') pairs.push([before, now]);
  if (!pairs.every(([old, current]) => current === undefined || isWrittenSince(old, current))) return null;
  return pairs.some(([, current]) => current?.state === 'FAILED') ? 'failed' : 'done';
}

function isWrittenSince(old: Instance | undefined, current: Instance): boolean {
  if (current.state === 'RESTARTING' || current.state === 'UNASSIGNED') return false;
  return current.since === null || old === undefined || current.since !== old.since;
}
