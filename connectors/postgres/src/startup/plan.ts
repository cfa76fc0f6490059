/** Whether to take a snapshot and whether to stream (cdc-postgres §4.1, §4.8). Pure. */
import { ConnectError } from '@millrace/sdk';
import type { PostgresConfig } from '../config/postgres-config';
import type { SnapshotPolicy } from '../config/snapshot-config';
import { formatLsn, type Lsn } from '../database/lsn';
import { positionAt, startLsn, type Position, type StoredOffset } from '../replication/position';
import type { CreatedSlot, SlotState } from '../replication/slot';

export interface StartPlan {
  readonly snapshot: boolean;
  readonly stream: boolean;
  /** Ignore the stored position and stream from the slot position. */
  readonly fromSlot?: true;
}

/** Throws ConnectError when the stored offset rules out the snapshot mode. */
export function planStart(
  { initially, everyStart, whenLost, stream }: SnapshotPolicy,
  stored: StoredOffset,
  slot: SlotState | null,
  { name, checkPosition, mismatch }: Pick<PostgresConfig['slot'], 'name' | 'checkPosition' | 'mismatch'>,
): StartPlan {
  if (stored.kind === 'snapshot') {
    if (initially) return { snapshot: true, stream };
    throw new ConnectError(
      'The connector previously stopped while taking a snapshot, but now the connector is configured to never allow snapshots. Reconfigure the connector to use snapshots initially or when needed.',
      { code: 'PG_SNAPSHOT_UNFINISHED' },
    );
  }
  if (stored.kind === 'none') return { snapshot: initially, stream };
  if (everyStart) return { snapshot: true, stream };
  if (!stream) return { snapshot: false, stream: false };
  if (mismatch === 'trust_slot' && differs(stored.position, slot)) return { snapshot: false, stream, fromSlot: true };
  const isStrict = mismatch === 'trust_offset';
  const gap = checkPosition || isStrict ? missingChanges(stored, slot, name, isStrict) : null;
  if (gap === null) return { snapshot: false, stream };
  if (mismatch === 'trust_greater_lsn' && passedBy(stored.position, slot) !== null)
    return { snapshot: false, stream, fromSlot: true };
  if (whenLost) return { snapshot: true, stream };
  throw gap;
}

/**
 * Where the stream starts, possibly after a snapshot. A repeated snapshot does not cover changes made since the first
 * one: a row that the first one read and that was deleted since is not in it. So the stream starts where the first
 * snapshot did and repeats those changes. With `always`, the stream likewise resumes at its stored position. Null: at
 * the position of the snapshot, which is the first one.
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
  // The server no longer has the stored position, so start at the slot position.
  if (snapshot && slot !== null && slotAt !== null && !isKept(stored.position, slot)) return positionAt(slotAt);
  return stored.position;
}

/** What a repeated snapshot cannot recover; null for nothing. */
export function snapshotGap(stored: StoredOffset, slot: SlotState | null): string | null {
  if (stored.kind !== 'snapshot') return null;
  const begun = `the interrupted snapshot started at ${formatLsn(stored.lsn)}`;
  const lost = 'rows that it read and that were deleted since are not reported as deleted.';
  if (slot === null) return `${begun}, and its replication slot is gone: ${lost}`;
  const from = slot.confirmedFlushLsn;
  if (from === null || from <= stored.lsn) return null;
  return `${begun}, but its replication slot is at ${formatLsn(from)} now: ${lost}`;
}

function isKept(position: Position, slot: SlotState): boolean {
  return slot.restartLsn !== null && slot.restartLsn <= (position.processed ?? position.lsn);
}

function differs(position: Position, slot: SlotState | null): boolean {
  const at = slot?.confirmedFlushLsn ?? slot?.restartLsn ?? null;
  return at !== null && at !== startLsn(position);
}

/** How far the slot was confirmed beyond the stored position; null when it was not. */
function passedBy(position: Position, slot: SlotState | null): Lsn | null {
  const at = slot?.confirmedFlushLsn ?? slot?.restartLsn ?? null;
  return at !== null && at > startLsn(position) && at > (position.processed ?? position.lsn) ? at : null;
}

/** Explains what may have happened to the changes in between. */
function passedText(slotName: string, at: Lsn): string {
  return `Replication slot "${slotName}" was confirmed up to ${formatLsn(at)}, and the server no longer sends anything before that. A connector confirms only positions whose records are in Kafka and whose offset is stored. If only this connector has read, advanced or created the slot since, all changes are in the topics and the stored offset is merely outdated; otherwise the changes in between are lost.`;
}

/**
 * Warning for a stream that skips from its stored position to the slot position; null when they match.
 */
export function passedWarning(stored: StoredOffset, slot: SlotState | null, slotName: string): string | null {
  const at = stored.kind === 'position' ? passedBy(stored.position, slot) : null;
  if (stored.kind !== 'position' || at === null) return null;
  return `The stored position is ${formatLsn(startLsn(stored.position))}. ${passedText(slotName, at)} Streaming resumes at the slot position.`;
}

function missingChanges(
  stored: Extract<StoredOffset, { kind: 'position' }>,
  slot: SlotState | null,
  slotName: string,
  /** A slot past the stored position is an error even while the server has the WAL in between. */
  isStrict: boolean,
): ConnectError | null {
  const { position } = stored;
  const passed = passedBy(position, slot);
  if (slot !== null && isKept(position, slot) && !(isStrict && passed !== null)) return null;
  const why =
    passed !== null
      ? `${passedText(slotName, passed)} If nothing is missing, resume at the slot position with offset.mismatch.strategy=trust_greater_lsn; otherwise use snapshot.mode=when_needed, or delete the connector's offsets for a new snapshot.`
      : `replication slot "${slotName}" ${slot === null ? 'does not exist' : 'starts at no position'}; changes made since are lost: use snapshot.mode=when_needed, or delete the connector's offsets for a new snapshot.`;
  return new ConnectError(
    `The connector is trying to read change stream starting at ${formatLsn(startLsn(position))}, but this is no longer available on the server. Reconfigure the connector to use a snapshot mode when needed. (${why})`,
    { code: 'PG_POSITION_LOST', place: { slot: slotName } },
  );
}
