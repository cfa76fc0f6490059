/** Whether to take a snapshot and whether to stream (cdc-postgres §4.1, §4.8). Pure. */
import { ConnectError } from '@millrace/sdk';
import type { SnapshotMode } from '../config/postgres-config';
import { formatLsn } from '../database/lsn';
import { positionAt, startLsn, type Position, type StoredOffset } from '../replication/position';
import type { CreatedSlot, SlotState } from '../replication/slot';

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

/**
 * Where the stream begins, or goes on behind a snapshot. A snapshot that is taken again does not stand for what came between the first one and it: a
 * row that was read first and deleted since is not in it. So the stream begins where the first one did, and tells all of that again. The same holds for
 * a snapshot of every start (`always`): the stream goes on where it was. Null: at the position of the snapshot, which is the first one.
 */
export function streamPosition(
  { snapshot }: StartPlan,
  stored: StoredOffset,
  slot: SlotState | null,
  created: CreatedSlot | null,
): Position | null {
  if (created !== null) return positionAt(created.consistentPoint);
  if (stored.kind === 'snapshot') return positionAt(stored.lsn);
  const slotAt = slot?.confirmedFlushLsn ?? slot?.restartLsn ?? null;
  if (stored.kind === 'none') return snapshot || slotAt === null ? null : positionAt(slotAt);
  // Kept by the server no more: it begins with what there is.
  if (snapshot && slot !== null && slotAt !== null && !isKept(stored.position, slot)) return positionAt(slotAt);
  return stored.position;
}

/** What is lost although a snapshot is taken again; null when nothing is. */
export function snapshotGap(stored: StoredOffset, slot: SlotState | null): string | null {
  if (stored.kind !== 'snapshot') return null;
  const begun = `the interrupted snapshot began at ${formatLsn(stored.lsn)}`;
  const lost = 'rows that were read by it and deleted before are not reported as deleted.';
  if (slot === null) return `${begun}, and its replication slot is gone: ${lost}`;
  const from = slot.confirmedFlushLsn;
  if (from === null || from <= stored.lsn) return null;
  return `${begun}, but its replication slot is at ${formatLsn(from)} now: ${lost}`;
}

function isKept(position: Position, slot: SlotState): boolean {
  return slot.restartLsn !== null && slot.restartLsn <= (position.processed ?? position.lsn);
}

function missingChanges(
  stored: Extract<StoredOffset, { kind: 'position' }>,
  slot: SlotState | null,
  slotName: string,
): ConnectError | null {
  const { position } = stored;
  if (slot !== null && isKept(position, slot)) return null;
  const why =
    slot === null
      ? `replication slot "${slotName}" does not exist`
      : `replication slot "${slotName}" starts at ${slot.restartLsn === null ? 'no position' : formatLsn(slot.restartLsn)}`;
  return new ConnectError(
    `The connector is trying to read change stream starting at ${formatLsn(startLsn(position))}, but this is no longer available on the server. Reconfigure the connector to use a snapshot mode when needed. (${why}; changes made since are lost: use snapshot.mode=when_needed, or delete the connector's offsets for a new snapshot.)`,
    { code: 'PG_POSITION_LOST', place: { slot: slotName } },
  );
}
