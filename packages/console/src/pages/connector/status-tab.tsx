/** What is wrong, and what runs where. */
import type { JSX } from 'preact';
import type { ConnectorDetails } from '../../worker-api';
import { StateBadge } from '../../parts/badge';
import { transition } from '../../parts/states';
import { PanelSection } from './panel-section';
import { Reasons } from './reasons';
import { TaskTable } from './task-table';

export interface StatusTabProps {
  readonly details: ConnectorDetails;
  readonly refresh: () => void;
}

export function StatusTab({ details, refresh }: StatusTabProps): JSX.Element {
  const { row, panels } = details;
  const change = transition(row);
  return (
    <>
      <Reasons details={details} refresh={refresh} />
      <p class="instance">
        Connector <StateBadge state={row.state} />
        <span class="muted">
          {change === null
            ? `requested: ${row.target.toLowerCase()}`
            : `requested: ${row.target.toLowerCase()}, ${change}`}
        </span>
      </p>
      <TaskTable row={row} refresh={refresh} />
      {panels.map((panel, i) => (
        <PanelSection key={panel.title} panel={panel} id={`panel-${i}`} />
      ))}
    </>
  );
}
