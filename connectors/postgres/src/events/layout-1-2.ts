/** Events as Debezium 1.2 lays them out (cdc-postgres §2.3, §6.1). */
import { schema, structSchema, type SourceOffset, type SourceRecord } from '@millrace/sdk';
import type { SourceStruct } from './event-context';
import type { EventLayout } from './event-layout';

const string = schema('STRING');
const int64 = schema('INT64');
const optionalInt64 = schema('INT64', { optional: true });

const SOURCE = structSchema(
  [
    ['version', string],
    ['connector', string],
    ['name', string],
    ['ts_ms', int64],
    [
      'snapshot',
      schema('STRING', {
        optional: true,
        name: 'io.debezium.data.Enum',
        version: 1,
        parameters: { allowed: 'true,last,false' },
        default: 'false',
      }),
    ],
    ['db', string],
    ['schema', string],
    ['table', string],
    ['txId', optionalInt64],
    ['lsn', optionalInt64],
    ['xmin', optionalInt64],
  ],
  { name: 'io.debezium.connector.postgresql.Source' },
);

const TRANSACTION = structSchema(
  [
    ['id', string],
    ['total_order', int64],
    ['data_collection_order', int64],
  ],
  { optional: true },
);

export const LAYOUT_1_2: EventLayout = {
  columnDefaults: false,
  versioned: false,
  // Debezium 1.2 stamps each row of a snapshot with its own clock.
  rowTimes: true,
  sourceSchema: SOURCE,
  transactionSchema: TRANSACTION,
  heartbeatKey: structSchema([['serverName', string]], { name: 'io.debezium.connector.common.ServerNameKey' }),
  heartbeatValue: structSchema([['ts_ms', int64]], { name: 'io.debezium.connector.common.Heartbeat' }),
  envelope: (name, row) =>
    structSchema(
      [
        ['before', row],
        ['after', row],
        ['source', SOURCE],
        ['op', string],
        ['ts_ms', optionalInt64],
        ['transaction', TRANSACTION],
      ],
      { name },
    ),
  source: ({ version, name, db }, table, { time, xid, xmin }, snapshot, lsn, _lastCommit, now) => ({
    version,
    connector: 'postgresql',
    name,
    ts_ms: snapshot === 'false' ? time.millis : now.millis,
    snapshot,
    db,
    schema: table.schema,
    table: table.name,
    txId: xid,
    lsn,
    xmin: xmin ?? null,
  }),
  value: (before, after, source, op, now) => ({
    before,
    after,
    source,
    op,
    ts_ms: now.millis,
    transaction: null,
  }),
  offset,
  finish,
};

/** Whether Debezium 1.2 writes the member, or this connector resumes from it; Debezium ignores the latter. */
function isKept(name: string, value: unknown): boolean {
  // These types tell how far the transaction was published: without BEGIN, its first row would count as published.
  if (name === 'messageType') return value === 'COMMIT' || value === 'BEGIN' || value === 'MESSAGE';
  return name !== 'lsn_events_processed' && name !== 'snapshot_completed';
}

function offset(of: SourceOffset): SourceOffset {
  // Debezium 1.2, like `readOffset`, would take the mark for an unfinished initial snapshot.
  const isRequested = of.snapshot === 'INCREMENTAL' || of.snapshot === 'BLOCKING';
  const members = Object.entries(of)
    .filter(([name, value]) => isKept(name, value) && !(isRequested && /snapshot(?:_record)?$/.test(name)))
    .map(([name, value]): [string, unknown] => [name, name === 'snapshot' ? true : value]);
  // Only offsets of the stream name a transaction.
  if (of.snapshot === undefined && of.transaction_id === undefined) members.push(['transaction_id', null]);
  return Object.fromEntries(members) as SourceOffset;
}

/** Records of one change share an offset object, and keep sharing it. */
function finish(records: readonly SourceRecord[]): void {
  let last: SourceOffset | null = null;
  let stored: SourceOffset | null = null;
  for (const record of records as unknown as { sourceOffset: SourceOffset | null; value: unknown }[]) {
    const { sourceOffset } = record;
    if (sourceOffset !== null) {
      if (sourceOffset !== last) {
        last = sourceOffset;
        stored = offset(sourceOffset);
      }
      record.sourceOffset = stored;
    }
    // Not of a row that is not decoded: its mark is "true" or "false".
    const source = (record.value as { source?: SourceStruct } | null)?.source;
    if (source !== undefined && source.snapshot !== 'false' && source.snapshot !== 'last') source.snapshot = 'true';
  }
}
