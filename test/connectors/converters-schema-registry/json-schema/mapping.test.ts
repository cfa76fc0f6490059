/**
 * The mapping of Connect schemas, row by row. Sources: Confluent's documentation ("Data type mappings", JSON Schema),
 * and schemas in public that its converters registered, e.g. of the Salesforce source: `{"oneOf":[{"type":"null"},
 * {"type":"integer","connect.version":1,"connect.type":"int64","title":"org.apache.kafka.connect.data.Timestamp"}]}`.
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
import { connectSchemaOf, jsonOf, judge, read, registered, schemaOf, schemaText } from './json-schema-harness';

const STRING = schema('STRING');
const INT32 = schema('INT32');
const decimal = (unscaled: bigint, scale: number) => ({ unscaled, scale });
const day = new Date('2024-02-29T00:00:00Z');
const moment = new Date('2024-02-29T12:34:56.789Z');
const time = new Date(45_296_789);
const logical = (type: string, name: string, connectType: string) => ({
  type,
  title: `org.apache.kafka.connect.data.${name}`,
  'connect.type': connectType,
  'connect.version': 1,
});

describe.each<[string, Schema, unknown, unknown, string, Record<string, string>?]>([
  ['int8', schema('INT8'), { type: 'integer', 'connect.type': 'int8' }, -128, '-128'],
  ['int16', schema('INT16'), { type: 'integer', 'connect.type': 'int16' }, 32767, '32767'],
  ['int32', INT32, { type: 'integer', 'connect.type': 'int32' }, -(2 ** 31), '-2147483648'],
  ['int64', schema('INT64'), { type: 'integer', 'connect.type': 'int64' }, 2n ** 63n - 1n, '9223372036854775807'],
  ['float32', schema('FLOAT32'), { type: 'number', 'connect.type': 'float32' }, Math.fround(0.1), '0.1'],
  ['float64', schema('FLOAT64'), { type: 'number', 'connect.type': 'float64' }, 1e21, '1.0E21'],
  ['boolean', schema('BOOLEAN'), { type: 'boolean' }, true, 'true'],
  ['string', STRING, { type: 'string' }, 'a"ä😀\u0000', '"a\\"ä\\uD83D\\uDE00\\u0000"'],
  ['bytes', schema('BYTES'), { type: 'string', 'connect.type': 'bytes' }, Buffer.from([0, 255]), '"AP8="'],
  [
    'array',
    arraySchema(INT32),
    { type: 'array', items: { type: 'integer', 'connect.type': 'int32' } },
    [1, 2],
    '[1,2]',
  ],
  [
    'map with string keys',
    mapSchema(STRING, INT32),
    { type: 'object', 'connect.type': 'map', additionalProperties: { type: 'integer', 'connect.type': 'int32' } },
    new Map([['__proto__', 1]]),
    '{"__proto__":1}',
  ],
  [
    'map with other keys',
    mapSchema(INT32, STRING),
    {
      type: 'array',
      'connect.type': 'map',
      items: {
        type: 'object',
        properties: { key: { type: 'integer', 'connect.type': 'int32' }, value: { type: 'string' } },
      },
    },
    new Map([[1, 'a']]),
    '[{"key":1,"value":"a"}]',
  ],
  [
    'struct',
    structSchema(
      [
        ['b', INT32],
        ['a', STRING],
      ],
      { name: 'com.example.Row', version: 2, doc: 'A row', parameters: { k: 'v' } },
    ),
    {
      type: 'object',
      title: 'com.example.Row',
      description: 'A row',
      'connect.version': 2,
      'connect.parameters': { k: 'v' },
      properties: {
        b: { type: 'integer', 'connect.type': 'int32', 'connect.index': 0 },
        a: { type: 'string', 'connect.index': 1 },
      },
    },
    { b: 1, a: 'x' },
    '{"b":1,"a":"x"}',
  ],
  ['optional', optional(STRING), { oneOf: [{ type: 'null' }, { type: 'string' }] }, 'x', '"x"'],
  [
    'optional without oneOf',
    schema('STRING', { optional: true }),
    { type: ['null', 'string'] },
    'x',
    '"x"',
    { 'json.oneof.for.nullables': 'false' },
  ],
  ['default', schema('INT32', { default: 5 }), { type: 'integer', default: 5, 'connect.type': 'int32' }, 6, '6'],
  [
    'Decimal as bytes',
    decimalSchema(2),
    { ...logical('string', 'Decimal', 'bytes'), 'connect.parameters': { scale: '2' } },
    decimal(-12345678901234567890n, 2),
    '"/1SrVnMU4PUu"',
  ],
  [
    'Decimal as number',
    decimalSchema(2),
    { ...logical('number', 'Decimal', 'bytes'), 'connect.parameters': { scale: '2' } },
    decimal(12345678901234567890n, 2),
    '123456789012345678.90',
    { 'decimal.format': 'numeric' },
  ],
  ['Date', dateSchema(), logical('integer', 'Date', 'int32'), day, '19782'],
  ['Time', timeSchema(), logical('integer', 'Time', 'int32'), time, '45296789'],
  ['Timestamp', timestampSchema(), logical('integer', 'Timestamp', 'int64'), moment, '1709210096789'],
  [
    'Date in ISO 8601',
    dateSchema(),
    { ...logical('string', 'Date', 'int32'), format: 'date' },
    day,
    '"2024-02-29"',
    { 'json.write.dates.iso8601': 'true' },
  ],
  [
    'Time in ISO 8601',
    timeSchema(),
    { ...logical('string', 'Time', 'int32'), format: 'time' },
    time,
    '"12:34:56.789Z"',
    { 'json.write.dates.iso8601': 'true' },
  ],
  [
    'Timestamp in ISO 8601',
    timestampSchema(),
    { ...logical('string', 'Timestamp', 'int64'), format: 'date-time' },
    moment,
    '"2024-02-29T12:34:56.789Z"',
    { 'json.write.dates.iso8601': 'true' },
  ],
  [
    'enum',
    schema('STRING', {
      parameters: {
        'io.confluent.connect.json.Enum': '',
        'io.confluent.connect.json.Enum.A': 'A',
        'io.confluent.connect.json.Enum.b c': 'b c',
      },
    }),
    { type: 'string', enum: ['A', 'b c'] },
    'b c',
    '"b c"',
  ],
  [
    'union',
    structSchema(
      [
        ['io.confluent.connect.json.OneOf.field.0', optional(STRING)],
        ['io.confluent.connect.json.OneOf.field.1', schema('INT64', { optional: true })],
      ],
      { name: 'io.confluent.connect.json.OneOf' },
    ),
    { oneOf: [{ type: 'string' }, { type: 'integer', 'connect.type': 'int64' }] },
    { 'io.confluent.connect.json.OneOf.field.0': null, 'io.confluent.connect.json.OneOf.field.1': 5 },
    '5',
  ],
])('%s', (_name, connect, expected, value, json, config = {}) => {
  test('has the schema of the documentation', () => {
    expect(schemaOf(connect, config)).toEqual(expected);
  });
  test('is written as its JSON, which ajv accepts', () => {
    expect(jsonOf(connect, value, config)).toBe(json);
    const validate = judge(schemaText(connect, config));
    validate(JSON.parse(json));
    expect(validate.errors).toBeNull();
  });
  test('is read back as the same schema and value', () => {
    const back = read(json, registered(schemaText(connect, config)), config);
    expect(back).toEqual({ schema: connect, value });
  });
});

test('optional values are null where the schema says so, and a null record is a tombstone', () => {
  const row = structSchema([['a', optional(STRING)]], { optional: true });
  expect(jsonOf(row, { a: null })).toBe('{"a":null}');
  expect(jsonOf(row, {})).toBe('{"a":null}');
  expect(jsonOf(row, null)).toBeNull();
  expect(read('null', registered(schemaText(row)))).toEqual({ schema: row, value: null });
});

test('null becomes the default, unless ignore.default.for.nullables', () => {
  const row = structSchema([
    ['a', schema('STRING', { optional: true, default: 'x' })],
    ['b', schema('STRING', { default: 'y' })],
  ]);
  const value = { a: null, b: null };
  expect(jsonOf(row, value)).toBe('{"a":"x","b":"y"}');
  expect(jsonOf(row, value, { 'ignore.default.for.nullables': 'true' })).toBe('{"a":null,"b":"y"}');
  const target = registered(schemaText(row));
  expect(read('{"a":null,"b":"z"}', target).value).toEqual({ a: 'x', b: 'z' });
  expect(read('{"a":null,"b":"z"}', target, { 'ignore.default.for.nullables': 'true' }).value).toEqual({
    a: null,
    b: 'z',
  });
  expect(read('{}', target, { 'ignore.default.for.nullables': 'true' }).value).toEqual({ a: 'x', b: 'y' });
});

test('object.additional.properties and use.optional.for.nonrequired say what structs allow and require', () => {
  const row = structSchema([
    ['a', STRING],
    ['b', optional(STRING)],
  ]);
  const config = { 'object.additional.properties': 'false', 'use.optional.for.nonrequired': 'true' };
  expect(schemaOf(row, config)).toMatchObject({ required: ['a'], additionalProperties: false });
  expect(schemaOf(row)).not.toHaveProperty('required');
  expect(schemaOf(row)).not.toHaveProperty('additionalProperties');
  const foreign = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] };
  expect(connectSchemaOf(foreign, '{"a":"x"}', config)).toEqual(row);
  expect(read('{"a":"x"}', registered(foreign), config).value).toEqual({ a: 'x', b: null });
});

test.each([
  ['draft_4', 'http://json-schema.org/draft-04/schema#'],
  ['draft_6', 'http://json-schema.org/draft-06/schema#'],
  ['draft_7', undefined],
  ['draft_2019_09', 'https://json-schema.org/draft/2019-09/schema'],
  ['draft_2020_12', 'https://json-schema.org/draft/2020-12/schema'],
])('json.schema.spec.version=%s is named in the schema, but for the usual one', (version, dialect) => {
  expect((schemaOf(STRING, { 'json.schema.spec.version': version }) as { $schema?: string }).$schema).toBe(dialect);
});

test('equal schemas have equal texts', () => {
  const make = () => structSchema([['a', mapSchema(STRING, arraySchema(decimalSchema(1)))]], { name: 'N' });
  expect(schemaText(make())).toBe(schemaText(make()));
  expect(schemaText(make())).toMatchInlineSnapshot(
    `"{"type":"object","title":"N","properties":{"a":{"type":"object","connect.type":"map","additionalProperties":{"type":"array","items":{"type":"string","title":"org.apache.kafka.connect.data.Decimal","connect.type":"bytes","connect.version":1,"connect.parameters":{"scale":"1"}}},"connect.index":0}}}"`,
  );
});

test('unions and enums have the shared names with generalized.sum.type.support', () => {
  const config = { 'generalized.sum.type.support': 'true' };
  const union = connectSchemaOf({ oneOf: [{ type: 'string' }, { type: 'integer' }] }, '1', config);
  expect(union).toMatchObject({
    name: null,
    parameters: { 'org.apache.kafka.connect.data.Union': 'connect_union_0' },
    fields: [{ name: 'connect_union_field_0' }, { name: 'connect_union_field_1' }],
  });
  expect(jsonOf(union, { connect_union_field_1: 4 })).toBe('4');
  const color = connectSchemaOf({ enum: ['red', 'blue'] }, '"red"', config);
  expect(color).toMatchObject({
    type: 'STRING',
    parameters: {
      'org.apache.kafka.connect.data.Enum': '',
      'org.apache.kafka.connect.data.Enum.red': '0',
      'org.apache.kafka.connect.data.Enum.blue': '1',
    },
  });
  expect(schemaOf(color)).toEqual({ type: 'string', enum: ['red', 'blue'] });
});

test('alternatives that share values are anyOf, which ajv accepts', () => {
  const union = structSchema(
    [
      ['io.confluent.connect.json.OneOf.field.0', schema('INT64', { optional: true })],
      ['io.confluent.connect.json.OneOf.field.1', schema('FLOAT64', { optional: true })],
    ],
    { name: 'io.confluent.connect.json.OneOf', optional: true },
  );
  expect(schemaOf(union)).toEqual({
    oneOf: [
      { type: 'null' },
      {
        anyOf: [
          { type: 'integer', 'connect.type': 'int64' },
          { type: 'number', 'connect.type': 'float64' },
        ],
      },
    ],
  });
  expect(judge(schemaText(union))(5)).toBe(true);
  expect(read('5', registered(schemaText(union)))).toEqual({
    schema: union,
    value: { 'io.confluent.connect.json.OneOf.field.0': 5, 'io.confluent.connect.json.OneOf.field.1': null },
  });
});

test('values without a schema are JSON of the schema of anything', () => {
  expect(schemaText(null)).toBe('{}');
  const value = { a: 1, b: [new Map([['c', 2n ** 60n]]), null], d: 1.5 };
  const json = '{"a":1,"b":[{"c":1152921504606846976},null],"d":1.5}';
  expect(jsonOf(null, value)).toBe(json);
  expect(read(json, registered('{}'))).toEqual({
    schema: null,
    value: { a: 1, b: [{ c: 2n ** 60n }, null], d: 1.5 },
  });
});
