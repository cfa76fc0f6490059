/** use.latest.version, use.schema.id: records are written for a schema that somebody else registered. */
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
import { foreignType } from './foreign-protobuf';
import { errorOf, formatOf, read, readHex, registered, writeAs, writeFor } from './protobuf-harness';

const PROTO3 = 'syntax = "proto3";';
const row = (type: Schema, name = 'f') => structSchema([[name, type]], { name: 'db.Row' });
const INT32 = schema('INT32');
const INT64 = schema('INT64');

/** How protobuf.js reads what is written of a value into a field of the type. */
function written(declaration: string, type: Schema, value: unknown, imports = ''): unknown {
  const text = `${PROTO3} ${imports} message M { ${declaration} enum E { A = 0; B = 5; } message N { string x = 4; int64 y = 2; } }`;
  const bytes = writeFor(registered(text), row(type), { f: value });
  expect(bytes[0]).toBe(0);
  return (foreignType(text, 'M').decode(bytes.subarray(1)).toJSON() as { f: unknown }).f;
}

test.each<[string, Schema, unknown, unknown]>([
  ['int32', schema('INT8'), -5, -5],
  ['sint32', INT32, -(2 ** 31), -(2 ** 31)],
  ['sfixed32', INT32, -1, -1],
  ['uint32', INT64, 2 ** 32 - 1, 4_294_967_295],
  ['fixed32', INT32, 7, 7],
  ['fixed32', INT64, 2 ** 32 - 1, 4_294_967_295],
  ['int64', INT32, -5, '-5'],
  ['sint64', INT64, -(2n ** 63n), '-9223372036854775808'],
  ['sint64', INT64, 2n ** 63n - 1n, '9223372036854775807'],
  ['sint64', INT64, -(2 ** 40), '-1099511627776'],
  ['sfixed64', INT64, -(2n ** 63n), '-9223372036854775808'],
  ['fixed64', INT64, 2n ** 63n - 1n, '9223372036854775807'],
  ['uint64', INT64, 2 ** 53, '9007199254740992'],
  ['double', schema('FLOAT32'), 0.5, 0.5],
  ['E', schema('STRING'), 'B', 'B'],
  ['E', schema('INT16'), 5, 'B'],
  [
    'N',
    structSchema([
      ['y', INT64],
      ['x', schema('STRING')],
    ]),
    { x: 'a', y: 1 },
    { x: 'a', y: '1' },
  ],
])('%s from Connect’s %p', (type, connect, value, json) => {
  expect(written(`${type} f = 20;`, connect, value)).toEqual(json);
  expect(written(`repeated ${type} f = 20;`, arraySchema(connect), [value, value])).toEqual([json, json]);
  expect(
    written(
      `repeated ${type} f = 20 [packed = false];`.replace(type === 'N' ? ' [packed = false]' : '~', ''),
      arraySchema(connect),
      [value],
    ),
  ).toEqual([json]);
  expect(written(`oneof o { ${type} f = 20; }`, connect, value)).toEqual(json);
  expect(
    written(`map<string, ${type}> f = 20;`, mapSchema(schema('STRING'), connect), new Map([['k', value]])),
  ).toEqual({ k: json });
});

test('wrappers, dates and decimals, whatever the converter’s settings are', () => {
  const imports = [
    'google/protobuf/wrappers',
    'google/protobuf/timestamp',
    'google/type/date',
    'google/type/timeofday',
    'confluent/type/decimal',
  ]
    .map((name) => `import "${name}.proto";`)
    .join('');
  expect(written('google.protobuf.Int64Value f = 1;', INT64, 0, imports)).toEqual({});
  expect(written('google.protobuf.UInt32Value f = 1;', INT64, 5, imports)).toEqual({ value: 5 });
  expect(written('google.protobuf.Timestamp f = 1;', timestampSchema(), new Date(1_500), imports)).toEqual({
    seconds: '1',
    nanos: 500_000_000,
  });
  expect(written('google.type.Date f = 1;', dateSchema(), new Date(0), imports)).toEqual({
    year: 1970,
    month: 1,
    day: 1,
  });
  expect(written('google.type.TimeOfDay f = 1;', timeSchema(), new Date(0), imports)).toEqual({});
  expect(written('confluent.type.Decimal f = 1;', decimalSchema(1), { unscaled: 5n, scale: 1 }, imports)).toEqual({
    value: 'BQ==',
    scale: 1,
  });
});

describe('fields are found by their names', () => {
  const target = registered(
    `${PROTO3} message Other { int32 z = 1; } message Row { string note = 9; int64 id = 3; oneof o { int32 a = 5; string b = 6; } int32 added = 7; }`,
  );
  const struct = structSchema(
    [
      ['id', INT64],
      ['note', schema('STRING', { optional: true })],
    ],
    { name: 'db.Row' },
  );

  test('in the message of the record’s name, or the first one', () => {
    expect(writeFor(target, struct, { id: 5, note: 'x' }).toString('hex')).toBe('0202' + '1805' + '4a0178');
    expect(errorOf(() => writeFor(target, { ...struct, name: 'x.Unknown' }, { id: 5 })).message).toContain(
      'no field id in Other',
    );
    const nested = registered(`${PROTO3} package p; message A { message Row { int64 id = 1; string note = 2; } }`);
    expect(writeFor(nested, struct, { id: 5 }).toString('hex')).toBe('040000' + '0805');
  });

  test('a field that the schema does not have', () => {
    const more = structSchema(
      [
        ['id', INT64],
        ['gone', INT64],
      ],
      { name: 'db.Row' },
    );
    const error = errorOf(() => writeFor(target, more, { id: 5, gone: 1 }));
    expect(error).toMatchObject({ code: 'PROTOBUF_SCHEMA' });
    expect(error.message).toContain('no field gone in Row');
    expect(writeFor(target, more, { id: 5, gone: 1 }, { isStrict: false }).toString('hex')).toBe('0202' + '1805');
  });

  test('fields of a oneof: one may be set', () => {
    const flat = structSchema(
      [
        ['a', optional(INT32)],
        ['b', schema('STRING', { optional: true })],
      ],
      { name: 'Row' },
    );
    expect(writeFor(target, flat, { a: 0, b: null }).toString('hex')).toBe('0202' + '2800');
    expect(errorOf(() => writeFor(target, flat, { a: 1, b: 'x' }))).toMatchObject({
      code: 'PROTOBUF_DATA',
      place: { field: 'b' },
    });
  });

  test('what a type cannot hold', () => {
    for (const [type, connect] of [
      ['string', INT32],
      ['int32', INT64],
      ['float', schema('FLOAT64')],
      ['bytes', schema('STRING')],
      ['int32', schema('BOOLEAN')],
      ['repeated int32', INT32],
      ['int32', arraySchema(INT32)],
      ['Row', INT32],
      ['int64', timestampSchema()],
      ['int32', structSchema([])],
      ['E', schema('BYTES')],
    ] as const) {
      const other = registered(`${PROTO3} message Row { ${type} f = 1; enum E { A = 0; } }`);
      for (const isStrict of [true, false])
        expect(errorOf(() => writeFor(other, row(connect), {}, { isStrict }))).toMatchObject({
          code: 'PROTOBUF_SCHEMA',
        });
    }
    const required = registered('message Row { required int32 f = 1; required int32 g = 2; }');
    expect(errorOf(() => writeFor(required, row(INT32), { f: 1 })).message).toContain('requires the field g');
    const one = registered('message Row { required int32 f = 1; }');
    expect(errorOf(() => writeFor(one, row(optional(INT32)), { f: null }))).toMatchObject({
      code: 'PROTOBUF_DATA',
      place: { field: 'f' },
    });
    expect(writeFor(one, row(INT32), { f: 0 }).toString('hex')).toBe('000800');
  });

  test('values out of a type’s range', () => {
    for (const [type, value] of [
      ['uint32', -1],
      ['uint32', 2 ** 32],
      ['fixed32', 2 ** 32],
      ['uint64', -1],
      ['fixed64', -(2n ** 63n)],
    ] as const) {
      const other = registered(`${PROTO3} message Row { ${type} f = 1; }`);
      expect(errorOf(() => writeFor(other, row(INT64), { f: value }))).toMatchObject({
        code: 'PROTOBUF_DATA',
        place: { field: 'f' },
      });
    }
    const other = registered(`${PROTO3} message Row { E f = 1; enum E { A = 0; } }`);
    expect(errorOf(() => writeFor(other, row(schema('STRING')), { f: 'B' }))).toMatchObject({ code: 'PROTOBUF_DATA' });
  });
});

describe('what was read from Protobuf is written back as it was', () => {
  const text = `${PROTO3} package p; message M { E e = 4; oneof pay { string cash = 14; N card = 9; } sint32 s = 2; map<int32, E> m = 3; enum E { A = 0; B = 5; C = -1; } message N { fixed64 x = 1; M m = 3; } optional int32 o = 19000000; }`;
  const hex = '20 05 4a 13 09 05 00 00 00 00 00 00 00 1a 08 10 10 1a 04 08 07 10 05 10 05 1a 04 08 07 10 05';

  test.each<Record<string, string>>([
    {},
    { 'generate.index.for.unions': 'false' },
    { 'generalized.sum.type.support': 'true' },
    { 'int.for.enums': 'true' },
    { 'optional.for.nullables': 'true', 'enhanced.protobuf.schema.support': 'true' },
  ])('into its schema, and into one of our own: %p', (config) => {
    const { schema: connect, value } = readHex(hex, text, config);
    const back = writeFor(registered(text), connect, value, { config });
    expect(read(back, text, config).value).toEqual(value);
    const writer = formatOf(config).writer(connect);
    // Numbers of fields are kept.
    expect(writer.schema.text).toMatch(/E e = 4;/);
    expect(writer.schema.text).toMatch(/oneof pay \{\s+string cash = 14;\s+N card = 9;\s+\}/);
    expect(writer.schema.text).toMatch(/enum E \{\s+A = 0;\s+B = 5;\s+C = -1;\s+\}/);
    expect(writer.schema.text).toMatch(/int32 o = 19000000;/);
    const own = foreignType(writer.schema.text, writer.recordName as string);
    expect(own.decode(writeAs(connect, value, config).subarray(1)).toJSON()).toMatchObject({
      e: 'B',
      card: { x: '5', m: { s: 8, m: { 7: 'B' } } },
    });
  });

  test('also an enum’s number that has no name', () => {
    const { schema: connect, value } = readHex('20 2a', text);
    expect(value).toMatchObject({ e: 'UNKNOWN_ENUM_VALUE_E_42' });
    expect(writeFor(registered(text), connect, value).toString('hex')).toBe('00202a');
  });
});
