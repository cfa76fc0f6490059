/** States as shape, text and color. */
import type { JSX } from 'preact';
import type { ConnectorRow, State } from '../../rest/console/api';
import { Icon, type IconName } from './icon';

export type Summary = ConnectorRow['summary'];
/** Worst first, as lists are sorted and counted. */
export const SUMMARIES: readonly Summary[] = ['failed', 'degraded', 'starting', 'running', 'paused', 'stopped'];

type Tone = Summary | 'unknown';
const TONE: Readonly<Record<State, Tone>> = {
  FAILED: 'failed',
  UNASSIGNED: 'starting',
  RESTARTING: 'starting',
  RUNNING: 'running',
  PAUSED: 'paused',
  STOPPED: 'stopped',
};

export function Badge({ tone, children }: { readonly tone: Tone; readonly children: string }): JSX.Element {
  return (
    <span class={`badge tone-${tone}`}>
      <Icon name={tone satisfies IconName} />
      <span>{children}</span>
    </span>
  );
}

/** Of a connector or a task, in Connect's words. */
export function StateBadge({ state }: { readonly state: State }): JSX.Element {
  return <Badge tone={TONE[state] ?? 'unknown'}>{String(state).toLowerCase()}</Badge>;
}

const TARGETS = { STARTED: 'running', PAUSED: 'paused', STOPPED: 'stopped' } as const;

/** What is on its way: `pausing`; null: nothing. */
export function transition({ state, target, summary }: ConnectorRow): string | null {
  if (state === 'FAILED' || summary === 'failed') return null;
  if (TARGETS[target] === summary || state === 'UNASSIGNED') return null;
  if (target === 'STARTED') return state === 'PAUSED' || state === 'STOPPED' ? 'resuming' : null;
  return state === target ? null : target === 'PAUSED' ? 'pausing' : 'stopping';
}

/** Of a connector with its tasks; while a change is on its way, `running → pausing`. */
export function SummaryBadge({ row }: { readonly row: ConnectorRow }): JSX.Element {
  const next = transition(row);
  return (
    <span class="badges">
      <Badge tone={row.summary}>{row.summary}</Badge>
      {next !== null && <span class="transition">→ {next}</span>}
    </span>
  );
}
