/** Rows and topics of change events. Results are recorded where Debezium's jars are available. */
import type { RecordNotation, SchemaObject } from '../notation';
import {
  create,
  heartbeat,
  KEY,
  keyOnly,
  OPTIONAL_KEY,
  read,
  remove,
  schemaless,
  tombstone,
  truncate,
  typedTombstone,
  update,
} from './change-events';
import { on as cases, type Case } from './inputs';

const list: SchemaObject = { type: 'ARRAY', values: 'STRING' };

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
  ...cases(
    'io.debezium.transforms.ToLogicalTopicRouter',
    [
      MERGED,
      { ...MERGED, 'key.field.name': 'shard', 'logical.destination.cache.size': '1' },
      { ...MERGED, 'key.enforce.uniqueness': 'false' },
      { 'topic.regex': '(x)?shop.*', 'topic.replacement': '$1' },
    ],
    [create, remove, tombstone, schemaless, keyless, otherShard, plainKey],
  ),
];
