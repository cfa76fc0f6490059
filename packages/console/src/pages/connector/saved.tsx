/** What happens after a configuration was saved: which tasks have restarted, and how the connector is now. */
import type { JSX } from 'preact';
import type { ConnectorRow } from '../../worker-api';
import { SummaryBadge } from '../../parts/badge';
import { Button } from '../../parts/button';
import { formatClock, formatNumberOf } from '../../parts/format';
import { Icon } from '../../parts/icon';
import { Text } from '../../parts/text';

export interface SavedConfig {
  /** By the worker's clock. */
  readonly at: number;
  readonly keys: number;
}

export interface SavedProps {
  readonly saved: SavedConfig;
  readonly row: ConnectorRow;
  readonly onClose: () => void;
}

/** Clocks of workers differ a little. */
const TOLERANCE_MS = 2000;

export function Saved({ saved: { at, keys }, row, onClose }: SavedProps): JSX.Element {
  const isNew = (since: number | null): boolean => since !== null && since >= at - TOLERANCE_MS;
  const restarted = row.tasks.filter(({ since }) => isNew(since)).length;
  const isFailed = row.failure !== null && isNew(row.failure.at);
  return (
    <div role="status" class={`notice notice-${isFailed ? 'failed' : 'running'}`}>
      <Icon name={isFailed ? 'failed' : 'running'} />
      <div class="notice-text">
        <strong>
          Saved at {formatClock(at)}: {formatNumberOf(keys, 'key')}
        </strong>
        <p>
          {row.target === 'STARTED'
            ? `${restarted} of ${formatNumberOf(row.tasks.length, 'task')} restarted since. `
            : `The connector stays ${row.target.toLowerCase()}. `}
          <SummaryBadge row={row} />
        </p>
        {isFailed && row.failure && (
          <p>
            <Text>{row.failure.sentence}</Text>
          </p>
        )}
      </div>
      <Button kind="quiet" icon="close" label="Dismiss what was saved" onClick={onClose} />
    </div>
  );
}
