/**
 * Marks the first and last rows (cdc-postgres §2.9). Holds one row back, because the last row is known only afterwards.
 */
import type { SourceOffset, SourceRecord } from '@millrace/sdk';
import type { SnapshotMark } from '../events/event-factory';
import type { Struct } from '../events/row';

export interface SnapshotOffsets {
  readonly running: SourceOffset;
  readonly completed: SourceOffset;
}

export class SnapshotMarkers {
  private held: SourceRecord | null = null;
  private heldIsFirstOfTable = false;
  private heldIsFirst = false;
  private any = false;
  private tableHasRows = false;

  constructor(private readonly offsets: SnapshotOffsets) {}

  /** Adds the previous row to `out` and holds this one back. */
  row(record: SourceRecord, out: SourceRecord[]): void {
    this.release(out, false);
    this.held = record;
    this.heldIsFirst = !this.any;
    this.heldIsFirstOfTable = !this.tableHasRows;
    this.any = true;
    this.tableHasRows = true;
  }

  /** Call before the first row of another table. */
  tableEnded(): void {
    this.endOfTable = this.tableHasRows;
    this.tableHasRows = false;
  }
  private endOfTable = false;

  finish(out: SourceRecord[]): void {
    this.release(out, true);
  }

  private release(out: SourceRecord[], last: boolean): void {
    const { held } = this;
    if (held !== null) {
      const { value } = held as { value: { source: Struct } };
      value.source.snapshot = this.mark(last);
      (held as { sourceOffset: SourceOffset }).sourceOffset = last ? this.offsets.completed : this.offsets.running;
      out.push(held);
      this.held = null;
      this.endOfTable = false;
    }
  }

  private mark(last: boolean): SnapshotMark {
    if (last) return 'last';
    if (this.heldIsFirst) return 'first';
    if (this.endOfTable) return 'last_in_data_collection';
    return this.heldIsFirstOfTable ? 'first_in_data_collection' : 'true';
  }
}
