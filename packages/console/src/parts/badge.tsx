/** States as shape, text and color. */
import type { JSX } from 'preact';
import type { ConnectorRow, State } from '../worker-api';
import { Icon, type IconName } from './icon';
import { TONE, transition, type Tone } from './states';

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
