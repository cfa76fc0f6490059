/**
 * While an incremental snapshot reads a table: a row whose key moves to where the snapshot has read already is read by
 * no later chunk, and the event of its new key lacks the large values that did not change. No record would have them,
 * so they are read from the table, in its present state.
 */
import type { SourceRecord } from '@millrace/sdk';
import type { Struct } from '../events/event-context';
import type { Phase, Session } from '../session';
import { ColumnReselector, UNAVAILABLE } from './column-reselector';

interface SnapshotPhase extends Pick<Phase, 'next'> {
  /** Tables that an incremental snapshot reads, as `schema.table`; null: none. */
  readonly tablesBeingRead: ReadonlySet<string> | null;
}

export class MovedRows {
  private tables: ReadonlySet<string> | null = null;
  private readonly reselector: ColumnReselector;

  constructor(session: Session) {
    this.reselector = new ColumnReselector(session, UNAVAILABLE, {
      // Of the events of a creation, only those of a new key lack values.
      isWanted: ({ value }, { schema, name }) =>
        (value as Struct).op === 'c' && this.tables?.has(`${schema}.${name}`) === true,
    });
  }

  async next(phase: SnapshotPhase): Promise<SourceRecord[] | null> {
    // Before the records are decoded, because a table may end meanwhile.
    if (this.reselector.isIdle) this.tables = phase.tablesBeingRead;
    return await (this.tables === null ? phase.next() : this.reselector.next(phase));
  }

  /** All records of the phase were returned. */
  get isIdle(): boolean {
    return this.reselector.isIdle;
  }

  async close(): Promise<void> {
    await this.reselector.close();
  }
}
