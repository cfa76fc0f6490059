/**
 * Marks the first and last rows (cdc-postgres §2.9). Holds one row of each table back, because the last one is known
 * only afterwards.
 */
import { isRawRow, plainRecord, type SourceOffset, type SourceRecord } from '@millrace/sdk';
import type { SnapshotMark, SourceStruct } from '../events/event-context';

/** What the markers know of a table. */
export class TableRows {
  held: SourceRecord | null = null;
  /** A row was emitted. */
  begun = false;
  /** Parts of the table that end with the held row. */
  ending: Ending[] = [];
}

/** A part of a table; `emitted` is called when its last row is. */
interface Ending {
  emitted(): void;
}

export class SnapshotMarkers {
  /** All its rows are here, the last one is held: it may be the last of all. */
  private ended: TableRows | null = null;
  private begun = false;
  /** Of the record emitted last. */
  lastOffset: SourceOffset | null = null;

  /**
   * @param running offset of a row; called after the `emitted` of everything that the row ends
   * @param completed offset of the very last row
   */
  constructor(
    private readonly running: () => SourceOffset,
    private readonly completed: SourceOffset,
  ) {}

  /** Adds the previous row of the table to `out` and holds this one back. */
  row(table: TableRows, record: SourceRecord, out: SourceRecord[]): void {
    if (this.ended !== null) this.releaseEnded(out);
    if (table.held !== null) this.release(table, 'true', out);
    table.held = record;
  }

  /** All rows of a part of the table were passed to `row`. */
  partEnded(table: TableRows, part: Ending): void {
    if (table.held === null) part.emitted();
    else table.ending.push(part);
  }

  /** Call once, after the last row of the table, if it has any. */
  tableEnded(table: TableRows, out: SourceRecord[]): void {
    if (table.held === null) return;
    if (this.ended !== null) this.releaseEnded(out);
    this.ended = table;
  }

  /** Call when all tables have ended. */
  finish(out: SourceRecord[]): void {
    if (this.ended !== null) this.release(this.ended, 'last', out);
    this.ended = null;
  }

  /** Call when reading has failed: the row that is held back belongs to a table of which all rows were read. */
  abandon(out: SourceRecord[]): void {
    if (this.ended !== null) this.releaseEnded(out);
  }

  private releaseEnded(out: SourceRecord[]): void {
    const ended = this.ended as TableRows;
    this.ended = null;
    this.release(ended, 'last_in_data_collection', out);
  }

  private release(table: TableRows, as: 'true' | 'last' | 'last_in_data_collection', out: SourceRecord[]): void {
    const held = table.held as SourceRecord;
    table.held = null;
    setMark(held, this.mark(table, as));
    table.begun = true;
    this.begun = true;
    if (table.ending.length > 0) {
      for (const part of table.ending) part.emitted();
      table.ending = [];
    }
    this.lastOffset = as === 'last' ? this.completed : this.running();
    (held as { sourceOffset: SourceOffset }).sourceOffset = this.lastOffset;
    out.push(held);
  }

  private mark(table: TableRows, as: 'true' | 'last' | 'last_in_data_collection'): SnapshotMark {
    if (as === 'last') return 'last';
    if (!this.begun) return 'first';
    if (as === 'last_in_data_collection') return as;
    return table.begun ? 'true' : 'first_in_data_collection';
  }
}

/** A row that is not decoded has the mark of most rows. The others are few. */
function setMark(record: SourceRecord, mark: SnapshotMark): void {
  if (isRawRow(record.value)) {
    if (mark === 'true') return;
    Object.assign(record, plainRecord(record));
  }
  (record.value as unknown as { readonly source: SourceStruct }).source.snapshot = mark;
}
