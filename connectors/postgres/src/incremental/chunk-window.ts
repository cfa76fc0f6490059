/**
 * The rows of one chunk, less those that change while it is read (cdc-postgres §4.10). Rows are kept as received bytes,
 * so the limit of the chunk bounds their memory.
 *
 * As in Debezium, a row is dropped when a change of it arrives between the marks of the chunk. Two more things matter:
 * whether the rows contain the change, and whether its event has all values. An event that lacks large values, because
 * they did not change, must not replace the row that has them.
 */
import type { TableName } from '../database/catalog';
import type { Cells } from '../events/row';
import type { TableModel } from '../events/table-model';
import type { Visibility } from '../replication/recent-transactions';
import type { RowIdentity } from './row-identity';

export interface ChunkRow {
  /** Text of its identity. */
  readonly key: string;
  /** A DataRow message. */
  readonly bytes: Buffer;
}

/** A row to emit. */
interface RemainingRow {
  readonly bytes: Buffer;
  /** Values that the stream has sent since; undefined where the ones of `bytes` are still right. Null: none. */
  readonly newer: Cells | null;
}

/** What the stream has emitted of a row. */
interface StreamedChange {
  readonly xid: number;
  /** Text of the identity of the row before; null: the same as that of the row after, or there was none. */
  readonly from: string | null;
  /** Of the row after; null: it was deleted, or other rows may have the same. */
  readonly to: string | null;
  /** The new row, of which large values were not sent; null: the event has all values. Reused after the call. */
  readonly unsent: Cells | null;
}

/** A change that arrived before the rows were read; `change` is null for one of unknown rows, or of all. */
interface Early {
  readonly xid: number;
  readonly change: StreamedChange | null;
  readonly marked: boolean;
}

interface Entry {
  readonly bytes: Buffer;
  /** Of rows with this identity. */
  count: number;
  newer: Cells | null;
}

/** Changes that are remembered until the rows are read. */
const MAX_EARLY = 100_000;
/** As many of those count for one with values. */
const WEIGHT_OF_VALUES = 50;

export class ChunkWindow {
  private early: Early[] = [];
  private earlySize = 0;
  private readonly rows = new Map<string, Entry>();
  /** Null: the rows are not read yet. */
  private visibility: Visibility | null = null;
  /** The opening mark has arrived. Chunks without marks have none. */
  private marked = false;
  /**
   * The rows must be read again: the table was truncated, or it is not known which of them a change has replaced.
   */
  stale = false;

  /** @param model cells of changes and rows are those of its columns */
  constructor(
    private readonly table: TableName,
    readonly model: TableModel,
    readonly identity: RowIdentity,
  ) {}

  /** The stream must wait for the rows, because it remembers too many changes. */
  get isFull(): boolean {
    return this.visibility === null && this.earlySize >= MAX_EARLY;
  }

  isOf(model: TableModel): boolean {
    return model.name === this.table.name && model.schema === this.table.schema;
  }

  /** The stream has found the opening mark of the chunk. */
  open(): void {
    this.marked = true;
  }

  load(rows: readonly ChunkRow[], visibility: Visibility): void {
    for (const { key, bytes } of rows) {
      const same = this.rows.get(key);
      if (same === undefined) this.rows.set(key, { bytes, count: 1, newer: null });
      else same.count++;
    }
    this.visibility = visibility;
    for (const { xid, change, marked } of this.early) this.apply(xid, change, marked, visibility);
    this.early = [];
  }

  /** The stream has emitted a change. */
  change(change: StreamedChange): void {
    const { visibility, marked } = this;
    if (visibility !== null) return this.apply(change.xid, change, marked, visibility);
    const { unsent } = change;
    this.early.push({ xid: change.xid, change: unsent === null ? change : { ...change, unsent: [...unsent] }, marked });
    this.earlySize += unsent === null ? 1 : WEIGHT_OF_VALUES;
  }

  /** A change of an unknown row, or of all rows. */
  invalidate(xid: number): void {
    const { visibility, marked } = this;
    if (visibility !== null) return this.apply(xid, null, marked, visibility);
    this.early.push({ xid, change: null, marked });
    this.earlySize++;
  }

  private apply(xid: number, change: StreamedChange | null, marked: boolean, visibility: Visibility): void {
    if (change === null) {
      if (!visibility.contains(xid)) this.stale = true;
      return;
    }
    const { from, to, unsent } = change;
    // As Debezium does. Rows that equal others are only dropped if they are read without the change.
    if (marked && unsent === null && this.identity.isUnique) this.drop(from, to);
    else if (!visibility.contains(xid)) {
      if (unsent !== null) this.update(from, to as string, unsent);
      else if (this.identity.isUnique || visibility.misses(xid)) this.drop(from, to);
      else this.stale = true;
    }
  }

  private drop(from: string | null, to: string | null): void {
    for (const key of [from, to]) {
      if (key === null) continue;
      if ((this.rows.get(key)?.count ?? 0) > 1) this.stale = true;
      else this.rows.delete(key);
    }
  }

  /** The values that were not sent are those of the row that was read. */
  private update(from: string | null, to: string, unsent: Cells): void {
    const { rows } = this;
    const source = from !== null && rows.has(from) ? from : to;
    const row = rows.get(source);
    if (row === undefined) return;
    row.newer = merged(row.newer, unsent);
    if (source === to) return;
    rows.delete(source);
    rows.set(to, row);
  }

  /** Rows to emit, in the order of the chunk. */
  remaining(): RemainingRow[] {
    return [...this.rows.values()].flatMap(({ bytes, count, newer }) =>
      new Array<RemainingRow>(count).fill({ bytes, newer }),
    );
  }
}

function merged(older: Cells | null, newer: Cells): Cells {
  if (older === null) return [...newer];
  return newer.map((value, i) => (value === undefined ? older[i] : value));
}
