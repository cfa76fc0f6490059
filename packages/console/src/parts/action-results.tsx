/** What became of the actions of this tab: one line per connector, with the worker's reason. */
import type { JSX } from 'preact';
import { dismissRun, isSettled, runs, type ItemState, type Run, type RunItem } from './action-runs';
import { Button } from './button';
import { formatNumberOf } from './format';
import { Icon, type IconName } from './icon';
import { printable } from './printable';
import { useStore } from './store';
import { ConnectorLink, Name } from './text';

const SHOWN: Readonly<Record<ItemState, readonly [IconName, string]>> = {
  waiting: ['unknown', 'waiting'],
  pending: ['starting', 'requested'],
  accepted: ['starting', 'accepted'],
  done: ['running', 'done'],
  failed: ['failed', 'failed'],
  refused: ['failed', 'refused'],
};
const TONES: Readonly<Record<ItemState, string>> = {
  waiting: 'stopped',
  pending: 'starting',
  accepted: 'starting',
  done: 'running',
  failed: 'failed',
  refused: 'failed',
};

/** Below the page, on all pages. */
export function ActionResults(): JSX.Element {
  const shown = useStore(runs);
  return (
    <>
      <div class="unseen" role="status" aria-live="polite">
        {shown[0] && isSettled(shown[0]) ? `${title(shown[0])}: ${counts(shown[0])}` : ''}
      </div>
      {shown.length > 0 && (
        <section class="results" aria-label="Results of actions">
          {shown.map((run, index) => (
            <RunResults key={run.id} run={run} isNewest={index === 0} />
          ))}
        </section>
      )}
    </>
  );
}

function RunResults({ run, isNewest }: { readonly run: Run; readonly isNewest: boolean }): JSX.Element {
  // What went wrong first: the others need no attention.
  const items = [...run.items].sort((a, b) => Number(isWrong(b)) - Number(isWrong(a)));
  return (
    <div class="run">
      <details open={isNewest}>
        <summary class="run-head">
          <Icon name="right" />
          <strong>{title(run)}</strong>
          <span class="muted">{counts(run)}</span>
        </summary>
        <ul class="run-items">
          {items.map((item) => (
            <Item key={item.name} item={item} exists={run.action.key !== 'delete' || item.state !== 'done'} />
          ))}
        </ul>
      </details>
      <Button kind="quiet" icon="close" label={`Dismiss ${title(run)}`} onClick={() => dismissRun(run.id)} />
    </div>
  );
}

interface ItemProps {
  readonly item: RunItem;
  readonly exists: boolean;
}

function Item({ item: { name, state, detail }, exists }: ItemProps): JSX.Element {
  const [icon, text] = SHOWN[state];
  return (
    <li class="run-item">
      <span class={`badge tone-${TONES[state]}`}>
        <Icon name={icon} />
        <span>{text}</span>
      </span>
      {exists ? <ConnectorLink name={name} /> : <Name>{name}</Name>}
      {detail !== null && <bdi class="text muted">{printable(detail)}</bdi>}
    </li>
  );
}

function isWrong({ state }: RunItem): boolean {
  return state === 'refused' || state === 'failed';
}

function title({ action, items }: Run): string {
  const [only] = items;
  return `${action.title}: ${items.length === 1 && only ? printable(only.name) : formatNumberOf(items.length, 'connector')}`;
}

/** `3 done, 1 refused`. */
function counts({ items }: Run): string {
  return (Object.keys(SHOWN) as ItemState[])
    .map((state) => [state, items.filter((item) => item.state === state).length] as const)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${SHOWN[state][1]}`)
    .join(', ');
}
