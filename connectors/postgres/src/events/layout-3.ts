/** Events as Debezium 3 lays them out (cdc-postgres §2.2). */
import type { EventLayout } from './event-layout';
import {
  envelopeSchema,
  HEARTBEAT_KEY_SCHEMA,
  HEARTBEAT_VALUE_SCHEMA,
  SOURCE_SCHEMA,
  TRANSACTION_SCHEMA,
} from './schemas';

export const LAYOUT_3: EventLayout = {
  columnDefaults: true,
  versioned: true,
  sourceSchema: SOURCE_SCHEMA,
  transactionSchema: TRANSACTION_SCHEMA,
  heartbeatKey: HEARTBEAT_KEY_SCHEMA,
  heartbeatValue: HEARTBEAT_VALUE_SCHEMA,
  envelope: envelopeSchema,
  source: ({ version, name, db }, table, { time, xid, xmin, origin, originLsn }, snapshot, lsn, lastCommit) => ({
    version,
    connector: 'postgresql',
    name,
    ts_ms: time.millis,
    snapshot,
    db,
    sequence: lastCommit === null ? `[null,"${lsn}"]` : `["${lastCommit}","${lsn}"]`,
    ts_us: time.micros,
    ts_ns: time.nanos,
    schema: table.schema,
    table: table.name,
    txId: xid,
    lsn,
    xmin: xmin ?? null,
    origin,
    origin_lsn: originLsn,
  }),
  value: (before, after, source, op, now) => ({
    before,
    after,
    source,
    transaction: null,
    op,
    ts_ms: now.millis,
    ts_us: now.micros,
    ts_ns: now.nanos,
  }),
  offset: (offset) => offset,
  finish: null,
};
