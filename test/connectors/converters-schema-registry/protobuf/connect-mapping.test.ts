/**
 * Connect schemas and values as Protobuf, row by row. Sources: Confluent's documentation of the converter (settings)
 * and of its type mappings (Flink SQL: `connect.type` of int8 and int16, messages of decimals, dates, times and
 * timestamps, entries of maps), threads on its repository (nullables as wrappers or with a label), the comments of
 * google/type.
 */
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
import { ForeignMessage } from './foreign-protobuf';
import { declarations, errorOf, read, roundTrip, schemaText, writeAs, type Config } from './protobuf-harness';

const META = (key: string, value: string) =>
  `[(confluent.field_meta) = { params: [{ key: "${key}", value: "${value}" }] }]`;
const decimal = (unscaled: bigint, scale: number) => ({ unscaled, scale });
const day = new Date('2024-02-29T00:00:00Z');
const moment = new Date('1969-12-31T23:59:59.999Z');

/** The Connect type, its field, a value, and what Protobuf-ES reads. */
describe.each<[string, Schema, string, unknown, unknown]>([
  ['int8', schema('INT8'), `int32 f = 1 ${META('connect.type', 'int8')};`, -128, -128],
  ['int16', schema('INT16'), `int32 f = 1 ${META('connect.type', 'int16')};`, 32_767, 32_767],
  ['int32', schema('INT32'), 'int32 f = 1;', -(2 ** 31), -2_147_483_648],
  ['int64', schema('INT64'), 'int64 f = 1;', 2n ** 63n - 1n, '9223372036854775807'],
  ['int64, least', schema('INT64'), 'int64 f = 1;', -(2n ** 63n), '-9223372036854775808'],
  ['int64, a number', schema('INT64'), 'int64 f = 1;', -(2 ** 53 - 1), '-9007199254740991'],
  ['float32', schema('FLOAT32'), 'float f = 1;', Math.fround(0.1), Math.fround(0.1)],
  ['float64', schema('FLOAT64'), 'double f = 1;', 1e300, 1e300],
  ['float64, NaN', schema('FLOAT64'), 'double f = 1;', NaN, 'NaN'],
  ['float64, -Infinity', schema('FLOAT64'), 'double f = 1;', -Infinity, '-Infinity'],
  ['boolean', schema('BOOLEAN'), 'bool f = 1;', true, true],
  ['string', schema('STRING'), 'string f = 1;', 'a"ä😀\u0000', 'a"ä😀\u0000'],
  ['string, long', schema('STRING'), 'string f = 1;', 'ä'.repeat(9_000), 'ä'.repeat(9_000)],
  ['bytes', schema('BYTES'), 'bytes f = 1;', Buffer.from([0, 255]), 'AP8='],
  [
    'Decimal',
    decimalSchema(2),
    `.confluent.type.Decimal f = 1 ${META('scale', '2')};`,
    decimal(-12_345n, 2),
    { value: 'z8c=', scale: 2 },
  ],
  [
    'Decimal with a precision',
    decimalSchema(-1, { parameters: { 'connect.decimal.precision': '9' } }),
    '.confluent.type.Decimal f = 1 [(confluent.field_meta) = { params: [{ key: "precision", value: "9" }, { key: "scale", value: "-1" }] }];',
    decimal(0n, -1),
    { value: 'AA==', precision: 9, scale: -1 },
  ],
  ['Date', dateSchema(), '.google.type.Date f = 1;', day, { year: 2024, month: 2, day: 29 }],
  [
    'Time',
    timeSchema(),
    '.google.type.TimeOfDay f = 1;',
    new Date(45_296_789),
    { hours: 12, minutes: 34, seconds: 56, nanos: 789_000_000 },
  ],
  ['Timestamp', timestampSchema(), '.google.protobuf.Timestamp f = 1;', moment, '1969-12-31T23:59:59.999Z'],
  ['array', arraySchema(schema('INT32')), 'repeated int32 f = 1;', [1, -1, 300], [1, -1, 300]],
  ['array of texts', arraySchema(schema('STRING')), 'repeated string f = 1;', ['', 'a'], ['', 'a']],
  ['empty array', arraySchema(schema('INT32')), 'repeated int32 f = 1;', [], undefined],
  [
    'map',
    mapSchema(schema('STRING'), schema('INT64')),
    'map<string, int64> f = 1;',
    new Map([['__proto__x', 0]]),
    { __proto__x: '0' },
  ],
  [
    'map with keys of another type',
    mapSchema(schema('INT64'), schema('BOOLEAN')),
    'map<int64, bool> f = 1;',
    new Map([[2 ** 40, true]]),
    { 1099511627776: true },
  ],
  [
    'struct',
    structSchema([['x', schema('INT32')]], { name: 'a.B' }),
    'B f = 1; message B { int32 x = 1; }',
    { x: 5 },
    { x: 5 },
  ],
  [
    'struct without a name',
    structSchema([['x', schema('INT32')]]),
    'ConnectDefault1 f = 1; message ConnectDefault1 { int32 x = 1; }',
    { x: 0 },
    {},
  ],
])('%s', (_name, type, field, value, json) => {
  const struct = structSchema([['f', type]], { name: 'db.Row' });

  test('its declaration', () => {
    expect(declarations(struct)).toBe(`message Row { ${field} }`);
  });

  test('its value, as another implementation reads it', () => {
    const message = writeAs(struct, { f: value }).subarray(1);
    const foreign = new ForeignMessage(schemaText(struct), 'Row');
    expect(foreign.json(message)).toEqual(json === undefined ? {} : { f: json });
    expect(foreign.again(message)).toEqual(message);
  });

  test('its value, read again', () => {
    expect(roundTrip(struct, { f: value })).toEqual({ f: value });
  });

  test('as a record of its own', () => {
    expect(roundTrip(type, value)).toEqual(value);
    const bytes = writeAs(type, value);
    expect(read(bytes, schemaText(type)).schema).toMatchObject({ type: type.type, optional: false });
  });
});

test('a map whose keys are none of Protobuf is a list of entries', () => {
  const struct = structSchema([['m', mapSchema(schema('FLOAT64'), decimalSchema(1))]], { name: 'Row' });
  expect(declarations(struct)).toBe(
    'message Row { repeated MEntry m = 1; message MEntry { option (confluent.message_meta) = ' +
      '{ params: [{ key: "millrace.stands.for", value: "entry" }] }; double key = 1; ' +
      `.confluent.type.Decimal value = 2 ${META('scale', '1')}; } }`,
  );
  const value = { m: new Map([[1.5, decimal(5n, 1)]]) };
  expect(roundTrip(struct, value)).toEqual(value);
  expect(new ForeignMessage(schemaText(struct), 'Row').json(writeAs(struct, value).subarray(1))).toEqual({
    m: [{ key: 1.5, value: { value: 'BQ==', scale: 1 } }],
  });
});

test('a list or a map in a list, or in a map, has a message around it', () => {
  const inner = arraySchema(schema('STRING'));
  const struct = structSchema(
    [
      ['lists', arraySchema(inner)],
      ['maps', mapSchema(schema('STRING'), mapSchema(schema('STRING'), inner))],
    ],
    { name: 'Row' },
  );
  const text = declarations(struct);
  expect(text).toContain('repeated ListsItem lists = 1; map<string, MapsValue> maps = 2;');
  const value = { lists: [['a'], [], ['b', '']], maps: new Map([['x', new Map([['y', ['z']]])]]) };
  expect(roundTrip(struct, value)).toEqual(value);
  expect(new ForeignMessage(schemaText(struct), 'Row').json(writeAs(struct, value).subarray(1))).toEqual({
    lists: [{ value: ['a'] }, {}, { value: ['b', ''] }],
    maps: { x: { value: { y: { value: ['z'] } } } },
  });
});

describe('null', () => {
  const fields: [string, Schema][] = [
    ['i', schema('INT32', { optional: true })],
    ['s', schema('STRING', { optional: true })],
    ['d', dateSchema({ optional: true })],
    ['l', arraySchema(schema('INT32'), { optional: true })],
    ['n', optional(structSchema([['x', schema('INT32')]], { name: 'N' }))],
  ];
  const struct = structSchema(fields, { name: 'Row' });
  const nulls = { i: null, s: null, d: null, l: null, n: null };

  test.each<[string, Config, string, unknown]>([
    ['is the type’s default by default', {}, 'int32 i = 1; string s = 2;', { i: 0, s: '' }],
    [
      'is told from a default with optional.for.nullables',
      { 'optional.for.nullables': 'true' },
      'optional int32 i = 1; optional string s = 2;',
      { i: null, s: null },
    ],
    [
      'is told from a default with wrapper.for.nullables',
      { 'wrapper.for.nullables': 'true' },
      '.google.protobuf.Int32Value i = 1; .google.protobuf.StringValue s = 2;',
      { i: null, s: null },
    ],
  ])('%s', (_name, config, text, value) => {
    expect(declarations(struct, config)).toContain(text);
    // Protobuf has no null for lists.
    expect(roundTrip(struct, nulls, config)).toEqual({ ...nulls, l: [], ...(value as object) });
    const zeros = { i: 0, s: '', d: day, l: [0], n: { x: 0 } };
    expect(roundTrip(struct, zeros, config)).toEqual(zeros);
    const read1 = read(writeAs(struct, zeros, config), schemaText(struct, config), config).schema;
    expect(read1?.fields?.map((field) => field.schema.optional)).toEqual([
      true,
      true,
      true,
      config === undefined || Object.keys(config).length === 0,
      true,
    ]);
  });

  test('where the schema has a default is that', () => {
    const withDefault = structSchema([['i', schema('INT32', { optional: true, default: 7 })]], { name: 'Row' });
    expect(roundTrip(withDefault, { i: null })).toEqual({ i: 7 });
    expect(roundTrip(withDefault, {})).toEqual({ i: 7 });
  });

  test('in a list or a map cannot be written', () => {
    const list = structSchema([['l', arraySchema(schema('INT32', { optional: true }))]], { name: 'Row' });
    expect(errorOf(() => writeAs(list, { l: [1, null] }))).toMatchObject({
      code: 'PROTOBUF_DATA',
      place: { field: 'l[1]' },
      message: 'Field l[1] cannot be written as Protobuf: Protobuf has no null in a list.',
    });
    const map = structSchema([['m', mapSchema(schema('STRING'), schema('INT32', { optional: true }))]], {
      name: 'Row',
    });
    expect(errorOf(() => writeAs(map, { m: new Map([['k', null]]) }))).toMatchObject({
      code: 'PROTOBUF_DATA',
      place: { field: 'm[k]' },
    });
  });

  test('of a required field is an error, and of the record a tombstone', () => {
    const required = structSchema([['n', structSchema([['x', schema('INT32')]])]], { name: 'Row' });
    expect(errorOf(() => writeAs(required, { n: {} }))).toMatchObject({
      code: 'CONVERTER_MISMATCH',
      place: { field: 'n.x' },
    });
    expect(writeAs(required, null)).toHaveLength(0);
    expect(errorOf(() => writeAs(null, 1))).toMatchObject({ code: 'PROTOBUF_SCHEMA' });
  });
});

describe('values that Protobuf or the schema cannot hold', () => {
  test.each<[string, Schema, unknown, string, RegExp]>([
    ['an integer beyond int8', schema('INT8'), 128, 'CONVERTER_MISMATCH', /its schema is INT8/],
    ['an integer beyond int32', schema('INT32'), 2 ** 31, 'CONVERTER_MISMATCH', /its schema is INT32/],
    ['an integer beyond int64', schema('INT64'), 2n ** 63n, 'CONVERTER_MISMATCH', /its schema is INT64/],
    ['an integer beyond int64, a number', schema('INT64'), 2 ** 63, 'CONVERTER_MISMATCH', /its schema is INT64/],
    ['a fraction', schema('INT32'), 1.5, 'CONVERTER_MISMATCH', /a number with a fraction/],
    ['a float beyond 32 bits', schema('FLOAT32'), 1e39, 'PROTOBUF_DATA', /out of the range of float/],
    ['half of a surrogate pair', schema('STRING'), 'a\ud800', 'PROTOBUF_DATA', /half of a surrogate pair/],
    ['a text for a number', schema('FLOAT64'), '1', 'CONVERTER_MISMATCH', /a string/],
    ['a number for a text', schema('STRING'), 1, 'CONVERTER_MISMATCH', /an integer/],
    ['a text for bytes', schema('BYTES'), 'a', 'CONVERTER_MISMATCH', /a string/],
    ['a number for a boolean', schema('BOOLEAN'), 1, 'CONVERTER_MISMATCH', /an integer/],
    ['an object for a list', arraySchema(schema('INT32')), {}, 'CONVERTER_MISMATCH', /ARRAY/],
    ['an object for a map', mapSchema(schema('STRING'), schema('INT32')), {}, 'CONVERTER_MISMATCH', /MAP/],
    ['a list for a struct', structSchema([]), [], 'CONVERTER_MISMATCH', /STRUCT/],
    ['a promise for a struct', structSchema([]), Promise.resolve(), 'CONVERTER_MISMATCH', /STRUCT/],
    ['a Decimal with another scale', decimalSchema(2), decimal(1n, 3), 'CONVERTER_MISMATCH', /scale 2/],
    ['a number for a Decimal', decimalSchema(2), 1, 'CONVERTER_MISMATCH', /Decimal/],
    ['a date before year 1', dateSchema(), new Date('-000001-01-01T00:00:00Z'), 'PROTOBUF_DATA', /year 1 to 9999/],
    ['a date with a time', dateSchema(), moment, 'CONVERTER_MISMATCH', /no time of day/],
    ['a time beyond a day', timeSchema(), new Date(86_400_001), 'CONVERTER_MISMATCH', /one day/],
    ['no date', timestampSchema(), new Date(NaN), 'CONVERTER_MISMATCH', /invalid/],
  ])('%s', (_name, type, value, code, message) => {
    const error = errorOf(() => writeAs(structSchema([['f', type]], { name: 'Row' }), { f: value }));
    expect(error).toMatchObject({ code, place: { field: 'f' } });
    expect(error.message).toMatch(message);
  });

  test('timestamps beyond the dates of JavaScript are exact', () => {
    const struct = structSchema([['t', timestampSchema()]], { name: 'Row' });
    for (const value of [9_007_199_254_740_991, -(2n ** 63n), 2n ** 63n - 1n])
      expect(roundTrip(struct, { t: value })).toEqual({ t: value });
  });

  test('-0, NaN and the infinities keep their bits', () => {
    const struct = structSchema(
      [
        ['d', schema('FLOAT64')],
        ['f', schema('FLOAT32')],
      ],
      { name: 'Row' },
    );
    for (const value of [-0, NaN, Infinity, -Infinity, 5e-324])
      expect(Object.is((roundTrip(struct, { d: value, f: 0 }) as { d: number }).d, value)).toBe(true);
  });

  test('a value within itself ends', () => {
    const fields: unknown[] = [];
    const type = { ...structSchema([], { name: 'Node' }), fields, optional: true } as unknown as Schema;
    fields.push({ name: 'next', index: 0, schema: type });
    expect(declarations(type)).toBe('message Node { .Node next = 1; }');
    expect(roundTrip(type, { next: { next: null } })).toEqual({ next: { next: null } });
    const node: Record<string, unknown> = {};
    node.next = node;
    expect(errorOf(() => writeAs(type, node))).toMatchObject({ code: 'PROTOBUF_DATA' });
  });
});

describe('names', () => {
  const row = (name: string, field = 'f', config: Config = {}) =>
    declarations(structSchema([[field, schema('INT32')]], { name }), config);

  test('the package is part of the name with enhanced.protobuf.schema.support', () => {
    expect(row('server.db.Envelope')).toBe('message Envelope { int32 f = 1; }');
    const enhanced = { 'enhanced.protobuf.schema.support': 'true' };
    expect(row('server.db.Envelope', 'f', enhanced)).toBe('package server.db; message Envelope { int32 f = 1; }');
    const struct = structSchema([['f', schema('INT32')]], { name: 'server.db.Envelope' });
    expect(read(writeAs(struct, { f: 1 }, enhanced), schemaText(struct, enhanced), enhanced).schema?.name).toBe(
      'server.db.Envelope',
    );
    expect(read(writeAs(struct, { f: 1 }), schemaText(struct)).schema?.name).toBe('Envelope');
  });

  test('scrub.invalid.names replaces what Protobuf does not allow', () => {
    expect(errorOf(() => row('Row', 'a-b'))).toMatchObject({ code: 'PROTOBUF_SCHEMA' });
    expect(errorOf(() => row('a-b'))).toMatchObject({ code: 'PROTOBUF_SCHEMA' });
    const scrub = { 'scrub.invalid.names': 'true' };
    expect(row('x.my-row', '1 ä', scrub)).toBe('message my_row { int32 x1__C3_A4 = 1; }');
    const both = structSchema(
      [
        ['a-b', schema('INT32')],
        ['a.b', schema('INT32')],
      ],
      { name: 'Row' },
    );
    expect(errorOf(() => schemaText(both, scrub)).message).toContain('Two fields of the schema have the name a_b');
    const one = structSchema([['a-b', schema('INT32')]], { name: 'Row' });
    expect(roundTrip(one, { 'a-b': 5 }, scrub)).toEqual({ a_b: 5 });
  });

  test('of inherited properties are data', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const struct = structSchema(
      names.map((name) => [name, schema('STRING', { optional: true })]),
      { name: '__proto__' },
    );
    const value = JSON.parse('{"__proto__":"a","constructor":"b","toString":"c","hasOwnProperty":"d"}') as object;
    const again = roundTrip(struct, value) as object;
    expect(Object.keys(again)).toEqual(names);
    expect(JSON.stringify(again)).toBe(JSON.stringify(value));
    expect(Object.getPrototypeOf(again)).toBe(Object.prototype);
    expect(roundTrip(struct, {})).toEqual(
      JSON.parse('{"__proto__":"","constructor":"","toString":"","hasOwnProperty":""}'),
    );
  });

  test('of types do not collide with those of fields, nor of each other', () => {
    const block = (field: string) => optional(structSchema([[field, schema('INT32')]], { name: 'event.block' }));
    const struct = structSchema(
      [
        ['block', block('a')],
        ['other', block('b')],
        ['same', block('b')],
      ],
      { name: 'Row' },
    );
    const text = declarations(struct);
    expect(text).toBe(
      'message Row { block2 block = 1; block3 other = 2; block4 same = 3; message block2 { int32 a = 1; } ' +
        'message block3 { int32 b = 1; } message block4 { int32 b = 1; } }',
    );
    const value = { block: { a: 1 }, other: { b: 2 }, same: null };
    expect(roundTrip(struct, value)).toEqual(value);
    expect(new ForeignMessage(schemaText(struct), 'Row').json(writeAs(struct, value).subarray(1))).toEqual({
      block: { a: 1 },
      other: { b: 2 },
    });
  });

  test.each([
    'string',
    'message',
    'enum',
    'oneof',
    'optional',
    'repeated',
    'map',
    'reserved',
    'group',
    'option',
    'bytes',
  ])('a struct called %s is none of the words of the language', (name) => {
    const inner = structSchema([[name, schema('INT32')]], { name });
    const struct = structSchema(
      [
        [`${name}_`, inner],
        ['l', arraySchema(inner)],
        ['m', mapSchema(schema('STRING'), inner)],
      ],
      { name: 'Row' },
    );
    const value = { [`${name}_`]: { [name]: 1 }, l: [{ [name]: 2 }], m: new Map([['k', { [name]: 3 }]]) };
    expect(roundTrip(struct, value)).toEqual(value);
    expect(new ForeignMessage(schemaText(struct), 'Row').json(writeAs(struct, value).subarray(1))).toEqual({
      ...value,
      m: { k: { [name]: 3 } },
    });
  });

  test('a struct that is there twice is declared once', () => {
    const value = structSchema([['id', schema('INT64')]], { name: 's.t.Value' });
    const envelope = structSchema(
      [
        ['before', optional(value)],
        ['after', optional(value)],
      ],
      { name: 's.t.Envelope' },
    );
    expect(declarations(envelope)).toBe(
      'message Envelope { Value before = 1; Value after = 2; message Value { int64 id = 1; } }',
    );
  });
});

describe('wrapper.for.raw.primitives', () => {
  test('a record that is no struct is a wrapper, and otherwise a message of its own', () => {
    expect(schemaText(schema('INT64'))).toBe(
      'syntax = "proto3";\npackage google.protobuf;\n\nmessage Int64Value {\n  int64 value = 1;\n}\n',
    );
    expect(writeAs(schema('INT64'), 5)).toEqual(Buffer.from([0, 8, 5]));
    const off = { 'wrapper.for.raw.primitives': 'false' };
    expect(declarations(schema('INT64'), off)).toContain('message ConnectDefault1 {');
    expect(roundTrip(schema('INT64'), 5, off)).toBe(5);
    // What another client wrote.
    expect(read(writeAs(schema('INT64'), 5), schemaText(schema('INT64')), off).value).toEqual({ value: 5 });
  });
});
