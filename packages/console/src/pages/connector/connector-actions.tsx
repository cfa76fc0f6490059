/** Actions on the connector. What became of each is shown below the page. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ConnectorDetails, ConnectorRow } from '../../worker-api';
import { startRun } from '../../parts/action-runs';
import { ACTIONS, type Action } from '../../parts/actions';
import { ActionButton } from '../../parts/button';
import { ConfirmConnectorAction, needsConfirmation } from '../../parts/confirm-connector-action';
import { useGroup } from '../../parts/overview-store';

export interface ConnectorActionsProps {
  readonly details: ConnectorDetails;
  readonly refresh: () => void;
}

export function ConnectorActions({ details, refresh }: ConnectorActionsProps): JSX.Element {
  const { row, effects } = details;
  const group = useGroup();
  const [asked, setAsked] = useState<Action | null>(null);
  const run = (action: Action): void =>
    void startRun(action, [row], () => {
      group.refresh();
      refresh();
    });
  return (
    <div class="connector-actions" role="group" aria-label="Actions on the connector">
      {ACTIONS.map((action) => (
        <ActionButton
          key={action.key}
          needs={action.needs}
          icon={action.icon}
          kind={action.key === 'delete' ? 'danger' : 'plain'}
          objection={objectionTo(action, row)}
          onClick={() => (needsConfirmation(action) ? setAsked(action) : run(action))}
        >
          {action.label}
        </ActionButton>
      ))}
      {asked && (
        <ConfirmConnectorAction
          action={asked}
          rows={[row]}
          effects={[effects]}
          onConfirm={() => run(asked)}
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  );
}

const DONE: Partial<Readonly<Record<Action['key'], readonly [ConnectorRow['target'], string]>>> = {
  pause: ['PAUSED', 'It is paused, or pauses already'],
  resume: ['STARTED', 'It is neither paused nor stopped'],
  stop: ['STOPPED', 'It is stopped, or stops already'],
};

function objectionTo({ key, appliesTo }: Action, row: ConnectorRow): string | null {
  const [target, reason] = DONE[key] ?? [];
  if (reason !== undefined && row.target === target) return reason;
  return appliesTo === undefined || appliesTo(row) ? null : 'Nothing of it is failed';
}
