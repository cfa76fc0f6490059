/** Actions on the selected connectors. Always in its place, so that the list does not move when one is selected. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ConnectorRow } from '../../worker-api';
import { startRun } from '../../parts/action-runs';
import { ACTIONS, type Action } from '../../parts/actions';
import { ActionButton, Button } from '../../parts/button';
import { ConfirmConnectorAction, needsConfirmation } from '../../parts/confirm-connector-action';
import { formatNumberOf } from '../../parts/format';
import { useGroup } from '../../parts/overview-store';

export interface SelectionBarProps {
  readonly selected: readonly ConnectorRow[];
  readonly hidden: number;
  readonly onClear: () => void;
}

export function SelectionBar({ selected, hidden, onClear }: SelectionBarProps): JSX.Element {
  const { data, refresh } = useGroup();
  const [confirmed, setConfirmed] = useState<{ action: Action; rows: readonly ConnectorRow[] } | null>(null);
  const run = (action: Action, rows: readonly ConnectorRow[]): void => void startRun(action, rows, refresh);
  const request = (action: Action): void => {
    const rows = action.appliesTo ? selected.filter(action.appliesTo) : selected;
    if (needsConfirmation(action)) setConfirmed({ action, rows });
    else run(action, rows);
  };
  return (
    <div class="selection" role="group" aria-label="Actions on the selected connectors">
      <p class="selection-count" role="status">
        {selected.length === 0 ? 'None selected' : `${formatNumberOf(selected.length, 'connector')} selected`}
        {hidden > 0 && <span class="muted"> · {hidden} hidden by the filter not included</span>}
      </p>
      <div class="selection-actions">
        {ACTIONS.map((action) => (
          <ActionButton
            key={action.key}
            needs={action.needs}
            icon={action.icon}
            kind={action.key === 'delete' ? 'danger' : 'plain'}
            objection={objectionTo(action, selected)}
            onClick={() => request(action)}
          >
            {action.label}
          </ActionButton>
        ))}
        <Button kind="quiet" objection={selected.length === 0 ? 'No connector is selected' : null} onClick={onClear}>
          Clear selection
        </Button>
      </div>
      {confirmed && (
        <ConfirmConnectorAction
          action={confirmed.action}
          rows={confirmed.rows}
          effects={confirmed.rows.flatMap(({ className }) => data?.effects[className] ?? [])}
          onConfirm={() => run(confirmed.action, confirmed.rows)}
          onClose={() => setConfirmed(null)}
        />
      )}
    </div>
  );
}

function objectionTo({ appliesTo }: Action, selected: readonly ConnectorRow[]): string | null {
  if (selected.length === 0) return 'Select connectors first';
  return appliesTo === undefined || selected.some(appliesTo) ? null : 'None of the selected connectors is failed';
}
