/** Members of offsets besides the position (cdc-postgres §6.1). */
import type { SourceOffset } from '@millrace/sdk';
import type { Lsn } from '../database/lsn';
import { UNREAD_MEMBER } from './position';
import { TIMELINE_MEMBER } from './wal-history';
import type { TransactionMetadata } from '../events/transaction-metadata';

/** Counts of tables that are copied per record, on average. */
const COUNTS_PER_RECORD = 32;

export class OffsetMembers {
  /** See `Position`. */
  heldAt: Lsn | null = null;
  /** See `Position`. */
  unreadUntil: Lsn | null = null;
  xmin: Lsn | null = null;
  /** Text of the timeline; undefined: unknown. */
  timeline: string | undefined = undefined;
  /** Those of a running incremental snapshot. */
  snapshot: SourceOffset | null = null;

  /** Offsets left out since the last one. */
  private omitted = 0;

  /** @param metadata null: `provide.transaction.metadata` is off */
  constructor(readonly metadata: TransactionMetadata | null) {}

  /**
   * Whether the next event gets an offset of its own. Each holds the counts of all tables of the transaction, so with
   * thousands of tables one per event would take most of the time and memory.
   */
  isDue(): boolean {
    const { metadata } = this;
    if (metadata !== null && ++this.omitted * COUNTS_PER_RECORD < metadata.collections) return false;
    this.omitted = 0;
    return true;
  }

  /** The offset with the members that apply; the same one if there are none. */
  add(offset: SourceOffset): SourceOffset {
    const { heldAt, unreadUntil, xmin, timeline, metadata, snapshot } = this;
    // The offsets of rows have it.
    const isNamed = timeline === undefined || offset[TIMELINE_MEMBER] !== undefined;
    if (isNamed && heldAt === null && unreadUntil === null && xmin === null && metadata === null && snapshot === null)
      return offset;
    const all: Record<string, SourceOffset[string]> = { ...offset, ...snapshot };
    if (timeline !== undefined) all[TIMELINE_MEMBER] = timeline;
    if (heldAt !== null) all.prepared_lsn = heldAt;
    if (unreadUntil !== null) all[UNREAD_MEMBER] = unreadUntil;
    if (xmin !== null) all.xmin = xmin;
    metadata?.addTo(all);
    return all;
  }
}
