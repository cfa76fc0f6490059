/** Change events for Debezium's PartitionRouting. */
import type { Json, RecordNotation, SchemaObject } from '../notation';
import { create, heartbeat, read, remove, schemaless, tombstone, truncate, typedTombstone, update } from './change-events';
import { DATE, DECIMAL, on as cases, struct, TIMESTAMP, type Case } from './inputs';

const ROW = struct(
  [
    ['i8', 'INT8?'],
    ['i16', 'INT16?'],
    ['i32', 'INT32?'],
    ['i64', 'INT64?'],
    ['f32', 'FLOAT32?'],
    ['f64', 'FLOAT64?'],
    ['b', 'BOOLEAN?'],
    ['s', 'STRING?'],
    ['bytes', 'BYTES?'],
    ['dec', { ...DECIMAL, optional: true }],
    ['at', { ...TIMESTAMP, optional: true }],
    ['day', { ...DATE, optional: true }],
    ['list', { type: 'ARRAY', values: 'STRING', optional: true }],
    ['longs', { type: 'ARRAY', values: 'INT64?', optional: true }],
    ['map', { type: 'MAP', keys: 'STRING', values: 'INT32', optional: true }],
    ['d', { type: 'INT32', optional: true, default: 5 }],
  ],
  { optional: true, name: 'shop.public.types.Value' },
);
const ENVELOPE: SchemaObject = struct(
  [
    ['before', ROW],
    ['after', ROW],
    ['source', struct([['table', 'STRING']])],
    ['op', 'STRING'],
  ],
  { name: 'shop.public.types.Envelope', version: 2 },
);
export const typesEvent = (row: Record<string, Json>, op = 'c'): RecordNotation => ({
  source: true,
  topic: 'shop.public.types',
  value: [ENVELOPE, { [op === 'd' ? 'before' : 'after']: row, source: { table: 'types' }, op }],
});
const event = typesEvent;
const bytes = (base64: string): Json => ({ $raw: { $buffer: base64 } });
const name = 'io.debezium.transforms.partitions.PartitionRouting';
const on = (configs: readonly Case['config'][], records: readonly RecordNotation[]): Case[] => cases(name, configs, [...records]);
const FIELDS = 'partition.payload.fields';
const NUM = 'partition.topic.num';
const HASH = 'partition.hash.function';

const values: Record<string, readonly Json[]> = {
  i8: [-128, 0, 127],
  i16: [-32768, 5],
  i32: [-2147483648, -1, 0, 42, 2147483647],
  i64: [0, -1, 42, '9223372036854775807', '-9223372036854775808', 4294967296, '9007199254740993'],
  f32: [0, 1.5, -2.25, 'NaN', 'Infinity', '-0.0'],
  f64: [0, 1.5, -2.25, 1e300, 0.1, 'NaN', '-Infinity', '-0.0'],
  b: [true, false],
  s: ['', 'a', 'hello', 'Zürich', '日本語', '😀 and 16 bytes more', 'a'.repeat(100), 'exactly 15 byte', 'exactly 16 bytes'],
  bytes: [bytes(''), bytes('AQID'), bytes('/////w=='), bytes('AAECAwQFBgcICQoLDA0ODxAREhM=')],
  dec: ['0.00', '12.34', '-12.34', '123456789012345678901234567890.12', '-99999999999999999999.99', '42949672.96'],
  at: [0, 1_700_000_000_123, -5],
  day: [86_400_000],
  list: [[], ['a', 'b'], ['']],
  longs: [[1, null, '9223372036854775807']],
  map: [[], [['a', 1], ['b', 2]]],
  d: [null, 7],
};

export const partitions: Case[] = [
  ...Object.entries(values).flatMap(([field, list]) =>
    ['java', 'murmur'].flatMap((hash) =>
      on([{ [FIELDS]: `after.${field}`, [NUM]: '1000003', [HASH]: hash }], list.map((value) => event({ [field]: value }))),
    ),
  ),
  ...on(
    [
      { [FIELDS]: 'change.id', [NUM]: '3' },
      { [FIELDS]: 'change.id,source.table', [NUM]: '7' },
      { [FIELDS]: ' change . v , op ', [NUM]: '100', [HASH]: ' MURMUR ' },
      { [FIELDS]: 'op', [NUM]: '100', [HASH]: 'other' },
      { [FIELDS]: 'after.missing,missing,missing.more', [NUM]: '100' },
      { [FIELDS]: 'after.id', [NUM]: '10' },
      { [FIELDS]: 'op.id', [NUM]: '10' },
      { [FIELDS]: 'source.change.x', [NUM]: '10' },
      { [FIELDS]: 'after.o', [NUM]: '100' },
    ],
    [create, update, read, remove, truncate, tombstone, typedTombstone, { ...heartbeat, source: true }, schemaless],
  ),
  ...on(
    [{}, { [FIELDS]: 'a' }, { [NUM]: '1' }, { [FIELDS]: 'a', [NUM]: '0' }, { [FIELDS]: 'a', [NUM]: 'x' }, { [FIELDS]: 'a,,b', [NUM]: '2' }, { [FIELDS]: '', [NUM]: '2' }],
    [],
  ),
];
