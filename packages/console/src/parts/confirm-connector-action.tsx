/** Asks before actions that interrupt or remove connectors. */
import type { JSX } from 'preact';
import type { ConnectorRow } from '../worker-api';
import type { Action, ActionKey } from './actions';
import { ConfirmAction } from './dialog';
import { formatNumberOf } from './format';
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
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmConnectorAction({ action, rows, onConfirm, onClose }: ConfirmConnectorActionProps): JSX.Element {
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
      <Consequences action={action.key} rows={rows} />
    </ConfirmAction>
  );
}

function Consequences({
  action,
  rows,
}: {
  readonly action: ActionKey;
  readonly rows: readonly ConnectorRow[];
}): JSX.Element {
  if (action === 'stop')
    return (
      <p>
        The tasks end, and their resources are released. Configuration and offsets remain: Resume continues where they
        stopped.
      </p>
    );
  if (action === 'restart')
    return <p>The connector and all its tasks are restarted, running ones, too. Records in flight are sent again.</p>;
  const hasSlot = rows.some(({ className }) => /postgres/i.test(className));
  return (
    <>
      <p>The configuration is removed and the tasks end. This cannot be undone.</p>
      <p>
        Offsets of sources, consumer groups of sinks, and topics remain: a connector created with the same name
        continues from there.
        {hasSlot && ' So do replication slots, which retain WAL until they are dropped.'}
      </p>
    </>
  );
}
