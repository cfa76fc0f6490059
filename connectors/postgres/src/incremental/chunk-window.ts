/**
 * The rows of one chunk, less those that change while it is read (cdc-postgres §4.10). Rows are kept as received bytes,
 * so the limit of the chunk bounds their memory.
 */
import type { TableName } from '../database/catalog';
import type { TableModel } from '../events/table-model';

export interface ChunkRow {
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
  private keys = new Set<string>();
  /** The rows must be read again: the table was altered or truncated, or a change did not hold its key. */
  stale = false;
  private everything = false;

  /** @param chunkKey columns that order the rows */
  constructor(
    private readonly table: TableName,
    readonly chunkKey: readonly string[],
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
    this.keys = new Set(rows.map(({ key }) => key));
    for (const key of this.changed ?? []) this.keys.delete(key);
    this.changed = null;
  }

  /** The stream has emitted a change of the row with this key. */
  remove(key: string): void {
    if (this.changed === null) this.keys.delete(key);
    else this.changed.add(key);
  }

  /** A change of an unknown row, or of all rows. */
  invalidate(): void {
    this.everything = true;
    if (this.changed === null) this.stale = true;
  }

  /** Rows to emit, in the order of the chunk. */
  remaining(): ChunkRow[] {
    return this.rows.filter(({ key }) => this.keys.has(key));
  }
}
