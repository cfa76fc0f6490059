/**
 * Whether a stream can resume at its position, and what `offset.mismatch.strategy` makes of it. One rule for the start
 * and for each reconnect (cdc-postgres §4.8). Pure.
 */
import { ConnectError } from '@millrace/sdk';
import type { PostgresConfig } from '../config/postgres-config';
import { formatLsn, type Lsn } from '../database/lsn';
import { reachedLsn, startLsn, type Position } from './position';
import type { SlotState } from './slot';
import { divergence, type ServerWal } from './wal-history';

export type ResumeRules = Pick<PostgresConfig['slot'], 'name' | 'checkPosition' | 'mismatch'>;

interface ResumeCheck {
  /** Why the stream cannot resume there; null: it can. */
  readonly problem: ConnectError | null;
  /** It resumes at the slot's position instead. */
  readonly fromSlot: boolean;
  /** The problem that `offset.mismatch.strategy` accepts. */
  readonly accepted: ConnectError | null;
}

/**
 * @param wal null: unknown
 * @param isReconnect only this stream may have confirmed positions since, so a slot beyond its position was read or
 *   advanced by others; one before it has not received the last confirmations
 */
export function checkResume(
  position: Position,
  slot: SlotState | null,
  wal: ServerWal | null,
  { name, checkPosition, mismatch }: ResumeRules,
  isReconnect = false,
): ResumeCheck {
  const isStrict = isReconnect || mismatch === 'trust_offset';
  const read = { reached: reachedLsn(position), timeline: position.timeline };
  const problem =
    checkPosition || mismatch === 'trust_offset'
      ? ((wal === null ? null : divergence(read, wal, name)) ?? missingChanges(position, slot, name, isStrict))
      : null;
  const fromSlot =
    mismatch === 'trust_slot'
      ? slotPosition(slot) !== null && (problem !== null || (!isReconnect && differs(position, slot)))
      : mismatch === 'trust_greater_lsn' && problem !== null && passedBy(position, slot) !== null;
  return fromSlot ? { problem: null, fromSlot, accepted: problem } : { problem, fromSlot, accepted: null };
}

/** The position of the slot; null: none. */
export function slotPosition(slot: SlotState | null): Lsn | null {
  return slot?.confirmedFlushLsn ?? slot?.restartLsn ?? null;
}

/** The server has all WAL from the position on. */
export function isKept(position: Position, slot: SlotState): boolean {
  return slot.restartLsn !== null && slot.restartLsn <= (position.processed ?? position.lsn);
}

function differs(position: Position, slot: SlotState | null): boolean {
  const at = slotPosition(slot);
  return at !== null && at !== startLsn(position);
}

/** How far the slot was confirmed beyond the stored position; null when it was not. */
export function passedBy(position: Position, slot: SlotState | null): Lsn | null {
  const at = slotPosition(slot);
  return at !== null && at > startLsn(position) && at > (position.processed ?? position.lsn) ? at : null;
}

/** Explains what may have happened to the changes in between. */
function passedText(slotName: string, at: Lsn): string {
  return `Replication slot "${slotName}" was confirmed up to ${formatLsn(at)}, and the server no longer sends anything before that. A connector confirms only positions whose records are in Kafka and whose offset is stored. If only this connector has read, advanced or created the slot since, all changes are in the topics and the stored offset is merely outdated; otherwise the changes in between are lost.`;
}

/**
 * Warning for a stream that skips from its stored position to the slot position; null when they match.
 */
export function passedWarning(position: Position, slot: SlotState | null, slotName: string): string | null {
  const at = passedBy(position, slot);
  if (at === null) return null;
  return `The stored position is ${formatLsn(startLsn(position))}. ${passedText(slotName, at)} Streaming resumes at the slot position.`;
}

/** Warning for a snapshot that replaces changes which the server no longer sends. */
export function replacedWarning(position: Position, slot: SlotState | null, slotName: string): string {
  const passed = passedBy(position, slot);
  const why =
    passed === null
      ? `Replication slot "${slotName}" ${slot === null ? 'does not exist, or is lost' : 'starts at no position'}.`
      : passedText(slotName, passed);
  return `PG_POSITION_LOST: The server no longer sends the changes after the stored position ${formatLsn(startLsn(position))}. ${why} A new snapshot reads the rows that exist; changes and deletes made before it may be missing.`;
}

function missingChanges(
  position: Position,
  slot: SlotState | null,
  slotName: string,
  /** A slot past the stored position is an error even while the server has the WAL in between. */
  isStrict: boolean,
): ConnectError | null {
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
