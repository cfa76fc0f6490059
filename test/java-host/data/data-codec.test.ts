import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  arraySchema,
  dateSchema,
  decimalSchema,
  mapSchema,
  schema,
  type Schema,
  setMember,
  structSchema,
  timeSchema,
  timestampSchema,
} from '@millrace/sdk';
import { DataReader } from '../../../packages/java-host/src/data/data-reader';
import { DataWriter } from '../../../packages/java-host/src/data/data-writer';
import { ByteReader } from '../../../packages/java-host/src/wire/byte-reader';
import { ByteWriter } from '../../../packages/java-host/src/wire/byte-writer';
import { ProtocolError } from '../../../packages/java-host/src/wire/protocol-error';

/** What Java's tests read and write, too. */
const GOLDEN = new Map(
  readFileSync(join(__dirname, '..', 'golden', 'data.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' ') as [string, string]),
);

const ROW = structSchema(
  [
    ['i8', schema('INT8')],
    ['i16', schema('INT16')],
    ['i32', schema('INT32', { default: -7 })],
    ['i64', schema('INT64')],
    ['f32', schema('FLOAT32')],
    ['f64', schema('FLOAT64')],
    ['flag', schema('BOOLEAN')],
    ['text', schema('STRING', { optional: true, doc: 'a doc', parameters: { b: '1', a: '2' } })],
    ['bytes', schema('BYTES')],
    ['again', schema('INT8')],
    ['nothing', schema('STRING', { optional: true, name: 'Named', version: 3 })],
  ],
  { name: 'Row', version: 2, optional: true },
);
const LOGICAL = structSchema([
  ['decimal', decimalSchema(2)],
  ['date', dateSchema()],
  ['time', timeSchema()],
  ['timestamp', timestampSchema()],
]);
const NESTED = structSchema([
  ['list', arraySchema(schema('INT32', { optional: true }), { default: [1, 2] })],
  ['map', mapSchema(schema('STRING'), arraySchema(schema('STRING')))],
]);

const ROW_VALUE = {
  i8: -1,
  i16: 300,
  i32: 70_000,
  i64: 2n ** 62n,
  f32: 1.5,
  f64: -0.1,
  flag: true,
  text: 'grüße',
  bytes: Buffer.from([0, 255]),
  again: 127,
  nothing: null,
};

const CASES: readonly (readonly [string, Schema | null, unknown])[] = [
  ['null', null, null],
  ['schemaless', null, { a: 1, b: 'x', c: [true, null, 1.5], d: { e: Buffer.from([1]) } }],
  ['row', ROW, ROW_VALUE],
  ['null-row', ROW, null],
  [
    'logical',
    LOGICAL,
    {
      decimal: { unscaled: -12_345n, scale: 2 },
      date: new Date(86_400_000),
      time: new Date(1_000),
      timestamp: new Date(-1),
    },
  ],
  ['nested', NESTED, { list: [1, null], map: new Map([['k', ['v', '']]]) }],
  ['string', schema('STRING'), 'text'],
];

function written(writer: DataWriter, of: Schema | null, value: unknown): Buffer {
  const out = new ByteWriter();
  writer.write(out, of, value);
  return out.take();
}

function copied(of: Schema | null, value: unknown): { schema: Schema | null; value: unknown } {
  return new DataReader().read(new ByteReader(written(new DataWriter(), of, value)));
}

test('the golden bytes are written and read, in one session', () => {
  const [writer, reader] = [new DataWriter(), new DataReader()];
  expect([...GOLDEN.keys()]).toEqual(CASES.map(([name]) => name));
  for (const [name, of, value] of CASES) {
    const bytes = written(writer, of, value);
    expect([name, bytes.toString('hex')]).toEqual([name, GOLDEN.get(name)]);
    const input = new ByteReader(bytes);
    expect(reader.read(input)).toEqual({ schema: of, value });
    input.end();
  }
});

test('equal schemas share a number, and equal numbers give one object', () => {
  const [writer, reader] = [new DataWriter(), new DataReader()];
  const make = () => structSchema([['a', schema('INT32')]], { name: 'S' });
  const first = reader.read(new ByteReader(written(writer, make(), { a: 1 })));
  const bytes = written(writer, make(), { a: 2 });
  expect(bytes.length).toBe(4 + 1 + 5);
  expect(reader.read(new ByteReader(bytes)).schema).toBe(first.schema);
});

test.each([
  ['another default', { default: 1 }, { default: 2 }],
  ['a default of -0', { default: 0 }, { default: -0 }],
  ['another parameter', { parameters: { a: '1' } }, { parameters: { a: '2' } }],
  ['no parameters', { parameters: {} }, {}],
  ['another name', { name: 'null' }, {}],
])('schemas with %s have numbers of their own', (_, one, other) => {
  const [writer, reader] = [new DataWriter(), new DataReader()];
  const schemas = [one, other].map((options) => schema('FLOAT64', options));
  const read = schemas.map((of) => reader.read(new ByteReader(written(writer, of, 1))).schema);
  expect(read).toEqual(schemas);
});

test('a value that does not fit leaves nothing behind, and says where', () => {
  const [writer, reader, out] = [new DataWriter(), new DataReader(), new ByteWriter()];
  const items = structSchema([['items', arraySchema(schema('INT16'))]]);
  const broken = () => writer.write(out, items, { items: [1, 40_000] });
  expect(broken).toThrow(expect.objectContaining({ code: 'JAVA_DATA', message: expect.stringContaining('items[1]') }));
  expect(out.length).toBe(0);
  // Its numbers were taken back.
  writer.write(out, items, { items: [1, 2] });
  expect(reader.read(new ByteReader(out.take()))).toEqual({ schema: items, value: { items: [1, 2] } });
});

test('data that was taken back with its record is defined again', () => {
  const [writer, reader, out] = [new DataWriter(), new DataReader(), new ByteWriter()];
  const key = structSchema([['id', schema('INT32')]]);
  const { mark } = writer;
  writer.write(out, key, { id: 1 });
  out.truncate(0);
  writer.rollBack(mark);
  writer.write(out, schema('STRING'), 'x');
  writer.write(out, key, { id: 2 });
  const input = new ByteReader(out.take());
  expect(reader.read(input).value).toBe('x');
  expect(reader.read(input)).toEqual({ schema: key, value: { id: 2 } });
});

test('schemas are forgotten when there are too many, also if that was taken back', () => {
  const [writer, reader, out] = [new DataWriter(), new DataReader(), new ByteWriter()];
  const pass = (of: Schema, value: unknown) => {
    writer.write(out, of, value);
    expect(reader.read(new ByteReader(out.take()))).toEqual({ schema: of, value });
  };
  for (let i = 0; i < 4096; i++) pass(schema('INT32', { name: `n${i}` }), i);
  const { mark } = writer;
  writer.write(out, schema('STRING', { name: 'last' }), 'lost');
  out.truncate(0);
  writer.rollBack(mark);
  pass(schema('STRING', { name: 'last' }), 'kept');
  pass(schema('INT32', { name: 'n1' }), 1);
});

test('names that JavaScript objects inherit are data', () => {
  const names = ['__proto__', 'constructor', 'hasOwnProperty'];
  const of = structSchema(names.map((name) => [name, schema('INT32', { optional: true })] as const));
  const value: Record<string, unknown> = {};
  setMember(value, '__proto__', 1);
  const { value: read } = copied(of, value) as { value: Record<string, unknown> };
  expect(Object.entries(read)).toEqual([
    ['__proto__', 1],
    ['constructor', null],
    ['hasOwnProperty', null],
  ]);
  const parameters = JSON.parse('{"__proto__":"p"}') as Record<string, string>;
  expect(Object.entries(copied(schema('INT32', { parameters }), 1).schema?.parameters ?? {})).toEqual([
    ['__proto__', 'p'],
  ]);
});

test('a map of Java may have no schema for its values', () => {
  const of = { ...mapSchema(schema('STRING'), schema('STRING')), valueSchema: null };
  const value = new Map<string, unknown>([
    ['a', 1],
    ['b', null],
    ['c', ['x']],
  ]);
  expect(copied(of, value)).toEqual({ schema: of, value });
});

test('times that a Date does not reach are numbers both ways', () => {
  expect(copied(dateSchema(), 2 ** 31 - 1).value).toBe(2 ** 31 - 1);
  expect(copied(timestampSchema(), 2n ** 62n).value).toBe(2n ** 62n);
  expect(copied(timestampSchema(), 0).value).toEqual(new Date(0));
});

test.each([
  ['a recursive schema', recursive(), {}],
  ['a deep schema', deep(101), []],
  ['a Decimal of another scale', decimalSchema(2), { unscaled: 1n, scale: 3 }],
  ['a Date with a time of day', dateSchema(), new Date(1)],
  ['an INT64 beyond 64 bits', schema('INT64'), 2n ** 63n],
  ['a function', null, { f: () => 1 }],
  ['a schemaless value that contains itself', null, circle()],
  ['a struct of another kind', structSchema([]), new Map()],
])('%s is an error of the record', (_, of, value) => {
  expect(() => copied(of, value)).toThrow(expect.objectContaining({ code: 'JAVA_DATA', name: 'DataError' }));
});

test.each([
  ['a number that nobody defined', '00000002'],
  ['a schema inside itself', '00000001' + '09' + '00' + '00000000' + '00000001'],
  ['an unknown type', '00000001' + '0c00'],
  ['two fields of one name', '00000001' + '0b00' + '00000000' + '00000002' + '0000000161' + INT8(2) + '0000000161'],
  ['more fields than bytes', '00000001' + '0b00' + '00000000' + '7fffffff'],
  ['an array longer than its frame', '00000001' + '0900' + '00000000' + INT8(2) + '00' + '01' + '7fffffff'],
  ['neither null nor a value', INT8(1) + '02'],
  ['nothing', ''],
])('%s is refused', (_, hex) => {
  expect(() => new DataReader().read(new ByteReader(Buffer.from(hex, 'hex')))).toThrow(ProtocolError);
});

test('a deep definition is refused before the stack ends', () => {
  let hex = '';
  for (let i = 1; i < 100_000; i++) hex += i.toString(16).padStart(8, '0') + '0900' + '00000000';
  expect(() => new DataReader().read(new ByteReader(Buffer.from(hex, 'hex')))).toThrow('nest more than 100');
});

function INT8(number: number): string {
  return number.toString(16).padStart(8, '0') + '0000' + '00000000' + '00';
}

function deep(levels: number): Schema {
  let of: Schema = schema('INT8');
  for (let i = 0; i < levels; i++) of = arraySchema(of);
  return of;
}

function recursive(): Schema {
  const fields: { name: string; index: number; schema: Schema }[] = [];
  const of = { ...structSchema([]), fields };
  fields.push({ name: 'self', index: 0, schema: of });
  return of;
}

function circle(): unknown {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}
