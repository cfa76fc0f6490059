/** Whether to take a snapshot and whether to stream (cdc-postgres §4.1, §4.8). Pure. */
import { ConnectError } from '@millrace/sdk';
import type { SnapshotMode } from '../config/postgres-config';
import { formatLsn } from '../database/lsn';
import { startLsn, type StoredOffset } from '../replication/position';
import type { SlotState } from '../replication/slot';

export interface StartPlan {
  readonly snapshot: boolean;
  readonly stream: boolean;
}

/** Throws ConnectError when the stored offset does not allow what the mode asks for. */
export function planStart(
  mode: SnapshotMode,
  stored: StoredOffset,
  slot: SlotState | null,
  slotName: string,
  checkPosition: boolean,
): StartPlan {
  const stream = mode !== 'initial_only';
  if (stored.kind === 'snapshot') {
    if (mode !== 'no_data') return { snapshot: true, stream };
    throw new ConnectError(
      'The connector previously stopped while taking a snapshot, but now the connector is configured to never allow snapshots. Reconfigure the connector to use snapshots initially or when needed.',
      { code: 'PG_SNAPSHOT_UNFINISHED' },
    );
  }
  if (stored.kind === 'none') return { snapshot: mode !== 'no_data', stream };
  if (mode === 'always') return { snapshot: true, stream };
  if (!stream) return { snapshot: false, stream: false };
  const gap = checkPosition ? missingChanges(stored, slot, slotName) : null;
  if (gap === null) return { snapshot: false, stream };
  if (mode === 'when_needed') return { snapshot: true, stream };
  throw gap;
}

function missingChanges(
  stored: Extract<StoredOffset, { kind: 'position' }>,
  slot: SlotState | null,
  slotName: string,
): ConnectError | null {
  const { position } = stored;
  const at = position.processed ?? position.lsn;
  if (slot !== null && slot.restartLsn !== null && slot.restartLsn <= at) return null;
  const why =
    slot === null
      ? `replication slot "${slotName}" does not exist`
      : `replication slot "${slotName}" starts at ${slot.restartLsn === null ? 'no position' : formatLsn(slot.restartLsn)}`;
  return new ConnectError(
    `The connector is trying to read change stream starting at ${formatLsn(startLsn(position))}, but this is no longer available on the server. Reconfigure the connector to use a snapshot mode when needed. (${why}; changes made since are lost: use snapshot.mode=when_needed, or delete the connector's offsets for a new snapshot.)`,
    { code: 'PG_POSITION_LOST', place: { slot: slotName } },
  );
}
