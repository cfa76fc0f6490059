/** Members of offsets besides the position (cdc-postgres §6.1). */
import type { SourceOffset } from '@millrace/sdk';
import type { Lsn } from '../database/lsn';
import type { TransactionMetadata } from '../events/transaction-metadata';

export class OffsetMembers {
  /** See `Position`. */
  heldAt: Lsn | null = null;
  xmin: Lsn | null = null;
  /** Those of a running incremental snapshot. */
  snapshot: SourceOffset | null = null;

  /** @param metadata null: `provide.transaction.metadata` is off */
  constructor(readonly metadata: TransactionMetadata | null) {}

  /** The offset with the members that apply; the same one if there are none. */
  add(offset: SourceOffset): SourceOffset {
    const { heldAt, xmin, metadata, snapshot } = this;
    if (heldAt === null && xmin === null && metadata === null && snapshot === null) return offset;
    const all: Record<string, SourceOffset[string]> = { ...offset, ...snapshot };
    if (heldAt !== null) all.prepared_lsn = heldAt;
    if (xmin !== null) all.xmin = xmin;
    metadata?.addTo(all);
    return all;
  }
}
