/** Schemas and records of others: a named error within a bounded time. */
import { optional, schema, structSchema, type Schema } from '@millrace/sdk';
import { avroText, connectSchema, INT, read, registered, STRING, thrownBy, write } from './avro-harness';

const record = (...fields: unknown[]): object => ({ type: 'record', name: 'R', fields });
const nested = (depth: number, inner: unknown = 'int'): unknown => {
  let of = inner;
  for (let i = 0; i < depth; i++) of = { type: 'array', items: of };
  return of;
};

test.each<[string, unknown, string]>([
  ['no JSON', '{"type":', 'it ends early'],
  ['text after the schema', '"int" x', 'unexpected "x" at 6'],
  ['JSON that is nested too deep', '['.repeat(5_000), 'nested deeper'],
  ['too long', `"${'x'.repeat(9_000_000)}"`, 'longer than'],
  ['nested too deep', nested(201), 'nested deeper than 200 levels'],
  [
    'too many fields',
    record(...Array.from({ length: 50_001 }, (_, i) => ({ name: `f${i}`, type: 'int' }))),
    'more than',
  ],
  ['a number', '5', 'no text, object or array'],
  ['an unknown type', '"text"', 'uses the type "text"'],
  ['a type of another case', { type: 'Record', name: 'R' }, 'uses the type "Record"'],
  ['null alone', '"null"', 'null outside of a union'],
  ['no name', { type: 'record', fields: [] }, '"name" must be text'],
  ['no fields', { type: 'record', name: 'R' }, 'has no "fields"'],
  ['a field twice', record({ name: 'a', type: 'int' }, { name: 'a', type: 'int' }), 'two fields named "a"'],
  ['a type twice', record({ name: 'a', type: record() }), 'defines the type "R" twice'],
  ['a union in a union', ['int', ['string']], 'another union'],
  ['a branch twice', ['int', 'int'], '"int" twice'],
  ['an enum without symbols', { type: 'enum', name: 'E' }, 'has no "symbols"'],
  ['a symbol twice', { type: 'enum', name: 'E', symbols: ['A', 'A'] }, 'a symbol twice'],
  ['a fixed type of a negative size', { type: 'fixed', name: 'F', size: -1 }, 'no number from 0'],
  ['a fixed type of a huge size', '{"type":"fixed","name":"F","size":1e30}', 'no number from 0'],
  [
    'a decimal without an integer as scale',
    { type: 'string', 'connect.name': 'org.apache.kafka.connect.data.Decimal' },
    'Decimal',
  ],
  [
    'a decimal of a huge scale',
    { type: 'bytes', logicalType: 'decimal', scale: 2_000_000_000 },
    'The scale of a decimal',
  ],
  [
    'a decimal without a scale',
    { type: 'bytes', 'connect.name': 'org.apache.kafka.connect.data.Decimal' },
    '"scale" of a BYTES schema must be an integer',
  ],
  [
    'two members of a union with one name',
    [
      { type: 'record', name: 'a.R', fields: [] },
      { type: 'record', name: 'b.R', fields: [] },
    ],
    'enhanced.avro.schema.support',
  ],
])('schema: %s', (_name, avro, reason) => {
  const { code, message } = thrownBy(() => read(registered(avro), '00'));
  expect(code).toBe('AVRO_SCHEMA');
  expect(message).toContain(reason);
  expect(message.length).toBeLessThan(400);
});

test('a record that uses another twice, and so on, is converted once', () => {
  let inner: unknown = 'int';
  for (let i = 0; i < 60; i++)
    inner = {
      type: 'record',
      name: `R${i}`,
      fields: [
        { name: 'a', type: inner },
        { name: 'b', type: i === 0 ? 'int' : `R${i - 1}` },
      ],
    };
  const { fields } = connectSchema(registered(inner)) as Schema;
  expect(fields?.[0]?.schema).toBe(fields?.[1]?.schema);
});

test('defaults that multiply are ignored', () => {
  let inner: unknown = { type: 'record', name: 'R0', fields: [{ name: 'a', type: 'int', default: 1 }] };
  for (let i = 1; i < 40; i++)
    inner = {
      type: 'record',
      name: `R${i}`,
      fields: [
        { name: 'a', type: inner, default: {} },
        { name: 'b', type: `R${i - 1}`, default: {} },
      ],
    };
  const of = connectSchema(registered(inner)) as Schema;
  expect(of.fields?.[0]?.schema.default).toBeUndefined();
});

test('NaN and Infinity as defaults', () => {
  const type = { type: 'double', 'connect.default': 'NaN' };
  const { fields } = connectSchema(
    registered(record({ name: 'a', type: 'float', default: '-Infinity' }, { name: 'b', type: [type, 'null'] })),
  ) as Schema;
  expect(fields?.map(({ schema: of }) => of.default)).toEqual([-Infinity, NaN]);
});

test('names that objects inherit', () => {
  const avro = record({ name: '__proto__', type: 'int' }, { name: 'constructor', type: 'string', doc: 'd' });
  const { value, schema: of } = read(registered({ ...avro, 'connect.parameters': { a: 'b' } }), '020261');
  expect(Object.entries(value as object)).toEqual([
    ['__proto__', 1],
    ['constructor', 'a'],
  ]);
  expect(of?.fields?.map(({ name }) => name)).toEqual(['__proto__', 'constructor']);
});

const LONGS = { type: 'array', items: 'long' };
const NOTHINGS = { type: 'array', items: record() };

test.each<[string, unknown, string, string]>([
  ['nothing', 'int', '', 'it ends early'],
  ['a number that ends early', 'long', '80', 'it ends early'],
  ['a double that ends early', 'double', '0000', 'it ends early'],
  ['a number of more than 64 bits', 'long', 'ffffffffffffffffff02', 'more than 64 bits'],
  ['a number without an end', 'long', 'ff'.repeat(20), 'more than 64 bits'],
  ['an int of more than 32 bits', 'int', '808080808001', 'more than 32 bits'],
  ['a string that ends early', 'string', '0861', 'a length that is not one'],
  ['a string of a negative length', 'string', '01', 'a length that is not one'],
  ['a string of a huge length', 'string', 'feffffffffffffffff01', 'a length that is not one'],
  ['a string that is not UTF-8', 'string', '04c328', 'not UTF-8'],
  ['a long string that is not UTF-8', 'string', `3e${'61'.repeat(30)}ff`, 'not UTF-8'],
  ['a boolean that is none', 'boolean', '02', 'neither 0 nor 1'],
  ['a symbol that is none', { type: 'enum', name: 'E', symbols: ['A'] }, '02', 'does not have'],
  ['a branch that is none', ['null', 'int'], '04', 'does not have'],
  ['a negative branch', ['null', 'int'], '01', 'does not have'],
  ['a list of many elements', LONGS, 'feffffffffffffffff01', 'more elements'],
  ['a list of 2^40 elements', LONGS, '80808080804000', 'it ends early'],
  ['a block of a wrong size', LONGS, '0180', 'it ends early'],
  ['a block of a huge size', LONGS, '01feffffffff0f', 'a length that is not one'],
  ['2^50 values without content', NOTHINGS, '8080808080808004', 'values without content'],
  [
    'many fixed values without content',
    { type: 'array', items: { type: 'fixed', name: 'F', size: 0 } },
    '8080808080808004',
    'values without content',
  ],
  ['bytes after the value', 'int', '0200', '1 bytes follow'],
  [
    'a huge decimal',
    { type: 'bytes', logicalType: 'decimal', precision: 4 },
    '00'.repeat(20_000),
    'a decimal of more than',
  ],
  ['a time that is not within a day', { type: 'int', logicalType: 'time-millis' }, '01', 'not within a day'],
])('record: %s', (_name, avro, bytes, reason) => {
  const { code, message, place } = thrownBy(() => read(registered(avro), bytes));
  expect({ code, place }).toEqual({ code: 'AVRO_DATA', place: { position: expect.any(Number) as number } });
  expect(message).toContain(reason);
});

test('blocks with their size, and several of them', () => {
  expect(read(registered(LONGS), '03040204' + '0206' + '00').value).toEqual([1, 2, 3]);
  expect(read(registered({ type: 'map', values: 'int' }), '0108026102' + '02026204' + '00').value).toEqual(
    new Map([
      ['a', 1],
      ['b', 2],
    ]),
  );
});

test('U+FFFD itself is a text', () => {
  expect(read(registered('string'), '06efbfbd').value).toBe('\ufffd');
});

const TREE = record({ name: 'next', type: ['null', 'R'] }, { name: 'all', type: { type: 'array', items: 'R' } });

test('a record within itself is read, and written again', () => {
  const of = registered(TREE);
  const { schema: connect, value } = read(of, '02000002000000');
  expect(value).toEqual({ next: { next: null, all: [] }, all: [{ next: null, all: [] }] });
  const [next, all] = connect?.fields ?? [];
  expect(next?.schema).toMatchObject({ name: 'R', optional: true, type: 'STRUCT' });
  expect(next?.schema.fields).toBe(connect?.fields);
  expect(all?.schema.valueSchema).toMatchObject({ optional: false, fields: connect?.fields });
  expect(write(connect as Schema, value)?.toString('hex')).toBe('02000002000000');
  const text = avroText(connect as Schema);
  expect(JSON.parse(text)).toMatchObject({ fields: [{ type: ['null', 'R'] }, { type: { items: 'R' } }] });
  expect(avroText(read(registered(text), '0000').schema as Schema)).toBe(text);
});

test('a value within itself ends, and so does a record that is nested without end', () => {
  const connect = connectSchema(registered(TREE)) as Schema;
  const value: Record<string, unknown> = { all: [] };
  value.next = value;
  expect(() => write(connect, value)).toThrow('nested deeper');
  expect(thrownBy(() => read(registered(TREE), '02'.repeat(1_000_000)))).toMatchObject({ code: 'AVRO_DATA' });
  expect(thrownBy(() => read(registered(avroText(null)), '0000000000000002'.repeat(100_000)))).toMatchObject({
    code: 'AVRO_DATA',
  });
});

test('after an error the next record is written and read', () => {
  const connect = connectSchema(registered(TREE)) as Schema;
  let deep: object = { next: null, all: [] };
  for (let i = 0; i < 900; i++) deep = { next: deep, all: [] };
  for (let i = 0; i < 3; i++) {
    expect(() => write(connect, { next: { next: null, all: 5 }, all: [] })).toThrow('field "next.all"');
    expect(write(connect, deep)?.length).toBe(1_802);
  }
});

test.each<[string, () => Schema, string]>([
  ['a name that Avro does not allow', () => structSchema([], { name: 'a-b' }), 'scrub.invalid.names=true'],
  ['a field that Avro does not allow', () => structSchema([['a b', INT]], { name: 'R' }), '"a b"'],
  ['nested too deep', () => connectNested(50_000), 'nested deeper than'],
  ['a union of one type twice', () => union('INT8', 'INT16'), 'int twice'],
  [
    'fixed without a size',
    () => schema('BYTES', { name: 'F', parameters: { 'connect.fixed.size': 'x' } }),
    'must be an integer',
  ],
  ['a default of another type', () => schema('INT32', { default: 'x' }), 'default of a INT32 schema is a string'],
])('Connect schema: %s', (_name, make, reason) => {
  const { code, message } = thrownBy(() => avroText(make()));
  expect(code).toBe('AVRO_SCHEMA');
  expect(message).toContain(reason);
});

function connectNested(depth: number): Schema {
  let of: Schema = STRING;
  for (let i = 0; i < depth; i++) of = structSchema([['a', of]]);
  return of;
}

function union(...types: ('INT8' | 'INT16')[]): Schema {
  return structSchema(
    types.map((type) => [type, optional(schema(type))]),
    { name: 'io.confluent.connect.avro.Union' },
  );
}
