/** Asks before actions that interrupt or remove connectors. */
import type { JSX } from 'preact';
import type { ActionEffects, ConnectorRow } from '../worker-api';
import type { Action, ActionKey } from './actions';
import { ConfirmAction } from './dialog';
import { formatNumberOf } from './format';
import { consequencesOf } from './outcomes';
import { printable } from './printable';
import { Text } from './text';

const MOST_NAMES = 8;

const QUESTIONS: Partial<Readonly<Record<ActionKey, string>>> = {
  stop: 'Stop',
  restart: 'Restart',
  delete: 'Delete',
};

export function needsConfirmation({ key }: Action): boolean {
  return QUESTIONS[key] !== undefined;
}

export interface ConfirmConnectorActionProps {
  readonly action: Action;
  readonly rows: readonly ConnectorRow[];
  /** What the plugins of the rows declare. */
  readonly effects: readonly ActionEffects[];
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmConnectorAction({
  action,
  rows,
  effects,
  onConfirm,
  onClose,
}: ConfirmConnectorActionProps): JSX.Element {
  const [only] = rows;
  const isOne = rows.length === 1 && only !== undefined;
  const question = `${QUESTIONS[action.key]} ${isOne ? 'the connector' : formatNumberOf(rows.length, 'connector')}`;
  const isDeletion = action.key === 'delete';
  return (
    <ConfirmAction
      title={`${question}?`}
      confirm={question}
      kind={isDeletion ? 'danger' : 'primary'}
      needs={action.needs}
      typed={isDeletion ? (isOne ? only.name : String(rows.length)) : undefined}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <ul class="names">
        {rows.slice(0, MOST_NAMES).map(({ name }) => (
          <li key={name}>
            <Text>{name}</Text>
          </li>
        ))}
        {rows.length > MOST_NAMES && <li class="muted">and {rows.length - MOST_NAMES} more</li>}
      </ul>
      <Consequences action={action.key} effects={effects} />
    </ConfirmAction>
  );
}

function Consequences({
  action,
  effects,
}: {
  readonly action: ActionKey;
  readonly effects: readonly ActionEffects[];
}): JSX.Element {
  return (
    <>
      {action === 'delete' && <p>The configuration is removed and the tasks end. This cannot be undone.</p>}
      <p>{printable(consequencesOf(action, effects))}</p>
    </>
  );
}
