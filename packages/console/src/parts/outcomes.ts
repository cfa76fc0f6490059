/** When the overview shows that an action has happened. Each is given the connector's row of before and of now. */
import type { ConnectorRow } from '../worker-api';
import type { RestartPlan } from '../api/restart-plan';

/** `null`: on its way. `failed`: it happened, and the connector failed then. */
export type Outcome = 'done' | 'failed' | null;

interface Instance {
  readonly state: string;
  readonly since: number | null;
}

/** What is failed does not become paused. */
export function pauseOutcome({ state, target, tasks }: ConnectorRow): Outcome {
  const isQuiet = (instance: { state: string }): boolean => instance.state === 'PAUSED' || instance.state === 'FAILED';
  return target === 'PAUSED' && isQuiet({ state }) && tasks.every(isQuiet) ? 'done' : null;
}

export function resumeOutcome(now: ConnectorRow, before: ConnectorRow): Outcome {
  if (now.target !== 'STARTED') return null;
  if (now.summary === 'running') return 'done';
  const isFailed = now.summary === 'failed' || now.summary === 'degraded';
  if (!isFailed || now.state === 'PAUSED' || now.state === 'STOPPED') return null;
  // What was failed before may not have been started yet.
  return now.since === before.since && before.state !== now.state ? null : 'failed';
}

export function stopOutcome({ state, tasks }: ConnectorRow): Outcome {
  return state === 'STOPPED' && tasks.length === 0 ? 'done' : null;
}

/** Done when each part that the worker restarts has a status written after the request. */
export function restartOutcome(now: ConnectorRow, before: ConnectorRow, plan: RestartPlan | null): Outcome {
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
