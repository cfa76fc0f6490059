/**
 * The rows of one chunk, less those that change while it is read (cdc-postgres §4.10). Rows are kept as received bytes,
 * so the limit of the chunk bounds their memory.
 */
import type { TableName } from '../database/catalog';
import type { TableModel } from '../events/table-model';
import type { RowIdentity } from './row-identity';

export interface ChunkRow {
  /** Text of its identity. */
  readonly key: string;
  /** A DataRow message. */
  readonly bytes: Buffer;
}

/** Changed keys that are remembered until the rows are read. */
const MAX_CHANGED = 100_000;

export class ChunkWindow {
  /** Keys that changed before the rows were read. Null: the rows are read, so only theirs matter. */
  private changed: Set<string> | null = new Set();
  private rows: readonly ChunkRow[] = [];
  /** Number of rows by key. */
  private counts = new Map<string, number>();
  /**
   * The rows must be read again: the table was truncated, or it is not known which of them a change has replaced.
   */
  stale = false;
  private everything = false;

  constructor(
    private readonly table: TableName,
    readonly identity: RowIdentity,
  ) {}

  /** The stream must wait for the rows, because it remembers too many keys. */
  get isFull(): boolean {
    return (this.changed?.size ?? 0) >= MAX_CHANGED;
  }

  isOf(model: TableModel): boolean {
    return model.name === this.table.name && model.schema === this.table.schema;
  }

  load(rows: readonly ChunkRow[]): void {
    this.rows = rows;
    if (this.everything) this.stale = true;
    for (const { key } of rows) this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    for (const key of this.changed ?? []) this.drop(key);
    this.changed = null;
  }

  /** The stream has emitted a change of the row with this key. */
  remove(key: string): void {
    if (this.changed === null) this.drop(key);
    else this.changed.add(key);
  }

  private drop(key: string): void {
    if ((this.counts.get(key) ?? 0) > 1) this.stale = true;
    else this.counts.delete(key);
  }

  /** A change of an unknown row, or of all rows. */
  invalidate(): void {
    this.everything = true;
    if (this.changed === null) this.stale = true;
  }

  /** Rows to emit, in the order of the chunk. */
  remaining(): ChunkRow[] {
    return this.rows.filter(({ key }) => this.counts.has(key));
  }
}
