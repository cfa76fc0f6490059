/** Whether to take a snapshot and whether to stream (cdc-postgres §4.1, §4.8). Pure. */
import { ConnectError } from '@millrace/sdk';
import type { SnapshotPolicy } from '../config/snapshot-config';
import { formatLsn } from '../database/lsn';
import { positionAt, type Position, type StoredOffset } from '../replication/position';
import { checkResume, isKept, slotPosition, type ResumeRules } from '../replication/resume-check';
import type { CreatedSlot, SlotState } from '../replication/slot';
import { divergence, type ServerWal } from '../replication/wal-history';

export interface StartPlan {
  readonly snapshot: boolean;
  readonly stream: boolean;
  /** Ignore the stored position and stream from the slot position. */
  readonly fromSlot?: true;
  /** The snapshot replaces changes that the server no longer sends. */
  readonly replaces?: true;
  /** The server does not have the WAL of the stored position, so that says nothing about where to resume. */
  readonly diverged?: ConnectError;
}

/** Throws ConnectError when the stored offset rules out the snapshot mode. @param wal null: unknown */
export function planStart(
  { initially, everyStart, whenLost, stream }: SnapshotPolicy,
  stored: StoredOffset,
  slot: SlotState | null,
  rules: ResumeRules,
  wal: ServerWal | null = null,
): StartPlan {
  if (stored.kind === 'none') return { snapshot: initially, stream };
  if (stored.kind === 'snapshot') {
    if (!initially)
      throw new ConnectError(
        'The connector previously stopped while taking a snapshot, but now the connector is configured to never allow snapshots. Reconfigure the connector to use snapshots initially or when needed.',
        { code: 'PG_SNAPSHOT_UNFINISHED' },
      );
    const { lsn, timeline } = stored;
    const diverged = wal === null || !stream ? null : divergence({ reached: lsn, timeline }, wal, rules.name);
    return { snapshot: true, stream, ...(diverged !== null && { diverged }) };
  }
  if (!everyStart && !stream) return { snapshot: false, stream: false };
  const { problem, fromSlot, accepted } = checkResume(stored.position, slot, wal, rules);
  const found = problem ?? accepted;
  const diverged = found?.code === 'PG_WAL_DIVERGED' ? { diverged: found } : {};
  const replaces = problem?.code === 'PG_POSITION_LOST' && stream ? ({ replaces: true } as const) : {};
  if (everyStart) return { snapshot: true, stream, ...diverged, ...replaces };
  if (problem === null) return { snapshot: false, stream, ...(fromSlot && { fromSlot }), ...diverged };
  if (whenLost) return { snapshot: true, stream, ...diverged, ...replaces };
  throw problem;
}

/**
 * Where the stream starts, possibly after a snapshot. A repeated snapshot does not cover changes made since the first
 * one: a row that the first one read and that was deleted since is not in it. So the stream starts where the first
 * snapshot did and repeats those changes. With `always`, the stream likewise resumes at its stored position. Null: at
 * the position of the snapshot, which is the first one.
 */
export function streamPosition(
  { snapshot, fromSlot, diverged }: StartPlan,
  stored: StoredOffset,
  slot: SlotState | null,
  created: CreatedSlot | null,
): Position | null {
  if (created !== null) return positionAt(created.consistentPoint);
  const slotAt = slotPosition(slot);
  if (diverged !== undefined && slotAt !== null) return positionAt(slotAt);
  if (stored.kind === 'snapshot') return positionAt(stored.lsn);
  if (fromSlot && slotAt !== null) return positionAt(slotAt);
  if (stored.kind === 'none') return snapshot || slotAt === null ? null : positionAt(slotAt);
  // The server no longer has the stored position, so start at the slot position.
  if (snapshot && slot !== null && slotAt !== null && !isKept(stored.position, slot)) return positionAt(slotAt);
  return stored.position;
}

/** What a repeated snapshot cannot recover; null for nothing. */
export function snapshotGap(stored: StoredOffset, slot: SlotState | null, diverged?: ConnectError): string | null {
  if (diverged !== undefined) return diverged.message;
  if (stored.kind !== 'snapshot') return null;
  const begun = `the interrupted snapshot started at ${formatLsn(stored.lsn)}`;
  const lost = 'rows that it read and that were deleted since are not reported as deleted.';
  if (slot === null) return `${begun}, and its replication slot is gone: ${lost}`;
  const from = slot.confirmedFlushLsn;
  if (from === null || from <= stored.lsn) return null;
  return `${begun}, but its replication slot is at ${formatLsn(from)} now: ${lost}`;
}
