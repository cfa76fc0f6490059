/** Counts of the events of a task. Plain numbers, because they are written for every record. */
import { LagStatistics } from './lag-statistics';

/** Events of one table. */
export class TableCounts {
  created = 0;
  updated = 0;
  deleted = 0;
  truncated = 0;
  /** Rows of snapshots. */
  read = 0;

  constructor(
    /** `schema.table` */
    readonly table: string,
  ) {}
}

export class EventCounts {
  /** Events of changes. */
  streamed = 0;
  /** Events of rows that snapshots read. */
  read = 0;
  /** Events of logical decoding messages, which are not among those of changes. */
  messages = 0;
  /** Changes of tables that are not captured, and of operations that are skipped. */
  filtered = 0;
  /** Updates without a changed column that were skipped. */
  unchanged = 0;
  /** Changes that could not be published and were left out. */
  erroneous = 0;
  /** Transactions with at least one event. */
  transactions = 0;
  /** Of the last event; null before the first. */
  xid: number | null = null;
  /** Commit time of the transaction that is decoded, in milliseconds since the epoch. */
  committedAt = 0;
  /** When the last event was created, in milliseconds since the epoch; 0: never. */
  streamedAt = 0;
  readAt = 0;
  /** Milliseconds from the last event's commit until it was created; -1 before the first. */
  lagMs = -1;
  readonly lags = new LagStatistics();
  private readonly tables = new Map<string, TableCounts>();
  /** Events whose transaction was not counted yet are those beyond. */
  private counted = 0;

  /** The counts of a table stay the same when its definition changes. */
  of(table: string): TableCounts {
    const counts = this.tables.get(table) ?? new TableCounts(table);
    this.tables.set(table, counts);
    return counts;
  }

  all(): Iterable<TableCounts> {
    return this.tables.values();
  }

  /** @param now milliseconds since the epoch */
  event(table: TableCounts, op: string, now: number): void {
    switch (op) {
      case 'c':
        table.created++;
        break;
      case 'u':
        table.updated++;
        break;
      case 'd':
        table.deleted++;
        break;
      case 't':
        table.truncated++;
        break;
      case 'r':
        table.read++;
        this.read++;
        this.readAt = now;
        return;
    }
    this.streamed++;
    this.streamedAt = now;
  }

  /**
   * The event of a change is not published after all. Call before `settle`.
   * @param event value of its record; null: a tombstone, which was not counted
   */
  undo(event: Readonly<Record<string, unknown>> | null): void {
    const source = event?.source as { readonly schema: string; readonly table: string } | undefined;
    if (event == null || source === undefined) return;
    this.undoOf(this.of(`${source.schema}.${source.table}`), event.op as string);
  }

  undoOf(table: TableCounts, op: string): void {
    if (op === 'c') table.created--;
    else if (op === 'u') table.updated--;
    else if (op === 'd') table.deleted--;
    else if (op === 't') table.truncated--;
    this.streamed--;
  }

  /** Call at the end of each transaction and of each batch: counts the events since the last call. */
  settle(xid: number): void {
    const events = this.streamed - this.counted;
    if (events === 0) return;
    this.counted = this.streamed;
    // A transaction that spans batches is one.
    if (xid !== this.xid) this.transactions++;
    this.xid = xid;
    this.lagMs = Math.max(0, this.streamedAt - this.committedAt);
    this.lags.record(this.lagMs, events);
  }
}
