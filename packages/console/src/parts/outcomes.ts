/** What actions on connectors do: what a person reads before, and when the overview shows that they have happened. */
import type { ActionEffects, ConnectorRow } from '../worker-api';
import type { RestartPlan } from '../api/restart-plan';
import { hasFailedPart } from './states';

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
  // It runs, and what else is wrong with it is not the request's doing.
  if (now.summary === 'running' || (now.summary === 'degraded' && !hasFailedPart(now))) return 'done';
  if (!hasFailedPart(now) || now.state === 'PAUSED' || now.state === 'STOPPED') return null;
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

const GENERAL: Readonly<Record<string, string>> = {
  stop: 'The tasks end, and their resources are released. Configuration and offsets remain: Resume continues where they stopped.',
  restart: 'The connector and all its tasks are restarted, running ones, too. Records in flight are sent again.',
  delete:
    'Offsets of sources, consumer groups of sinks, and topics remain: a connector created with the same name continues from there.',
};

/** What the action means for every connector, and for these in particular: each sentence once. */
export function consequencesOf(action: string, effects: readonly ActionEffects[]): string {
  const declared = effects.flatMap((one) => (one as Readonly<Record<string, string>>)[action] ?? []);
  return [GENERAL[action] ?? '', ...new Set(declared)].join(' ');
}
