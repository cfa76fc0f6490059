/** Writing with a registered schema: `use.latest.version`, `use.schema.id`. */
import {
  arraySchema,
  dateSchema,
  decimalSchema,
  mapSchema,
  optional,
  schema,
  structSchema,
  timestampSchema,
  type Schema,
} from '@millrace/sdk';
import { avroText, INT, LONG, OPTIONAL_STRING, read, registered, STRING, thrownBy, writeAs } from './avro-harness';

const ROW = structSchema(
  [
    ['id', INT],
    ['name', OPTIONAL_STRING],
    ['note', STRING],
  ],
  { name: 'shop.Row' },
);
const value = { id: 1, name: 'a', note: 'b' };
const record = (...fields: object[]): object => ({ type: 'record', name: 'shop.Row', fields });
const NULLABLE = ['null', 'string'];

/** What is read of the record. */
function written(avro: object | string, of: Schema | null = ROW, data: unknown = value, strict = true): unknown {
  return read(registered(avro), writeAs(registered(avro), of, data, strict)).value;
}

test('fields are found by their names, whatever their order', () => {
  const avro = record({ name: 'note', type: 'string' }, { name: 'id', type: 'int' }, { name: 'name', type: NULLABLE });
  expect(written(avro)).toEqual(value);
});

test('fields that the schema does not have are left out, as in Java', () => {
  expect(written(record({ name: 'id', type: 'int' }))).toEqual({ id: 1 });
});

test('fields that only the schema has are written as their defaults', () => {
  const more = [
    { name: 'a', type: 'long', default: 5 },
    { name: 'b', type: NULLABLE, default: null },
    { name: 'c', type: { type: 'array', items: 'string' }, default: ['x'] },
    { name: 'd', type: { type: 'map', values: 'double' }, default: { k: 1 } },
    {
      name: 'e',
      type: { type: 'record', name: 'E', fields: [{ name: 'x', type: 'float', default: 1.5 }] },
      default: {},
    },
    { name: 'f', type: { type: 'enum', name: 'F', symbols: ['A', 'B'] }, default: 'B' },
    { name: 'g', type: { type: 'fixed', name: 'G', size: 1 }, default: 'ÿ' },
    { name: 'h', type: 'bytes', default: '\u0001' },
    { name: 'i', type: 'boolean', default: true },
    { name: 'j', type: ['string', 'null'], default: 's' },
  ];
  expect(written(record({ name: 'id', type: 'int' }, ...more))).toEqual({
    id: 1,
    a: 5,
    b: null,
    c: ['x'],
    d: new Map([['k', 1]]),
    e: { x: 1.5 },
    f: 'B',
    g: Buffer.from([255]),
    h: Buffer.from([1]),
    i: true,
    j: 's',
  });
});

test('fields are found by the aliases of the schema, too', () => {
  expect(written(record({ name: 'key', type: 'int', aliases: ['other', 'id'] }))).toEqual({ key: 1 });
});

test.each<[string, object]>([
  ['a field without a default', { name: 'more', type: 'int' }],
  ['a default of another type', { name: 'more', type: 'int', default: 'x' }],
  ['a default out of range', { name: 'more', type: 'int', default: 2 ** 40 }],
])('refused: %s', (_name, field) => {
  expect(thrownBy(() => written(record({ name: 'id', type: 'int' }, field)))).toEqual({
    code: 'AVRO_SCHEMA',
    message: 'Field "more" cannot be written with the Avro schema: the record has no such field.',
    place: { field: 'more' },
  });
});

test.each<[string, unknown, Schema, unknown, unknown]>([
  ['int in long', 'long', INT, 5, 5],
  ['int in double', 'double', INT, 5, 5],
  ['long in double', 'double', LONG, 2 ** 40, 2 ** 40],
  ['float in double', 'double', schema('FLOAT32'), 1.1, Math.fround(1.1)],
  ['string in a union', ['null', 'int', 'string'], STRING, 'x', { int: null, string: 'x' }],
  ['an int in the wider branch', ['null', 'string', 'long'], INT, 5, { string: null, long: 5 }],
  ['an optional one in another order', ['string', 'null'], OPTIONAL_STRING, null, null],
  ['a string in an enum', { type: 'enum', name: 'E', symbols: ['A', 'B'] }, STRING, 'B', 'B'],
  ['bytes in fixed', { type: 'fixed', name: 'F', size: 2 }, schema('BYTES'), Buffer.from('ab'), Buffer.from('ab')],
  ['a date', { type: 'int', logicalType: 'date' }, dateSchema(), new Date(0), new Date(0)],
  ['a date as int', 'int', dateSchema(), new Date(86_400_000), 1],
  ['a map', { type: 'map', values: 'long' }, mapSchema(STRING, INT), new Map([['a', 1]]), new Map([['a', 1]])],
  ['an array', { type: 'array', items: ['null', 'long'] }, arraySchema(optional(INT)), [1, null], [1, null]],
])('%s', (_name, type, of, data, expected) => {
  const avro = record({ name: 'f', type });
  expect(written(avro, structSchema([['f', of]]), { f: data })).toEqual({ f: expected });
});

test.each<[string, unknown, Schema, string]>([
  ['a string as int', 'int', STRING, 'its type is STRING, and that of the Avro schema is int'],
  ['null where none is allowed', 'string', OPTIONAL_STRING, 'it may be null'],
  ['long in int', 'int', LONG, 'its type is INT64'],
  ['double in float', 'float', schema('FLOAT64'), 'its type is FLOAT64'],
  [
    'a decimal of another scale',
    { type: 'bytes', logicalType: 'decimal', precision: 9, scale: 3 },
    decimalSchema(2),
    'Decimal',
  ],
  ['milliseconds as microseconds', { type: 'long', logicalType: 'timestamp-micros' }, timestampSchema(), 'Timestamp'],
  ['a struct as a map', { type: 'map', values: 'int' }, ROW, 'its type is STRUCT'],
  ['a map of integers as one of strings', { type: 'map', values: 'int' }, mapSchema(INT, INT), 'keys are no strings'],
  ['no branch of a union', ['null', 'int', 'boolean'], STRING, 'none of the types of its union'],
])('strict, refused: %s', (_name, type, of, reason) => {
  const { code, message, place } = thrownBy(() => written(record({ name: 'f', type }), structSchema([['f', of]]), {}));
  expect({ code, place }).toEqual({ code: 'AVRO_SCHEMA', place: { field: 'f' } });
  expect(message).toContain(reason);
});

test('not strict, each value is checked', () => {
  const of = structSchema([
    ['a', LONG],
    ['b', OPTIONAL_STRING],
    ['c', schema('FLOAT64')],
  ]);
  const avro = record({ name: 'a', type: 'int' }, { name: 'b', type: 'string' }, { name: 'c', type: 'float' });
  const good = { a: 5, b: 'x', c: 0.5 };
  expect(written(avro, of, good, false)).toEqual(good);
  for (const bad of [{ a: 2 ** 40 }, { b: null }, { c: 0.1 }])
    expect(thrownBy(() => written(avro, of, { ...good, ...bad }, false))).toMatchObject({
      code: 'CONVERTER_MISMATCH',
      place: { field: Object.keys(bad)[0] },
    });
});

test('an integer that a float or double cannot represent is refused', () => {
  const of = structSchema([['f', LONG]]);
  expect(() => written(record({ name: 'f', type: 'double' }), of, { f: 2n ** 60n + 1n })).toThrow('exactly');
  expect(() => written(record({ name: 'f', type: 'float' }), of, { f: 2 ** 24 + 1 })).toThrow('exactly');
});

test('an optional value needs no schema with null, because null is a record without a value', () => {
  expect(written(record({ name: 'id', type: 'int' }), optional(ROW))).toEqual({ id: 1 });
  expect(writeAs(registered('bytes'), schema('BYTES', { optional: true }), Buffer.from('ab')).toString()).toBe('ab');
});

test('types of referenced schemas', () => {
  const address = { type: 'record', name: 'Address', namespace: 'shop', fields: [{ name: 'city', type: 'string' }] };
  const customer = {
    type: 'record',
    name: 'Customer',
    namespace: 'shop',
    fields: [
      { name: 'home', type: 'Address' },
      { name: 'other', type: ['null', 'shop.Address'] },
    ],
  };
  const of = registered(customer, null, { 'shop.Address': address });
  const city = structSchema([['city', STRING]], { name: 'shop.Address' });
  const connect = structSchema(
    [
      ['home', city],
      ['other', optional(city)],
    ],
    { name: 'shop.Customer' },
  );
  const data = { home: { city: 'Ulm' }, other: { city: 'Bonn' } };
  const { schema: back, value: again } = read(of, writeAs(of, connect, data));
  expect(again).toEqual(data);
  expect(back?.fields?.[1]?.schema).toMatchObject({ name: 'shop.Address', optional: true });
  expect(thrownBy(() => read(registered(customer), ''))).toMatchObject({ code: 'AVRO_SCHEMA' });
});

test('values without a schema need the schema for them', () => {
  expect(written(avroText(null), null, { a: 1 })).toEqual({ a: 1 });
  expect(thrownBy(() => written('"string"', null, 'x')).code).toBe('AVRO_SCHEMA');
});
