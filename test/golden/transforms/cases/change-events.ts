/** Change events of a table, for Debezium's transformations. */
import type { Json, RecordNotation, SchemaObject } from '../notation';
import { struct, TIMESTAMP, value } from './inputs';

const columns: SchemaObject['fields'] = [
  ['id', 'INT32'],
  ['v', 'STRING?'],
  ['n', { type: 'INT32', default: 5 }],
  ['o', { type: 'STRING', optional: true, default: 'oh' }],
  ['at', { ...TIMESTAMP, optional: true }],
];
export const ROW = struct(columns, { optional: true, name: 'shop.public.tx1.Value' });
export const SOURCE = struct(
  [
    ['version', 'STRING'],
    ['ts_ms', 'INT64'],
    ['snapshot', { type: 'STRING', optional: true, default: 'false', name: 'io.debezium.data.Enum', version: 1 }],
    ['table', 'STRING'],
    ['lsn', 'INT64?'],
  ],
  { name: 'io.debezium.connector.postgresql.Source', version: 1 },
);
export const TRANSACTION = struct(
  [
    ['id', 'STRING'],
    ['total_order', 'INT64'],
    ['data_collection_order', 'INT64'],
  ],
  { optional: true, name: 'event.block', version: 1 },
);
export const ENVELOPE = struct(
  [
    ['before', ROW],
    ['after', ROW],
    ['source', SOURCE],
    ['transaction', TRANSACTION],
    ['op', 'STRING'],
    ['ts_ms', 'INT64?'],
    ['ts_us', 'INT64?'],
    ['ts_ns', 'INT64?'],
  ],
  { name: 'shop.public.tx1.Envelope', version: 2 },
);
export const KEY = struct([['id', 'INT32']], { name: 'shop.public.tx1.Key' });
export const OPTIONAL_KEY = struct(
  [
    ['id', 'INT32'],
    ['v', 'STRING?'],
  ],
  { name: 'shop.public.tx1.Key' },
);

const source = { version: '3.7', ts_ms: 1_700_000_000_000, table: 'tx1', lsn: 168_913_944 };
export const event = (op: string, rows: { before?: Json; after?: Json }, more: Record<string, Json> = {}): RecordNotation => ({
  source: true,
  topic: 'shop.public.tx1',
  key: [KEY, { id: 1 }],
  value: [ENVELOPE, { ...rows, source, op, ts_ms: 1, ts_us: 2, ts_ns: '9007199254740993', ...more }],
});
export const one = { id: 1, v: 'one', n: 7, at: 3 };
export const create = event('c', { after: one }, { transaction: { id: 'tx', total_order: 1, data_collection_order: 2 } });
export const update = event('u', { before: { id: 1 }, after: { id: 1, v: ' ', n: 2 } });
export const read = event('r', { after: { id: 2, v: null, n: 1 } });
export const remove = event('d', { before: one });
export const keyOnly = event('d', { before: { id: 1 } });
export const truncate = event('t', {});
export const tombstone: RecordNotation = { source: true, topic: 'shop.public.tx1', key: [KEY, { id: 1 }] };
export const typedTombstone: RecordNotation = { ...tombstone, value: [{ ...ENVELOPE, optional: true }, null] };
export const heartbeat = value(struct([['ts_ms', 'INT64']], { name: 'io.debezium.connector.common.Heartbeat' }), { ts_ms: 1 });
export const schemaless = value(null, { op: 'c', after: { id: 1 } });
