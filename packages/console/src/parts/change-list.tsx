/** Changes, newest first; those of configs with their keys, folded. */
import type { JSX } from 'preact';
import type { Cause, Change } from '../worker-api';
import { Age } from './age';
import { ConfigDiff } from './config-diff';
import { formatNumberOf, formatTime } from './format';
import { Icon, type IconName } from './icon';
import { useGroup } from './overview-store';
import { printable } from './printable';
import { ConnectorLink, Name } from './text';
import { Fold } from './trace';

const KINDS: Readonly<Record<Change['kind'], readonly [IconName, string]>> = {
  'connector created': ['plus', 'unknown'],
  'config changed': ['edit', 'unknown'],
  'connector deleted': ['delete', 'unknown'],
  paused: ['paused', 'paused'],
  resumed: ['play', 'running'],
  stopped: ['stopped', 'stopped'],
  'restart requested': ['restart', 'starting'],
  restarted: ['restart', 'running'],
  failed: ['failed', 'failed'],
  disconnected: ['degraded', 'degraded'],
  connected: ['running', 'running'],
  'worker left the group': ['degraded', 'degraded'],
  'worker joined the group': ['running', 'running'],
  'task configs published': ['edit', 'unknown'],
  'logger level set': ['edit', 'unknown'],
};

export interface ChangeListProps {
  readonly changes: readonly Change[];
  /** On the page of a connector, which is every change's subject. */
  readonly isOfOneConnector?: boolean;
}

export function ChangeList({ changes, isOfOneConnector = false }: ChangeListProps): JSX.Element {
  const { data } = useGroup();
  const known = new Set(data?.connectors.map(({ name }) => name));
  return (
    <ol class="changes">
      {changes.map((change, index) => (
        // Several may be of one moment.
        <li key={`${change.at} ${change.kind} ${change.subject} ${change.task} ${index}`} class="change">
          <div class="change-when" title={change.at === null ? undefined : formatTime(change.at)}>
            {change.at === null ? <span class="muted">unknown</span> : <Age at={change.at} />}
          </div>
          <Kind change={change} />
          <div class="change-subject">
            {!isOfOneConnector &&
              (known.has(change.subject) ? <ConnectorLink name={change.subject} /> : <Name>{change.subject}</Name>)}
            {change.task !== null && <span class="muted">task {change.task}</span>}
          </div>
          <div class="change-cause">{whyText(change)}</div>
          {change.keys.length > 0 && (
            <div class="change-keys">
              <Fold summary={formatNumberOf(change.keys.length, 'key')}>
                <ConfigDiff keys={change.keys} />
              </Fold>
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

function Kind({ change: { kind } }: { readonly change: Change }): JSX.Element {
  const [icon, tone] = KINDS[kind] ?? ['unknown', 'unknown'];
  return (
    <div class={`change-kind tone-${tone}`}>
      <Icon name={icon} />
      <span>{printable(kind)}</span>
    </div>
  );
}

/** What happened by itself: nobody's action is its cause. */
const HAPPENED: ReadonlySet<Change['kind']> = new Set(['failed', 'disconnected', 'connected', 'worker left the group']);

function whyText({ kind, cause }: Change): string {
  return HAPPENED.has(kind) && cause.detail !== null ? printable(cause.detail) : causeText(cause);
}

/** `by alice`, `automatically: attempt 2 of 10`. */
export function causeText({ by, user, detail }: Cause): string {
  const who =
    by === 'user'
      ? `by ${user === null ? 'a request' : printable(user)}`
      : by === 'automatic'
        ? 'automatically'
        : 'cause unknown';
  return detail === null ? who : `${who}: ${printable(detail)}`;
}
