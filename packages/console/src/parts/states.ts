/** States of connectors and tasks, for people. */
import type { ConnectorRow, State } from '../worker-api';

export type Summary = ConnectorRow['summary'];
/** Worst first, as lists are sorted and counted. */
export const SUMMARIES: readonly Summary[] = [
  'failed',
  'degraded',
  'unknown',
  'starting',
  'running',
  'paused',
  'stopped',
];

export type Tone = Summary;
export const TONE: Readonly<Record<State, Tone>> = {
  FAILED: 'failed',
  UNASSIGNED: 'starting',
  RESTARTING: 'starting',
  RUNNING: 'running',
  PAUSED: 'paused',
  STOPPED: 'stopped',
};

export function hasFailedPart({ state, tasks }: Pick<ConnectorRow, 'state' | 'tasks'>): boolean {
  return state === 'FAILED' || tasks.some((task) => task.state === 'FAILED');
}

const TARGETS = { STARTED: 'running', PAUSED: 'paused', STOPPED: 'stopped' } as const;

/** What is on its way: `pausing`; null: nothing. */
export function transition({ state, target, summary }: ConnectorRow): string | null {
  if (state === 'FAILED' || summary === 'failed') return null;
  if (TARGETS[target] === summary || state === 'UNASSIGNED') return null;
  if (target === 'STARTED') return state === 'PAUSED' || state === 'STOPPED' ? 'resuming' : null;
  return state === target ? null : target === 'PAUSED' ? 'pausing' : 'stopping';
}

/** A part is FAILED: of the others, the state says nothing. */
export function isFailureCode(code: string): boolean {
  return !code.startsWith('HEALTH_');
}

const UNKNOWN_REASONS: ReadonlySet<string> = new Set(['HEALTH_NOT_IN_GROUP', 'HEALTH_WORKER_SILENT']);
export function toneOfReason(code: string): 'failed' | 'degraded' | 'unknown' {
  if (UNKNOWN_REASONS.has(code)) return 'unknown';
  return isFailureCode(code) ? 'failed' : 'degraded';
}
