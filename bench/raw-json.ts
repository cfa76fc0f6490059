/**
 * Cost of writing a row of about 200 B as JSON from its bytes, beside writing its plain value; then with schemas, each
 * row of another one of 200 tables and 50 in a transaction, beside one table.
 * `npm run bench -- raw-json [ROWS]` (Default: 2,000,000)
 */
import {
  decimalSchema,
  plainRecord,
  RawCursor,
  RawRow,
  schema,
  structSchema,
  type CellForm,
  type RawShape,
  type RawStruct,
} from '@millrace/sdk';
import { JsonConverter } from '../src/converters/json/json-converter';
import { figure, heading } from './lib/report';

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

function manyTables(tables: number): void {
  const key = new JsonConverter();
  const value = new JsonConverter();
  key.configure({});
  value.configure({});
  const cursor = new RawCursor();
  let bytes = 0;
  const write = (rows: number): void => {
    for (let i = 0; i < rows; i++) {
      const of = shapes[i % tables] as RawShape;
      const transaction = shareds[Math.floor(i / PER_TRANSACTION) & 7] as never;
      cursor.locate(new RawRow(of, chunk, 0, transaction, 100_000_000_000 + i, null));
      bytes += (key.fromRaw('t', of.key as RawStruct, cursor) as Buffer).length;
      bytes += (value.fromRaw('t', of.value, cursor) as Buffer).length;
    }
  };
  write(ROWS / 10);
  const began = process.cpuUsage();
  bytes = 0;
  write(ROWS);
  const { user, system } = process.cpuUsage(began);
  figure(`${tables} table(s), ${bytes / ROWS} B`, `${((user + system) / ROWS).toFixed(3)} µs`);
}

heading('One row of 200 B as JSON without schemas');
for (const round of [1, 2, 3]) {
  for (const way of ['raw', 'plain'] as const) {
    const key = new JsonConverter();
    const value = new JsonConverter();
    key.configure({ 'schemas.enable': 'false' });
    value.configure({ 'schemas.enable': 'false' });
    const cursor = new RawCursor();
    let bytes = 0;
    const began = process.cpuUsage();
    for (let i = 0; i < ROWS; i++) {
      const one = new RawRow(shape, chunk, 0, shareds[(i >> 6) & 7] as never, 100_000_000_000 + i, null);
      if (way === 'raw') {
        cursor.locate(one);
        bytes +=
          (key.fromRaw('t', shape.key as never, cursor) as Buffer).length +
          (value.fromRaw('t', shape.value, cursor) as Buffer).length;
      } else {
        const plain = plainRecord({ key: one, value: one });
        bytes +=
          (key.fromConnectData('t', shape.key!.schema, plain.key) as Buffer).length +
          (value.fromConnectData('t', envelope, plain.value) as Buffer).length;
      }
    }
    const { user, system } = process.cpuUsage(began);
    figure(`${way}, round ${round}, ${bytes / ROWS} B`, `${((user + system) / ROWS).toFixed(3)} µs`);
  }
}
heading('One row of 200 B as JSON with schemas');
for (const tables of [1, TABLES, 1, TABLES]) manyTables(tables);
