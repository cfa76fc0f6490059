/** Change events, for Debezium's transformations. Their results are recorded where its jars are available. */
import type { Json, RecordNotation, SchemaObject } from '../notation';
import { on as cases, struct, TIMESTAMP, value, type Case } from './inputs';

const columns: SchemaObject['fields'] = [
  ['id', 'INT32'],
  ['v', 'STRING?'],
  ['n', { type: 'INT32', default: 5 }],
  ['o', { type: 'STRING', optional: true, default: 'oh' }],
  ['at', { ...TIMESTAMP, optional: true }],
];
const ROW = struct(columns, { optional: true, name: 'shop.public.tx1.Value' });
const SOURCE = struct(
  [
    ['version', 'STRING'],
    ['ts_ms', 'INT64'],
    ['snapshot', { type: 'STRING', optional: true, default: 'false', name: 'io.debezium.data.Enum', version: 1 }],
    ['table', 'STRING'],
    ['lsn', 'INT64?'],
  ],
  { name: 'io.debezium.connector.postgresql.Source', version: 1 },
);
const TRANSACTION = struct(
  [
    ['id', 'STRING'],
    ['total_order', 'INT64'],
    ['data_collection_order', 'INT64'],
  ],
  { optional: true, name: 'event.block', version: 1 },
);
const ENVELOPE = struct(
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
const KEY = struct([['id', 'INT32']], { name: 'shop.public.tx1.Key' });
const OPTIONAL_KEY = struct(
  [
    ['id', 'INT32'],
    ['v', 'STRING?'],
  ],
  { name: 'shop.public.tx1.Key' },
);

const source = { version: '3.7', ts_ms: 1_700_000_000_000, table: 'tx1', lsn: 168_913_944 };
const event = (op: string, rows: { before?: Json; after?: Json }, more: Record<string, Json> = {}): RecordNotation => ({
  source: true,
  topic: 'shop.public.tx1',
  key: [KEY, { id: 1 }],
  value: [ENVELOPE, { ...rows, source, op, ts_ms: 1, ts_us: 2, ts_ns: '9007199254740993', ...more }],
});
const one = { id: 1, v: 'one', n: 7, at: 3 };
const list: SchemaObject = { type: 'ARRAY', values: 'STRING' };

const create = event('c', { after: one }, { transaction: { id: 'tx', total_order: 1, data_collection_order: 2 } });
const update = event('u', { before: { id: 1 }, after: { id: 1, v: ' ', n: 2 } });
const read = event('r', { after: { id: 2, v: null, n: 1 } });
const remove = event('d', { before: one });
const keyOnly = event('d', { before: { id: 1 } });
const truncate = event('t', {});
const tombstone: RecordNotation = { source: true, topic: 'shop.public.tx1', key: [KEY, { id: 1 }] };
const typedTombstone: RecordNotation = { ...tombstone, value: [{ ...ENVELOPE, optional: true }, null] };
const heartbeat = value(struct([['ts_ms', 'INT64']], { name: 'io.debezium.connector.common.Heartbeat' }), { ts_ms: 1 });
const schemaless = value(null, { op: 'c', after: { id: 1 } });
const dropping = (record: RecordNotation, ...names: string[]): RecordNotation => ({
  ...record,
  headers: [['drop', list, names]],
});
const keyed: RecordNotation = { ...create, key: [OPTIONAL_KEY, { id: 1, v: 'k' }] };

const all = [create, update, read, remove, keyOnly, truncate, tombstone, typedTombstone, heartbeat, schemaless];
const on = (configs: readonly Case['config'][], records: readonly RecordNotation[] = all): Case[] =>
  cases('io.debezium.transforms.ExtractNewRecordState', configs, [...records]);

const MERGED = { 'topic.regex': '.*tx.*', 'topic.replacement': 'shop.public.all' };
const routed = (configs: readonly Case['config'][], records: readonly RecordNotation[]): Case[] =>
  cases('io.debezium.transforms.ByLogicalTableRouter', configs, [...records]);
const keyless: RecordNotation = { source: true, topic: 'shop.public.tx1', value: create.value! };
const otherShard: RecordNotation = { ...create, topic: 'shop.public.tx2' };
const plainKey: RecordNotation = { ...create, key: ['INT32', 5] };
const optionalKey = [{ ...KEY, optional: true, version: 3, doc: 'key' }, { id: 1 }] as const;

const MODE = 'delete.tombstone.handling.mode';
const DROP = { 'drop.fields.header.name': 'drop' };

export const debezium: Case[] = [
  ...on([
    {},
    ...['drop', 'tombstone', 'rewrite', 'rewrite-with-tombstone', 'delete-to-tombstone'].map((mode) => ({
      [MODE]: mode,
    })),
  ]),
  ...on([
    { [MODE]: 'rewrite', 'replace.null.with.default': 'false' },
    { [MODE]: 'rewrite', 'add.fields': 'op,table,source.ts_ms,lsn:LSN' },
    { 'add.fields': 'op, ts_ms, ts_us,ts_ns,id,total_order,data_collection_order,missing,snapshot' },
    { 'add.fields': 'transaction.id:tx,before.v,op:o.p', 'add.fields.prefix': '' },
    { 'add.headers': 'op,source.ts_ms,lsn:LSN,id,missing', [MODE]: 'rewrite-with-tombstone' },
    { 'add.headers': 'op:kind,table', 'add.headers.prefix': 'h.', [MODE]: 'tombstone' },
    { 'add.headers': 'op', [MODE]: 'delete-to-tombstone' },
    { 'add.fields': 'op', 'add.fields.prefix': 'x', [MODE]: 'drop' },
    { 'route.by.field': 'v' },
    { 'route.by.field': 'v', [MODE]: 'rewrite' },
    { 'route.by.field': 'v', [MODE]: 'delete-to-tombstone' },
    { 'route.by.field': 'id' },
    { 'route.by.field': 'missing' },
  ]),
  ...on([{ 'add.fields': 'op:v', 'add.fields.prefix': '' }], [create, remove]),
  ...on(
    [
      DROP,
      { ...DROP, 'drop.fields.keep.schema.compatible': 'false' },
      { ...DROP, 'drop.fields.from.key': 'true', 'add.fields': 'op' },
      { ...DROP, 'drop.fields.from.key': 'true', 'drop.fields.keep.schema.compatible': 'false', [MODE]: 'rewrite' },
    ],
    [
      create,
      dropping(create, 'v'),
      dropping(create, 'v', 'n', 'at', 'missing'),
      dropping(create),
      dropping(keyed, 'v', 'n'),
      dropping(create, '__op', '__deleted'),
      dropping(remove, 'v', 'o'),
    ],
  ),
  ...on([{ [MODE]: 'none' }, { 'add.fields': 'a:b:c' }], []),
  ...routed(
    [
      { 'topic.regex': '(.*)tx(.*)', 'topic.replacement': '$1all' },
      { 'topic.regex': '(?<db>.*)\\.public\\.(.*)', 'topic.replacement': '${db}.merged', 'key.field.name': 'shard' },
      { 'topic.regex': '(.*)tx(.*)', 'topic.replacement': 'all', 'key.enforce.uniqueness': 'false' },
      { ...MERGED, 'key.field.regex': '.*\\.(.*)', 'key.field.replacement': 'from-$1' },
      { ...MERGED, 'key.field.regex': 'none', 'key.field.replacement': 'x' },
      { 'topic.regex': 'tx1', 'topic.replacement': 'all' },
      { 'topic.regex': '(x)?shop.*', 'topic.replacement': '$1' },
      { ...MERGED, 'key.field.name': 'id' },
    ],
    [
      create,
      remove,
      tombstone,
      typedTombstone,
      schemaless,
      keyless,
      otherShard,
      plainKey,
      { ...create, key: optionalKey },
    ],
  ),
  ...routed(
    [
      {},
      { 'topic.regex': '(', 'topic.replacement': 'x' },
      { 'topic.regex': 'x' },
      { ...MERGED, 'key.field.regex': 'a' },
    ],
    [],
  ),
];
