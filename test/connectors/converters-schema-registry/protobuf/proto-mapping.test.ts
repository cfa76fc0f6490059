/**
 * Protobuf's types and values as Connect's, row by row. Sources: Confluent's documentation of the converter (settings);
 * ClickHouse's of its sink ("Protobuf type → Kafka Connect type", for this converter); threads on the converter's
 * repository (oneofs as structs, the parameter Tag, wrappers, flags for optional fields); protobuf.dev.
 */
import type { Schema } from '@millrace/sdk';
import { foreignType } from './foreign-protobuf';
import { errorOf, read, readHex, registered, type Config } from './protobuf-harness';

const TAG = 'io.confluent.connect.protobuf.Tag';
const PROTO3 = 'syntax = "proto3";';

/** What a message of one field, written by protobuf.js, is in Connect. */
function readField(declaration: string, value: unknown, config: Config = {}, imports = ''): [Schema, unknown] {
  const text = `${PROTO3} ${imports} message M { ${declaration} enum Color { RED = 0; BLUE = 5; AZURE = -1; } message N { int32 x = 1; } }`;
  const type = foreignType(text, 'M');
  const bytes = type.encode(type.fromObject({ f: value })).finish();
  const { schema, value: struct } = read(Buffer.concat([Buffer.from([0]), bytes]), text, config);
  return [schema?.fields?.[0]?.schema as Schema, (struct as { f: unknown }).f];
}

const BIG = '9223372036854775807';

test.each<[string, string, string | number, unknown]>([
  ['double', 'FLOAT64', 1.5, 1.5],
  ['float', 'FLOAT32', 1.5, 1.5],
  ['int32', 'INT32', -5, -5],
  ['sint32', 'INT32', -(2 ** 31), -(2 ** 31)],
  ['sfixed32', 'INT32', -(2 ** 31), -(2 ** 31)],
  ['uint32', 'INT64', 2 ** 32 - 1, 2 ** 32 - 1],
  ['fixed32', 'INT64', 2 ** 32 - 1, 2 ** 32 - 1],
  ['int64', 'INT64', '-9223372036854775808', -(2n ** 63n)],
  ['int64', 'INT64', '9007199254740991', 9_007_199_254_740_991],
  ['int64', 'INT64', '9007199254740992', 9_007_199_254_740_992n],
  ['sint64', 'INT64', '-9223372036854775808', -(2n ** 63n)],
  ['sint64', 'INT64', -3, -3],
  ['sfixed64', 'INT64', '-9223372036854775808', -(2n ** 63n)],
  ['uint64', 'INT64', BIG, 2n ** 63n - 1n],
  ['fixed64', 'INT64', BIG, 2n ** 63n - 1n],
  ['string', 'STRING', 'ä', 'ä'],
  ['N', 'STRUCT', { x: 3 } as unknown as string, { x: 3 }],
  ['Color', 'STRING', 'BLUE', 'BLUE'],
])('%s is %s: %p', (type, connectType, given, value) => {
  const [schema, of] = readField(`${type} f = 3;`, given);
  expect(schema).toMatchObject({ type: connectType, optional: true, parameters: { [TAG]: '3' } });
  expect(of).toEqual(value);
  const [list, values] = readField(`repeated ${type} f = 3;`, [given, given]);
  expect(list).toMatchObject({ type: 'ARRAY', optional: true, valueSchema: { type: connectType } });
  expect(values).toEqual([value, value]);
});

test.each([
  ['int32', 'int8', 'INT8'],
  ['sint32', 'int16', 'INT16'],
  ['sfixed32', 'int8', 'INT8'],
  ['int32', 'int32', 'INT32'],
  ['int64', 'int8', 'INT64'],
])('%s with connect.type=%s is %s, in each way to write the option', (type, connectType, expected) => {
  for (const option of [
    `(confluent.field_meta).params = {key: "connect.type", value: "${connectType}"}`,
    `(confluent.field_meta).params = [{ value: '${connectType}' key: 'connect.type' }]`,
    `(confluent.field_meta) = { doc: "d", params: [{ key: "a", value: "b" }, { key: "connect.type", value: "${connectType}" }] }`,
    `json_name = "g", (.confluent.field_meta) = { params { key: "connect.type" value: "${connectType}" } }`,
  ]) {
    const text = `${PROTO3} import "confluent/meta.proto"; message M { ${type} f = 1 [${option}]; }`;
    expect(readHex('08 02', text).schema?.fields?.[0]?.schema.type).toBe(expected);
  }
});

test('a value that the Connect type of its option cannot hold', () => {
  const text = `${PROTO3} import "confluent/meta.proto"; message M { sint32 f = 1 [(confluent.field_meta).params = {key: "connect.type", value: "int8"}]; }`;
  expect(readHex('08 ff 01', text).value).toEqual({ f: -128 });
  expect(errorOf(() => readHex('08 80 02', text))).toMatchObject({
    code: 'PROTOBUF_DATA',
    place: { field: 'f' },
    message: 'Field f cannot be read as Protobuf: its value is out of the range of INT8.',
  });
});

describe('messages with a meaning', () => {
  const imports =
    'import "google/protobuf/timestamp.proto"; import "google/type/date.proto"; import "google/type/timeofday.proto"; ' +
    'import "confluent/type/decimal.proto"; import "google/protobuf/wrappers.proto";';

  test.each<[string, string, unknown, string, unknown]>([
    ['google.protobuf.Timestamp', '', { seconds: -1, nanos: 999_999_999 }, 'Timestamp', new Date(-1)],
    ['google.protobuf.Timestamp', '', {}, 'Timestamp', new Date(0)],
    ['google.type.Date', '', { year: 1, month: 2, day: 28 }, 'Date', new Date('0001-02-28T00:00:00Z')],
    ['google.type.TimeOfDay', '', { hours: 24 }, 'Time', new Date(86_400_000)],
    [
      'confluent.type.Decimal',
      '[(confluent.field_meta).params = {key: "scale", value: "2"}]',
      { value: Buffer.from([1, 0]), scale: 2 },
      'Decimal',
      { unscaled: 256n, scale: 2 },
    ],
    [
      'confluent.type.Decimal',
      '[(confluent.field_meta).params = {key: "scale", value: "2"}]',
      { value: Buffer.from([255]), scale: 0 },
      'Decimal',
      { unscaled: -100n, scale: 2 },
    ],
    ['confluent.type.Decimal', '', { value: Buffer.from([100]), scale: 2 }, 'Decimal', { unscaled: 1n, scale: 0 }],
  ])('%s %s: %p is %s', (type, options, given, name, value) => {
    const [schema, of] = readField(`.${type} f = 1 ${options};`, given, {}, imports);
    expect(schema.name).toBe(`org.apache.kafka.connect.data.${name}`);
    expect(schema.version).toBe(1);
    expect(of).toEqual(value);
  });

  test.each<[string, unknown, RegExp]>([
    ['google.type.Date', { year: 2024, month: 2 }, /not complete/],
    ['google.type.Date', { month: 2, day: 3 }, /not complete/],
    ['google.type.Date', { year: 2023, month: 2, day: 29 }, /no day of the calendar/],
    ['google.type.TimeOfDay', { hours: 25 }, /within one day/],
    ['confluent.type.Decimal', { value: Buffer.from([5]), scale: 2 }, /parameter scale/],
    ['confluent.type.Decimal', { value: Buffer.from([5]), scale: -2_000_000 }, /too many digits/],
    ['google.protobuf.Timestamp', { seconds: BIG }, /beyond/],
  ])('%s that Connect cannot hold: %p', (type, given, message) => {
    const error = errorOf(() => readField(`.${type} f = 1;`, given, {}, imports));
    expect(error).toMatchObject({ code: 'PROTOBUF_DATA', place: { field: 'f' } });
    expect(error.message).toMatch(message);
  });

  test.each<[string, string, unknown]>([
    ['DoubleValue', 'FLOAT64', 1.5],
    ['FloatValue', 'FLOAT32', 1.5],
    ['Int64Value', 'INT64', 5],
    ['UInt64Value', 'INT64', 5],
    ['Int32Value', 'INT32', 5],
    ['UInt32Value', 'INT64', 5],
    ['BoolValue', 'BOOLEAN', true],
    ['StringValue', 'STRING', 'a'],
    ['BytesValue', 'BYTES', Buffer.from('a')],
  ])('%s is an optional %s with wrapper.for.nullables, otherwise a struct', (name, type, value) => {
    const config = { 'wrapper.for.nullables': 'true' };
    const field = `google.protobuf.${name} f = 1;`;
    const [schema, of] = readField(field, { value }, config, imports);
    expect(schema).toMatchObject({ type, optional: true });
    expect(of).toEqual(value);
    expect(readHex('', `${PROTO3} ${imports} message M { ${field} }`, config).value).toEqual({ f: null });
    const zero = readField(field, {}, config, imports)[1];
    expect([0, '', false]).toContainEqual(Buffer.isBuffer(zero) ? zero.toString() : zero);
    const [struct, inner] = readField(field, { value }, {}, imports);
    expect(struct).toMatchObject({ type: 'STRUCT', name, optional: true });
    expect(inner).toEqual({ value });
  });
});

test('maps, also those that are written as lists of entries', () => {
  const [schema, map] = readField('map<int32, N> f = 1;', { 5: { x: 1 }, '-1': {} });
  expect(schema).toMatchObject({
    type: 'MAP',
    keySchema: { type: 'INT32', optional: true, parameters: { [TAG]: '1' } },
    valueSchema: { type: 'STRUCT', optional: true, parameters: { [TAG]: '2' } },
  });
  expect(map).toEqual(
    new Map([
      [5, { x: 1 }],
      [-1, { x: 0 }],
    ]),
  );
  const text = `${PROTO3} message M { repeated ConnectDefault2Entry f = 1; message ConnectDefault2Entry { option map_entry = true; string key = 1; int64 value = 2; } }`;
  expect(readHex('0a 05 0a 01 61 10 07', text).value).toEqual({ f: new Map([['a', 7]]) });
  // Parts of an entry that are missing are defaults; of two entries, and of two parts, the last one counts.
  expect(readHex('0a 00', text).value).toEqual({ f: new Map([['', 0]]) });
  expect(readHex('0a 04 10 01 10 02 0a 02 10 03', text).value).toEqual({ f: new Map([['', 3]]) });
});

describe('enums', () => {
  const text = `${PROTO3} package p; message M { E f = 1; enum E { option allow_alias = true; A = 0; B = 1; C = 1; } }`;

  test.each<[Config, unknown, unknown]>([
    [
      {},
      {
        type: 'STRING',
        name: 'E',
        parameters: {
          [TAG]: '1',
          'io.confluent.connect.protobuf.Enum': 'E',
          'io.confluent.connect.protobuf.Enum.A': '0',
          'io.confluent.connect.protobuf.Enum.B': '1',
          'io.confluent.connect.protobuf.Enum.C': '1',
        },
      },
      'B',
    ],
    [{ 'int.for.enums': 'true' }, { type: 'INT32', name: 'E' }, 1],
    [
      { 'generalized.sum.type.support': 'true' },
      {
        type: 'STRING',
        parameters: {
          [TAG]: '1',
          'org.apache.kafka.connect.data.Enum': 'E',
          'org.apache.kafka.connect.data.Enum.A': '0',
          'org.apache.kafka.connect.data.Enum.B': '1',
          'org.apache.kafka.connect.data.Enum.C': '1',
        },
      },
      'B',
    ],
    [{ 'enhanced.protobuf.schema.support': 'true' }, { type: 'STRING', name: 'p.M.E' }, 'B'],
  ])('%p', (config, schema, value) => {
    const read1 = readHex('08 01', text, config);
    expect(read1.schema?.fields?.[0]?.schema).toMatchObject(schema as object);
    expect(read1.value).toEqual({ f: value });
  });

  test('a number that the enum does not have', () => {
    expect(readHex('08 09', text).value).toEqual({ f: 'UNKNOWN_ENUM_VALUE_E_9' });
    expect(readHex('08 09', text, { 'int.for.enums': 'true' }).value).toEqual({ f: 9 });
    // In proto2 it is an unknown field.
    const proto2 = 'message M { optional E f = 1; repeated E g = 2; enum E { A = 3; B = 1; } }';
    expect(readHex('08 09 10 01 10 07 12 02 03 05', proto2).value).toEqual({ f: null, g: ['B', 'A'] });
  });
});

describe('oneofs', () => {
  const text = `${PROTO3} message M { oneof pay { string cash = 4; N card = 9; int32 n = 5; } int32 other = 1; oneof second { bool b = 6; } message N { int32 x = 1; int32 y = 2; } }`;

  test('are structs of which one field is set', () => {
    const { schema, value } = readHex('22 00 08 07', text);
    expect(value).toEqual({ pay_0: { cash: '', card: null, n: null }, other: 7, second_1: null });
    expect(schema?.fields?.[0]).toMatchObject({
      name: 'pay_0',
      schema: {
        type: 'STRUCT',
        optional: true,
        name: 'io.confluent.connect.protobuf.Union.pay',
        fields: [
          { name: 'cash', schema: { type: 'STRING', optional: true, parameters: { [TAG]: '4' } } },
          { name: 'card', schema: { type: 'STRUCT', name: 'N' } },
          { name: 'n', schema: { type: 'INT32' } },
        ],
      },
    });
  });

  test('the last field counts, and parts of one message are joined', () => {
    expect(readHex('22 01 61 28 05', text).value).toMatchObject({ pay_0: { cash: null, n: 5, card: null } });
    expect(readHex('4a 02 08 01 4a 02 10 02', text).value).toMatchObject({ pay_0: { card: { x: 1, y: 2 }, n: null } });
    expect(readHex('4a 02 08 01 28 01 4a 02 10 02', text).value).toMatchObject({ pay_0: { card: { x: 0, y: 2 } } });
  });

  test('generate.index.for.unions, generalized.sum.type.support, flatten.unions', () => {
    expect(readHex('28 05', text, { 'generate.index.for.unions': 'false' }).value).toEqual({
      pay: { cash: null, card: null, n: 5 },
      other: 0,
      second: null,
    });
    expect(readHex('', text, { 'generalized.sum.type.support': 'true' }).schema?.fields?.[0]?.schema).toMatchObject({
      name: 'connect_union_0',
      parameters: { 'org.apache.kafka.connect.data.Union': 'pay' },
    });
    const flat = { 'flatten.unions': 'true' };
    expect(readHex('22 01 61 28 05', text, flat).value).toEqual({ cash: null, card: null, n: 5, other: 0, b: null });
  });
});

describe('what is not in the bytes', () => {
  const text = `${PROTO3} message M { int32 i = 1; optional int32 o = 2; string s = 3; bytes b = 4; N n = 5; repeated N l = 6; map<int32, N> m = 7; bool t = 8; E e = 9; enum E { Z = 0; } message N { int32 x = 1; N n = 2; O o = 3; } message O { int32 y = 1; } }`;

  test('has the default of its type, or is null where that is known', () => {
    const { schema, value } = readHex('', text);
    expect(value).toEqual({ i: 0, o: null, s: '', b: Buffer.alloc(0), n: null, l: [], m: new Map(), t: false, e: 'Z' });
    expect(schema?.fields?.every((field) => field.schema.optional)).toBe(true);
  });

  test('optional.for.nullables: only what may be missing is optional', () => {
    const { schema } = readHex('', text, { 'optional.for.nullables': 'true' });
    const optionals = schema?.fields?.filter((field) => field.schema.optional).map((field) => field.name);
    expect(optionals).toEqual(['o', 'n']);
  });

  test('generate.struct.for.nulls: a struct of defaults, unless it would have no end', () => {
    expect(readHex('', text, { 'generate.struct.for.nulls': 'true' }).value).toMatchObject({
      n: { x: 0, n: null, o: { y: 0 } },
    });
    expect(readHex('2a 00', text, { 'generate.struct.for.nulls': 'true' }).value).toMatchObject({
      n: { x: 0, n: null, o: { y: 0 } },
    });
  });

  const PROTO2 = `message M {
    optional int32 a = 1 [default = -5]; optional string s = 2 [default = "x\\001\\xc3\\xa4" "y"]; optional double d = 3 [default = -inf];
    optional bytes b = 4 [default = "\\xff\\0"]; optional int64 l = 5 [default = 9223372036854775807];
    optional E e = 6 [default = B]; optional bool t = 7 [default = true]; optional int32 n = 8; optional uint32 h = 9 [default = 0xFFFFFFFF];
    enum E { A = 1; B = 2; } }`;

  test('proto2: declared defaults, and optional.for.proto2', () => {
    const { schema, value } = readHex('', PROTO2);
    const defaults = {
      a: -5,
      s: 'x\u0001äy',
      d: -Infinity,
      b: Buffer.from([255, 0]),
      l: 2n ** 63n - 1n,
      e: 'B',
      t: true,
      n: null,
      h: 4_294_967_295,
    };
    expect(value).toEqual(defaults);
    expect(schema?.fields?.map((field) => field.schema.default ?? null)).toEqual(Object.values(defaults));
    expect(readHex('', PROTO2, { 'optional.for.proto2': 'false' }).value).toEqual({ ...defaults, n: 0 });
    const both = { 'optional.for.proto2': 'false', 'optional.for.nullables': 'true' };
    expect(readHex('', PROTO2, both).schema?.fields?.some((field) => field.schema.optional)).toBe(false);
  });

  test('proto2: required fields', () => {
    const required = 'message M { required int32 a = 1; optional N n = 2; message N { required int32 b = 1; } }';
    expect(readHex('08 05', required).value).toEqual({ a: 5, n: null });
    expect(readHex('08 05', required).schema?.fields?.map((field) => field.schema.optional)).toEqual([false, true]);
    expect(errorOf(() => readHex('08 05 12 00', required))).toMatchObject({
      code: 'PROTOBUF_DATA',
      place: { field: 'n.b' },
    });
  });

  test('editions: features decide', () => {
    const editions = `edition = "2023"; option features.field_presence = IMPLICIT;
      message M { int32 a = 1; int32 b = 2 [features.field_presence = EXPLICIT]; int32 c = 3 [features = { field_presence: LEGACY_REQUIRED }];
      N n = 4 [features.message_encoding = DELIMITED]; message N { int32 x = 1; } }`;
    expect(readHex('18 01 23 08 05 24', editions).value).toEqual({ a: 0, b: null, c: 1, n: { x: 5 } });
    expect(errorOf(() => readHex('', editions))).toMatchObject({ place: { field: 'c' } });
  });
});

test('types of other files, by their imports', () => {
  const target = registered(
    `${PROTO3} package a.b; import public "dir/other.proto"; message M { c.N n = 1; .a.c.N.O o = 2; a.c.E e = 3; }`,
    {
      'dir/other.proto': `${PROTO3} package a.c; import "third.proto"; message N { message O { int32 x = 1; } third.T t = 1; } enum E { Z = 0; }`,
      'third.proto': `${PROTO3} package third; import "dir/other.proto"; message T { string s = 1; }`,
    },
  );
  const enhanced = { 'enhanced.protobuf.schema.support': 'true' };
  const { schema, value } = readHex('0a 05 0a 03 0a 01 61 12 02 08 07', target, enhanced);
  expect(value).toEqual({ n: { t: { s: 'a' } }, o: { x: 7 }, e: 'Z' });
  expect(schema?.name).toBe('a.b.M');
  expect(schema?.fields?.map((field) => field.schema.name)).toEqual(['a.c.N', 'a.c.N.O', 'a.c.E']);
  expect(errorOf(() => readHex('', `${PROTO3} import "x.proto"; message M {}`)).message).toContain('imports x.proto');
});

test('a type within itself is a schema within itself', () => {
  const text = `${PROTO3} message M { string v = 1; repeated M children = 2; M next = 3; }`;
  const { schema, value } = readHex('0a 01 61 12 03 0a 01 62 1a 00', text);
  expect(value).toEqual({
    v: 'a',
    children: [{ v: 'b', children: [], next: null }],
    next: { v: '', children: [], next: null },
  });
  expect(schema?.fields?.[2]?.schema.fields).toBe(schema?.fields);
});

test('well-known types that have no meaning in Connect are structs', () => {
  const text = `${PROTO3} import "google/protobuf/struct.proto"; import "google/protobuf/any.proto"; import "google/type/money.proto"; message M { google.protobuf.Struct s = 1; google.protobuf.Any a = 2; google.type.Money m = 3; }`;
  const type = foreignType(text, 'M');
  const message = {
    s: { fields: { k: { numberValue: 1 } } },
    a: { type_url: 'u', value: Buffer.from('v') },
    m: { units: 5 },
  };
  const bytes = Buffer.concat([
    Buffer.from([0]),
    type.encode(type.fromObject({ ...message, s: { fields: { k: { number_value: 1 } } } })).finish(),
  ]);
  expect(read(bytes, text).value).toMatchObject({
    s: { fields: new Map([['k', { kind_0: expect.objectContaining({ number_value: 1 }) as unknown }]]) },
    a: { type_url: 'u', value: Buffer.from('v') },
    m: { currency_code: '', units: 5, nanos: 0 },
  });
});
