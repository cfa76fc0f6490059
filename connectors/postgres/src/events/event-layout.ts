/** What differs between the events of Debezium's versions, around the rows (cdc-postgres §0.2, §2.2 to §2.4). */
import type { Schema, SourceOffset, SourceRecord } from '@millrace/sdk';
import type { Lsn } from '../database/lsn';
import type { EventContext, Instant, SnapshotMark, Struct } from './event-context';

/** The members of `source` that never change. */
export interface SourceIdentity {
  readonly version: string;
  readonly name: string;
  readonly db: string;
}

/** A table, as far as `source` names it. */
export interface SourceTable {
  readonly schema: string;
  readonly name: string;
}

export interface EventLayout {
  /** Column schemas carry the defaults of the catalog. */
  readonly columnDefaults: boolean;
  /** Schemas have versions. */
  readonly versioned: boolean;
  /** Rows of a snapshot have a `source.ts_ms` of their own, instead of that of the snapshot. */
  readonly rowTimes: boolean;
  readonly sourceSchema: Schema;
  /** Of the member `transaction`. */
  readonly transactionSchema: Schema;
  readonly heartbeatKey: Schema;
  readonly heartbeatValue: Schema;
  /** @param row optional struct of the table's columns */
  envelope(name: string, row: Schema): Schema;
  source(
    identity: SourceIdentity,
    table: SourceTable,
    context: EventContext,
    snapshot: SnapshotMark,
    lsn: Lsn,
    lastCommit: Lsn | null,
    now: Instant,
  ): Struct;
  value(before: Struct | null, after: Struct | null, source: Struct, op: string, now: Instant): Struct;
  /** The offset as it is stored. */
  offset(offset: SourceOffset): SourceOffset;
  /** Changes what is decided only when a batch is complete: offsets and snapshot marks. Null: they stay as they are. */
  readonly finish: ((records: readonly SourceRecord[]) => void) | null;
}
