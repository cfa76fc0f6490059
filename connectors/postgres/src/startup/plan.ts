/** Whether to take a snapshot and whether to stream (cdc-postgres §4.1, §4.8). Pure. */
import { ConnectError } from '@millrace/sdk';
import type { PostgresConfig, SnapshotMode } from '../config/postgres-config';
import { formatLsn, type Lsn } from '../database/lsn';
import { positionAt, startLsn, type Position, type StoredOffset } from '../replication/position';
import type { CreatedSlot, SlotState } from '../replication/slot';

export interface StartPlan {
  readonly snapshot: boolean;
  readonly stream: boolean;
  /** The stored position does not count: the stream goes on where the slot is. */
  readonly fromSlot?: true;
}

/** Throws ConnectError when the stored offset does not allow what the mode asks for. */
export function planStart(
  mode: SnapshotMode,
  stored: StoredOffset,
  slot: SlotState | null,
  { name, checkPosition, trustGreater }: Pick<PostgresConfig['slot'], 'name' | 'checkPosition' | 'trustGreater'>,
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
  const gap = checkPosition ? missingChanges(stored, slot, name) : null;
  if (gap === null) return { snapshot: false, stream };
  if (trustGreater && passedBy(stored.position, slot) !== null) return { snapshot: false, stream, fromSlot: true };
  if (mode === 'when_needed') return { snapshot: true, stream };
  throw gap;
}

/**
 * Where the stream begins, or goes on behind a snapshot. A snapshot that is taken again does not stand for what came
 * between the first one and it: a row that was read first and deleted since is not in it. So the stream begins where
 * the first one did, and tells all of that again. The same holds for a snapshot of every start (`always`): the stream
 * goes on where it was. Null: at the position of the snapshot, which is the first one.
 */
export function streamPosition(
  { snapshot, fromSlot }: StartPlan,
  stored: StoredOffset,
  slot: SlotState | null,
  created: CreatedSlot | null,
): Position | null {
  if (created !== null) return positionAt(created.consistentPoint);
  if (stored.kind === 'snapshot') return positionAt(stored.lsn);
  const slotAt = slot?.confirmedFlushLsn ?? slot?.restartLsn ?? null;
  if (fromSlot && slotAt !== null) return positionAt(slotAt);
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

/** How far the slot was confirmed beyond the stored position; null when it was not. */
function passedBy(position: Position, slot: SlotState | null): Lsn | null {
  const at = slot?.confirmedFlushLsn ?? slot?.restartLsn ?? null;
  return at !== null && at > startLsn(position) && at > (position.processed ?? position.lsn) ? at : null;
}

/** What is known of the changes in between. */
function passedText(slotName: string, at: Lsn): string {
  return `Replication slot "${slotName}" was confirmed up to ${formatLsn(at)}, and the server sends nothing before that any more. A connector confirms only what Kafka has and whose offset was stored: if nothing but this connector has read, advanced or created the slot since, all changes are in the topics and the stored offset is merely an old one; otherwise those in between are lost.`;
}

/**
 * For a stream that leaves out what lies between its stored position and the slot; null when there is nothing between
 * them.
 */
export function passedWarning(stored: StoredOffset, slot: SlotState | null, slotName: string): string | null {
  const at = stored.kind === 'position' ? passedBy(stored.position, slot) : null;
  if (stored.kind !== 'position' || at === null) return null;
  return `The stored position is ${formatLsn(startLsn(stored.position))}. ${passedText(slotName, at)} The stream goes on there.`;
}

function missingChanges(
  stored: Extract<StoredOffset, { kind: 'position' }>,
  slot: SlotState | null,
  slotName: string,
): ConnectError | null {
  const { position } = stored;
  if (slot !== null && isKept(position, slot)) return null;
  const passed = passedBy(position, slot);
  const why =
    passed !== null
      ? `${passedText(slotName, passed)} If nothing is missing, go on there with offset.mismatch.strategy=trust_greater_lsn; otherwise use snapshot.mode=when_needed, or delete the connector's offsets for a new snapshot.`
      : `replication slot "${slotName}" ${slot === null ? 'does not exist' : 'starts at no position'}; changes made since are lost: use snapshot.mode=when_needed, or delete the connector's offsets for a new snapshot.`;
  return new ConnectError(
    `The connector is trying to read change stream starting at ${formatLsn(startLsn(position))}, but this is no longer available on the server. Reconfigure the connector to use a snapshot mode when needed. (${why})`,
    { code: 'PG_POSITION_LOST', place: { slot: slotName } },
  );
}
