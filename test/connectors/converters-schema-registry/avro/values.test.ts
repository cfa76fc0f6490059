/** Values that are written, and errors that name the field. */
import {
  arraySchema,
  dateSchema,
  decimalSchema,
  mapSchema,
  optional,
  schema,
  structSchema,
  timeSchema,
  timestampSchema,
  type Schema,
} from '@millrace/sdk';
import {
  avroText,
  INT,
  LONG,
  OPTIONAL_STRING,
  read,
  recordName,
  registered,
  roundTrip,
  STRING,
  thrownBy,
  write,
} from './avro-harness';

const hex = (of: Schema | null, value: unknown): string | undefined => write(of, value)?.toString('hex');
const FLOAT = schema('FLOAT32');
const DOUBLE = schema('FLOAT64');

test.each<[string, Schema, unknown, string]>([
  ['a number as int64', LONG, -1, '01'],
  ['a bigint as int64', LONG, -1n, '01'],
  ['the least safe integer', LONG, Number.MIN_SAFE_INTEGER, 'fdffffffffffff1f'],
  ['the most safe integer', LONG, Number.MAX_SAFE_INTEGER, 'feffffffffffff1f'],
  ['the least int64', LONG, -(2n ** 63n), 'ffffffffffffffffff01'],
  ['the most int64', LONG, 2n ** 63n - 1n, 'feffffffffffffffff01'],
  ['a large number', LONG, 2 ** 60, '808080808080808020'],
  ['-0 as an integer', LONG, -0, '00'],
  ['NaN', DOUBLE, NaN, '000000000000f87f'],
  ['Infinity', FLOAT, Infinity, '0000807f'],
  ['-0', DOUBLE, -0, '0000000000000080'],
  ['a string of 48 characters', STRING, 'x'.repeat(48), `60${'78'.repeat(48)}`],
  ['a string of 64 characters', STRING, 'x'.repeat(64), `8001${'78'.repeat(64)}`],
  ['a string beyond ASCII', STRING, 'aé😀', '0e61c3a9f09f9880'],
  ['a long string beyond ASCII', STRING, 'é'.repeat(50), `c801${'c3a9'.repeat(50)}`],
  ['half of a surrogate pair, as in Java', STRING, 'a\ud800b\udc00', '08613f623f'],
  ['halves in a long string', STRING, `${'é'.repeat(50)}\udc00\ud800`, `cc01${'c3a9'.repeat(50)}3f3f`],
  ['bytes alone are written without a length', schema('BYTES'), Uint8Array.of(1, 2), '0102'],
  ['optional bytes', schema('BYTES', { optional: true }), Uint8Array.of(1, 2), '02040102'],
  ['a decimal alone', decimalSchema(2), { unscaled: -129n, scale: 2 }, 'ff7f'],
  [
    'an optional decimal',
    decimalSchema(2, { optional: true }),
    { unscaled: 2n ** 63n, scale: 2 },
    '0212008000000000000000',
  ],
  ['a date', dateSchema(), new Date(86_400_000), '02'],
  ['a date as its number', dateSchema(), -1, '01'],
  ['a time', timeSchema(), new Date(1), '02'],
  ['a timestamp', timestampSchema(), new Date(-1), '01'],
  ['a timestamp beyond those of a Date', timestampSchema(), 9_000_000_000_000_000n, '8080d4aff9dcfc1f'],
  ['an empty array', arraySchema(INT), [], '00'],
  ['an empty map', mapSchema(STRING, INT), new Map(), '00'],
])('%s', (_name, of, value, expected) => {
  expect(hex(of, value)).toBe(expected);
});

const ROW = structSchema(
  [
    ['id', INT],
    ['name', OPTIONAL_STRING],
    ['tags', arraySchema(optional(schema('INT16')))],
    ['prices', mapSchema(STRING, decimalSchema(2))],
    ['kind', schema('STRING', { default: 'none' })],
  ],
  { name: 'shop.Row' },
);
const ENVELOPE = structSchema([['after', optional(ROW)]], { name: 'shop.Envelope' });
const row = { id: 1, name: 'a', tags: [1], prices: new Map(), kind: 'b' };

test('missing and undefined members are null, and null is the default', () => {
  expect(roundTrip(ROW, { id: 1, name: undefined, tags: [null], prices: new Map() })).toEqual({
    id: 1,
    name: null,
    tags: [null],
    prices: new Map(),
    kind: 'none',
  });
});

test('with ignore.default.for.nullables, null stays null, or is an error', () => {
  const config = { 'ignore.default.for.nullables': 'true' };
  const of = structSchema([['a', schema('STRING', { optional: true, default: 'x' })]], { name: 'R' });
  expect(roundTrip(of, { a: null }, config)).toEqual({ a: null });
  expect(roundTrip(of, { a: null })).toEqual({ a: 'x' });
  expect(() => write(ROW, { ...row, kind: null }, config)).toThrow('field "kind"');
});

test.each<[string, object, string, string]>([
  ['of another type', { ...row, id: 'x' }, 'after.id', 'its schema is INT32 but the value is a string'],
  ['out of range', { ...row, id: 2 ** 31 }, 'after.id', 'an integer (perhaps out of range)'],
  ['null', { ...row, id: null }, 'after.id', 'null value for field that is required'],
  ['in an array', { ...row, tags: [1, 2, 70_000] }, 'after.tags[2]', 'its schema is INT16'],
  [
    'in a map',
    { ...row, prices: new Map([['net', { unscaled: 1n, scale: 3 }]]) },
    'after.prices.net',
    'has the scale 3',
  ],
  ['a key of a map', { ...row, prices: new Map([[5, null]]) }, 'after.prices.key', 'its schema is STRING'],
  ['no map', { ...row, prices: {} }, 'after.prices', 'its schema is MAP but the value is an object'],
  ['no array', { ...row, tags: 'abc' }, 'after.tags', 'its schema is ARRAY'],
  ['not the value itself', { ...row, name: 5 }, 'after.name', 'its schema is STRING but the value is an integer'],
])('a value that does not fit: %s', (_name, after, field, reason) => {
  expect(thrownBy(() => write(ENVELOPE, { after }))).toEqual({
    code: 'CONVERTER_MISMATCH',
    message: expect.stringContaining(reason) as string,
    place: { field },
  });
});

test.each<[Schema, unknown, string]>([
  [LONG, 1.5, 'INT64'],
  [LONG, 2n ** 63n, 'a bigint'],
  [LONG, -(2n ** 63n) - 1n, 'a bigint'],
  [LONG, 2 ** 63, 'INT64'],
  [INT, NaN, 'INT32'],
  [FLOAT, 1e300, 'out of the range of FLOAT32'],
  [schema('INT8'), 128, 'INT8'],
  [schema('BOOLEAN'), 1, 'BOOLEAN'],
  [schema('BYTES'), 'abc', 'BYTES'],
  [STRING, Buffer.from('a'), 'STRING'],
  [dateSchema(), new Date(5), 'no time of day'],
  [timeSchema(), new Date(-1), 'within one day'],
  [timestampSchema(), new Date(NaN), 'invalid'],
  [timestampSchema(), '2026', 'needs a Date'],
  [decimalSchema(2), 5, 'a Decimal needs'],
  [ROW, new Date(0), 'STRUCT'],
  [ROW, [1], 'STRUCT'],
  [ROW, Promise.resolve(1), 'STRUCT'],
  [STRING, null, 'not optional'],
  [schema('STRING', { default: 'x' }), null, 'not optional'],
])('%#: refused, without the value in the message', (of, value, reason) => {
  const { code, message, place } = thrownBy(() => write(of, value));
  expect({ code, place }).toEqual({ code: 'CONVERTER_MISMATCH', place: {} });
  expect(message).toContain(reason);
});

test('a null of an optional schema is a tombstone', () => {
  expect(write(OPTIONAL_STRING, null)).toBeNull();
  expect(write(null, null)).toBeNull();
  expect(write(schema('STRING', { optional: true, default: 'x' }), undefined)).toBeNull();
});

test('the entries of a map keep their order', () => {
  const of = mapSchema(STRING, INT);
  const entries = ['zeta', 'b', 'a', 'Aa', 'BB'].map((key, i) => [key, i] as const);
  expect([...(roundTrip(of, new Map(entries)) as Map<string, number>)]).toEqual(entries);
});

test('a union of which no member has a value is null', () => {
  const of = structSchema(
    [
      ['int', schema('INT32', { optional: true })],
      ['string', OPTIONAL_STRING],
    ],
    { name: 'io.confluent.connect.avro.Union', optional: true },
  );
  expect(write(of, { int: null })).toBeNull();
  expect(write(of, { int: null, string: 'a' })?.toString('hex')).toBe('040261');
  expect(() => write({ ...of, optional: false }, {})).toThrow('none of the members of the union has a value');
  const within = structSchema([['u', of]], { name: 'R' });
  expect(write(within, { u: {} })?.toString('hex')).toBe('00');
});

test('names that objects inherit are data', () => {
  const of = structSchema(
    ['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((name) => [name, OPTIONAL_STRING]),
    { name: 'R' },
  );
  const value = JSON.parse('{"__proto__":"a","constructor":"b"}') as object;
  const back = roundTrip(of, value) as object;
  expect(Object.entries(back)).toEqual([
    ['__proto__', 'a'],
    ['constructor', 'b'],
    ['toString', null],
    ['hasOwnProperty', null],
  ]);
  expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
});

test('structs of many fields', () => {
  const names = Array.from({ length: 1_700 }, (_, i) => `c${i}`);
  const of = structSchema(
    names.map((name) => [name, INT]),
    { name: 'Wide' },
  );
  const value = Object.fromEntries(names.map((name, i) => [name, i]));
  expect(roundTrip(of, value)).toEqual(value);
  expect(thrownBy(() => write(of, { ...value, c1500: 'x' })).place).toEqual({ field: 'c1500' });
});

test('enums are enums with enhanced.avro.schema.support, and their symbols are checked', () => {
  const of = schema('STRING', {
    name: 'shop.Size',
    parameters: {
      'io.confluent.connect.avro.Enum': 'shop.Size',
      'io.confluent.connect.avro.Enum.S': 'S',
      'io.confluent.connect.avro.Enum.M': 'M',
    },
  });
  const config = { 'enhanced.avro.schema.support': 'true' };
  expect(write(of, 'M', config)?.toString('hex')).toBe('02');
  expect(roundTrip(of, 'M', config)).toBe('M');
  expect(() => write(of, 'XL', config)).toThrow('none of the symbols');
  expect(write(of, 'M')?.toString('hex')).toBe('024d');
});

test('fixed types, and decimals in them', () => {
  const fixed = schema('BYTES', { name: 'shop.Hash', parameters: { 'connect.fixed.size': '2' } });
  expect(write(fixed, Buffer.from('ab'))?.toString()).toBe('ab');
  expect(() => write(fixed, Buffer.from('abc'))).toThrow('its type has 2 bytes but the value has 3');
  const parameters = { 'connect.fixed.size': '4', 'connect.decimal.precision': '9' };
  const decimal = decimalSchema(2, { parameters });
  expect(write(decimal, { unscaled: -2n, scale: 2 })?.toString('hex')).toBe('fffffffe');
  expect(roundTrip(decimal, { unscaled: 70_000n, scale: 2 })).toEqual({ unscaled: 70_000n, scale: 2 });
  expect(() => write(decimal, { unscaled: 2n ** 40n, scale: 2 })).toThrow('its type has 4 bytes');
});

describe('values without a schema', () => {
  const text = avroText(null);

  test.each([
    [true],
    ['text'],
    [5],
    [-0],
    [1.5],
    [2n ** 60n],
    [Buffer.from('ab')],
    [[1, null, ['a']]],
    [{ a: 1, b: { c: null }, __proto__: null }],
    [new Map<unknown, unknown>([[1, 'a']])],
    [[]],
    [{}],
  ])('%p is read as it was written', (value) => {
    const { schema: of, value: back } = read(registered(text), write(null, value) as Buffer);
    expect(of).toBeNull();
    expect(back).toEqual(value);
  });

  test('what has no form is refused', () => {
    for (const value of [new Date(0), { unscaled: 1n, scale: 2 }, () => 1, Promise.resolve(1), 2n ** 64n])
      expect(() => write(null, value)).toThrow(expect.objectContaining({ code: 'CONVERTER_MISMATCH' }));
  });

  test('circles end', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    expect(() => write(null, circle)).toThrow('nested deeper');
  });
});

test('the name of the record is that of naming strategies', () => {
  expect(recordName(ROW)).toBe('shop.Row');
  expect(recordName(optional(ROW))).toBeNull();
  expect(recordName(STRING)).toBeNull();
  expect(recordName(null)).toBe('io.confluent.connect.avro.Anything');
});
