/**
 * Cost of writing a row of about 200 B as JSON and as Avro from its bytes, beside writing its plain value; then with
 * schemas, each row of another one of 200 tables and 50 in a transaction, beside one table.
 * `npm run bench -- raw-rows [ROWS]` (Default: 2,000,000)
 */
import {
  decimalSchema,
  convertWhenReady,
  plainRecord,
  RawCursor,
  RawRow,
  schema,
  structSchema,
  type CellForm,
  type Converter,
  type RawShape,
  type RawStruct,
} from '@millrace/sdk';
import { JsonConverter } from '../src/converters/json/json-converter';
import { avroConverter } from '../connectors/converters-schema-registry/src/avro';
import { figure, heading, whole } from './lib/report';

const ROWS = Number(process.argv[2] ?? 2_000_000);
const int = (bytes: Buffer, start: number, end: number): number => {
  let value = 0;
  for (let i = start; i < end; i++) value = value * 10 + (bytes[i] as number) - 48;
  return value;
};
const text: CellForm = { form: 'text', decode: (b, s, e) => b.toString('utf8', s, e) };
const integer: CellForm = { form: 'integer', decode: int };
const unscaled = (b: Buffer, s: number, e: number): number => {
  let value = 0;
  for (let i = s; i < e; i++) if (b[i] !== 46) value = value * 10 + (b[i] as number) - 48;
  return value;
};
const columns = [
  ['id', schema('INT64'), integer],
  ['account', schema('INT32'), integer],
  [
    'amount',
    decimalSchema(2),
    {
      form: 'decimal',
      read: unscaled,
      decode: (b: Buffer, s: number, e: number) => ({ unscaled: BigInt(unscaled(b, s, e)), scale: 2 }),
    },
  ],
  ['open', schema('BOOLEAN'), { form: 'boolean', decode: (b: Buffer, s: number) => b[s] === 116 }],
  ['at', schema('INT64'), { form: 'number', read: int, decode: int }],
  ['note', schema('STRING'), text],
] as const;
const row = structSchema(
  columns.map(([name, of]) => [name, of] as const),
  { optional: true, name: 'r' },
);
const names = [
  'version',
  'connector',
  'name',
  'ts_ms',
  'snapshot',
  'db',
  'sequence',
  'ts_us',
  'ts_ns',
  'schema',
  'table',
  'txId',
  'lsn',
];
const optional = { optional: true };
const source = structSchema(
  names.map((name) => [name, schema(/ts_|txId|lsn/.test(name) ? 'INT64' : 'STRING', optional)] as const),
  { name: 's' },
);
const envelope = structSchema(
  [
    ['before', row],
    ['after', row],
    ['source', source],
    ['transaction', schema('STRING', optional)],
    ['op', schema('STRING')],
    ['ts_ms', schema('INT64')],
    ['ts_us', schema('INT64')],
    ['ts_ns', schema('INT64')],
  ],
  { name: 'e' },
);
const constant = (value: unknown) => ({ from: 'constant', value }) as const;
const shared = (slot: number) => ({ from: 'shared', slot }) as const;
const shape: RawShape = {
  key: {
    schema: structSchema([['id', schema('INT64')]], { name: 'k' }),
    members: [{ from: 'cell', cell: 0, form: integer }],
  },
  value: {
    schema: envelope,
    members: [
      constant(null),
      {
        from: 'struct',
        struct: {
          schema: row,
          members: columns.map(([, , form], cell) => ({ from: 'cell', cell, form: form as CellForm }) as const),
        },
      },
      {
        from: 'struct',
        struct: {
          schema: source,
          members: [
            constant('3.7.0.Final'),
            constant('postgresql'),
            constant('bench-1'),
            shared(0),
            constant('false'),
            constant('postgres'),
            { from: 'joined', slot: 1, tail: '"]' },
            shared(2),
            shared(3),
            constant('public'),
            constant('backlog'),
            shared(4),
            { from: 'own' },
          ],
        },
      },
      constant(null),
      constant('c'),
      shared(5),
      shared(6),
      shared(7),
    ],
  },
  cells: 6,
  locate: (bytes, at, spans) => {
    for (let i = 0, from = at + 2; i < 6; i++) {
      const length =
        ((bytes[from + 1] as number) << 24) |
        ((bytes[from + 2] as number) << 16) |
        ((bytes[from + 3] as number) << 8) |
        (bytes[from + 4] as number);
      spans[i * 2] = from + 5;
      spans[i * 2 + 1] = from += 5 + length;
    }
  },
};
const cells = ['1234567', '4711', '123.45', 't', '1700000000123456', 'row 1234567 '.padEnd(150, 'abcdef0123456789')];
const chunk = Buffer.concat([
  Buffer.alloc(2),
  ...cells.flatMap((one) => {
    const head = Buffer.alloc(5);
    head.write('t');
    head.writeInt32BE(one.length, 1);
    return [head, Buffer.from(one)];
  }),
]);
const shareds = Array.from({ length: 8 }, (_, i) => [
  1700000000123 + i,
  '["23456789","',
  1700000000123456 + i,
  1700000000123456000n,
  4711 + i,
  1700000000123,
  1700000000123456,
  1700000000123456000n,
]);

const TABLES = 200;
const PER_TRANSACTION = 50;

/** The same struct of another table. */
const copyOf = ({ schema: of, members }: RawStruct, table: number): RawStruct => ({
  schema: structSchema(
    (of.fields ?? []).map(({ name, schema: field }) => [name, field] as const),
    { name: `${of.name}.t_${table}` },
  ),
  members,
});
const shapes = Array.from({ length: TABLES }, (_, i) => ({
  ...shape,
  key: copyOf(shape.key as RawStruct, i),
  value: copyOf(shape.value, i),
}));

/** A registry in memory: ids are known after the first record of each table. */
const FORMATS: Readonly<Record<string, () => Converter>> = {
  JSON: () => new JsonConverter(),
  Avro: () => avroConverter.create(),
};
const SETTINGS: Readonly<Record<string, string>> = { 'schema.registry.url': 'mock://bench' };

interface Pair {
  readonly key: Converter;
  readonly value: Converter;
}

function pair(format: string, settings = SETTINGS): Pair {
  const create = FORMATS[format] as () => Converter;
  const made = { key: create(), value: create() };
  made.key.configure(settings, true);
  made.value.configure(settings, false);
  return made;
}

const microseconds = ({ user, system }: NodeJS.CpuUsage): string => `${((user + system) / ROWS).toFixed(3)} µs`;

async function manyTables(format: string, tables: number): Promise<void> {
  const { key, value } = pair(format);
  const cursor = new RawCursor();
  let bytes = 0;
  const write = (i: number): void => {
    const of = shapes[i % tables] as RawShape;
    const transaction = shareds[Math.floor(i / PER_TRANSACTION) & 7] as never;
    cursor.locate(new RawRow(of, chunk, 0, transaction, 100_000_000_000 + i, null));
    bytes += (key.fromRaw?.('t', of.key as RawStruct, cursor) as Buffer).length;
    bytes += (value.fromRaw?.('t', of.value, cursor) as Buffer).length;
  };
  for (let i = 0; i < tables; i++) await convertWhenReady(() => write(i));
  for (let i = 0; i < ROWS / 10; i++) write(i);
  bytes = 0;
  const began = process.cpuUsage();
  for (let i = 0; i < ROWS; i++) write(i);
  figure(`${format}, ${tables} table(s), ${whole(bytes / ROWS)} B`, microseconds(process.cpuUsage(began)));
}

async function oneTable(format: string, way: 'raw' | 'plain', round: number): Promise<void> {
  const { key, value } = pair(format, { ...SETTINGS, 'schemas.enable': 'false' });
  const cursor = new RawCursor();
  let bytes = 0;
  const write = (i: number): void => {
    const one = new RawRow(shape, chunk, 0, shareds[(i >> 6) & 7] as never, 100_000_000_000 + i, null);
    if (way === 'raw') {
      cursor.locate(one);
      bytes += (key.fromRaw?.('t', shape.key as RawStruct, cursor) as Buffer).length;
      bytes += (value.fromRaw?.('t', shape.value, cursor) as Buffer).length;
      return;
    }
    const plain = plainRecord({ key: one, value: one });
    bytes += (key.fromConnectData('t', shape.key!.schema, plain.key) as Buffer).length;
    bytes += (value.fromConnectData('t', envelope, plain.value) as Buffer).length;
  };
  await convertWhenReady(() => write(0));
  bytes = 0;
  const began = process.cpuUsage();
  for (let i = 0; i < ROWS; i++) write(i);
  figure(`${format}, ${way}, round ${round}, ${whole(bytes / ROWS)} B`, microseconds(process.cpuUsage(began)));
}

async function main(): Promise<void> {
  heading('One row of 200 B, without schemas in the records');
  for (const round of [1, 2, 3])
    for (const way of ['raw', 'plain'] as const)
      for (const format of Object.keys(FORMATS)) await oneTable(format, way, round);
  heading('One row of 200 B, JSON with schemas');
  for (const tables of [1, TABLES, 1, TABLES])
    for (const format of Object.keys(FORMATS)) await manyTables(format, tables);
}

void main();
