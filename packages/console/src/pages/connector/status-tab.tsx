/** What is wrong, and what runs where. */
import type { JSX } from 'preact';
import type { ConnectorDetails } from '../../worker-api';
import { StateBadge } from '../../parts/badge';
import { transition } from '../../parts/states';
import { Notice } from '../../parts/placeholders';
import { Failures, LastRestart } from './failures';
import { PanelSection } from './panel-section';
import { TaskTable } from './task-table';

export interface StatusTabProps {
  readonly details: ConnectorDetails;
  readonly refresh: () => void;
}

export function StatusTab({ details, refresh }: StatusTabProps): JSX.Element {
  const { row, failures, lastRestart, panels } = details;
  const change = transition(row);
  return (
    <>
      <Failures failures={failures} lastRestart={lastRestart} />
      {row.isWorkerGone && (
        <Notice kind="degraded" title="The connector's worker has left the group">
          What is shown is its last known state. The group assigns the connector to another worker after
          "scheduled.rebalance.max.delay.ms".
        </Notice>
      )}
      <p class="instance">
        Connector <StateBadge state={row.state} />
        <span class="muted">
          {change === null
            ? `requested: ${row.target.toLowerCase()}`
            : `requested: ${row.target.toLowerCase()}, ${change}`}
        </span>
      </p>
      {failures.length === 0 && <LastRestart restart={lastRestart} />}
      <TaskTable row={row} refresh={refresh} />
      {panels.map((panel, i) => (
        <PanelSection key={panel.title} panel={panel} id={`panel-${i}`} />
      ))}
    </>
  );
}
