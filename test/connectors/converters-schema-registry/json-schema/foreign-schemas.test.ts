/** Schemas that others registered: what they are in Connect, and how their records are read. */
import type { Schema } from '@millrace/sdk';
import { connectSchemaOf, read, registered, thrownBy, type Config } from './json-schema-harness';

const NULL = { type: 'null' };
const ONE_OF = 'io.confluent.connect.json.OneOf';
const LENIENT: Config = { 'use.optional.for.nonrequired': 'true' };

/** A short form: `STRING?`, `[INT64]`, `{a: STRING, b: INT64?}`, `<STRING, INT64>`. */
function shortForm(schema: Schema | null): string {
  if (schema === null) return 'any';
  const mark = schema.optional ? '?' : '';
  switch (schema.type) {
    case 'STRUCT':
      return `{${schema.fields?.map(({ name, schema: of }) => `${name.replace(`${ONE_OF}.field.`, '#')}: ${shortForm(of)}`).join(', ')}}${mark}`;
    case 'ARRAY':
      return `[${shortForm(schema.valueSchema)}]${mark}`;
    case 'MAP':
      return `<${shortForm(schema.keySchema)}, ${shortForm(schema.valueSchema)}>${mark}`;
    default:
      return schema.type + mark;
  }
}

test.each<[string, unknown, string, string, unknown, Config?]>([
  ['integers are INT64', { type: 'integer' }, '1.0', 'INT64', 1],
  ['numbers are FLOAT64', { type: 'number' }, '1', 'FLOAT64', 1],
  ['a type that is a number with connect.type', { type: 'number', 'connect.type': 'int32' }, '5', 'INT32', 5],
  ['a list of one type', { type: ['string'], enum: ['A'] }, '"A"', 'STRING', 'A'],
  ['a nullable type', { type: ['string', 'null'] }, 'null', 'STRING?', null],
  ['oneOf with null last', { oneOf: [{ type: 'string' }, NULL] }, '"x"', 'STRING?', 'x'],
  ['anyOf with null', { anyOf: [NULL, { type: 'boolean' }] }, 'true', 'BOOLEAN?', true],
  ['oneOf of one', { oneOf: [{ type: 'string' }] }, '"x"', 'STRING', 'x'],
  [
    'a list of types is a union',
    { type: ['string', 'integer', 'null'] },
    '5',
    '{#0: STRING?, #1: INT64?}?',
    { [`${ONE_OF}.field.0`]: null, [`${ONE_OF}.field.1`]: 5 },
  ],
  ['integer and number are a number', { type: ['integer', 'number'] }, '5', 'FLOAT64', 5],
  ['a const without a type', { const: 'money' }, '"money"', 'STRING', 'money'],
  ['an enum of numbers', { enum: [1, 2] }, '2', 'INT64', 2],
  ['an enum with null', { enum: ['a', null] }, 'null', 'STRING?', null],
  ['allOf with an enum', { allOf: [{ type: 'string' }, { enum: ['a'] }] }, '"a"', 'STRING', 'a'],
  ['a tuple of one', { type: 'array', items: [{ type: 'string' }] }, '["x"]', '[STRING]', ['x']],
  [
    'a tuple',
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
    '["x",1]',
    '[{#0: STRING?, #1: INT64?}]',
    [
      { [`${ONE_OF}.field.0`]: 'x', [`${ONE_OF}.field.1`]: null },
      { [`${ONE_OF}.field.0`]: null, [`${ONE_OF}.field.1`]: 1 },
    ],
  ],
  ['an array of anything', { type: 'array' }, '[1.50,{"a":null}]', '[STRING?]', ['1.50', '{"a":null}']],
  ['no type but items', { items: { type: 'integer' } }, '[1]', '[INT64]', [1]],
  [
    'a map by additionalProperties',
    { type: 'object', additionalProperties: { type: 'integer' } },
    '{"a":1}',
    '<STRING, INT64>',
    new Map([['a', 1]]),
  ],
  ['no type but properties', { properties: { a: { type: 'string' } } }, '{"a":"x","b":1}', '{a: STRING}', { a: 'x' }],
  ['true as a property', { properties: { a: true } }, '{"a":{"b":1.0}}', '{a: STRING?}', { a: '{"b":1.0}' }],
  ['false as a property', { properties: { a: false, b: { type: 'string' } } }, '{"b":"x"}', '{b: STRING}', { b: 'x' }],
  ['anything', true, '{"a":[12345678901234567]}', 'any', { a: [12345678901234567n] }],
  ['only null', { properties: { a: NULL } }, '{"a":null}', '{a: STRING?}', { a: null }],
  [
    'a definition',
    {
      type: 'object',
      properties: { a: { $ref: '#/definitions/A~1b%20c' } },
      definitions: { 'A/b c': { type: 'string' } },
    },
    '{"a":"x"}',
    '{a: STRING}',
    { a: 'x' },
  ],
  [
    'a nullable definition by $defs and $anchor',
    { properties: { a: { anyOf: [{ $ref: '#here' }, NULL] } }, $defs: { x: { $anchor: 'here', type: 'integer' } } },
    '{"a":null}',
    '{a: INT64?}',
    { a: null },
  ],
  [
    'a definition by its $id',
    {
      $id: 'http://example.com/root.json',
      properties: { a: { $ref: 'a.json' } },
      definitions: { x: { $id: 'a.json', type: 'integer' } },
    },
    '{"a":3}',
    '{a: INT64}',
    { a: 3 },
  ],
  [
    'allOf merges properties and what is required',
    {
      allOf: [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, { $ref: '#/definitions/B' }],
      properties: { c: { type: 'boolean' } },
      definitions: { B: { properties: { b: { type: 'integer' }, a: { description: 'joined' } } } },
    },
    '{"a":"x","b":1}',
    '{c: BOOLEAN?, a: STRING, b: INT64?}',
    { c: null, a: 'x', b: 1 },
    LENIENT,
  ],
  [
    'alternatives beside properties add to them',
    {
      type: 'object',
      properties: { kind: { type: 'string' } },
      oneOf: [{ properties: { a: { type: 'string' } } }, { required: ['kind'] }],
    },
    '{"kind":"k","a":"x"}',
    '{kind: STRING, a: STRING?}',
    { kind: 'k', a: 'x' },
  ],
  [
    'fields in the order of connect.index, with the same or none as in the text',
    {
      properties: {
        z: { type: 'string' },
        c: { type: 'string', 'connect.index': 1 },
        b: { type: 'string', 'connect.index': 1 },
        a: { type: 'string', 'connect.index': 0 },
      },
    },
    '{"a":"1","b":"2","c":"3","z":"4"}',
    '{a: STRING, c: STRING, b: STRING, z: STRING}',
    { a: '1', c: '3', b: '2', z: '4' },
  ],
  [
    'names that objects inherit',
    { properties: { constructor: { type: 'string' }, toString: { type: ['null', 'string'] } } },
    '{"constructor":"x","__proto__":{"toString":"y"}}',
    '{constructor: STRING, toString: STRING?}',
    { constructor: 'x', toString: null },
  ],
  [
    'dates as Flink names them',
    { type: 'number', title: 'org.apache.kafka.connect.data.Date', 'connect.type': 'int32' },
    '1',
    'INT32',
    new Date(86_400_000),
  ],
  [
    'a date-time without a logical name',
    { type: 'string', format: 'date-time' },
    '"2024-01-01T00:00:00Z"',
    'STRING',
    '2024-01-01T00:00:00Z',
  ],
  ['an unknown connect.type', { type: 'string', 'connect.type': 'timestamp' }, '"x"', 'STRING', 'x'],
])('%s', (_name, schema, json, expected, value, config = {}) => {
  const result = read(json, registered(schema), config);
  expect(shortForm(result.schema)).toBe(expected);
  expect(result.value).toEqual(value);
});

test('a reference of the registry is found by its name, also by one relative to an $id, and from another one', () => {
  const order = {
    $id: 'http://example.com/order.json',
    type: 'object',
    properties: {
      address: { $ref: 'address.json#/definitions/postal' },
      money: { $ref: 'money' },
    },
  };
  const target = registered(order, {
    'http://example.com/address.json': {
      definitions: { postal: { $ref: '#/definitions/city' }, city: { type: 'string' } },
    },
    money: { type: 'object', properties: { amount: { $ref: 'amount.json' } } },
    'amount.json': { type: 'integer', 'connect.type': 'int32' },
  });
  const { schema, value } = read('{"address":"Bern","money":{"amount":5}}', target);
  expect(shortForm(schema)).toBe('{address: STRING, money: {amount: INT32}}');
  expect(value).toEqual({ address: 'Bern', money: { amount: 5 } });
});

test('recursive schemas are structs that contain themselves', () => {
  const tree = {
    type: 'object',
    title: 'Tree',
    properties: {
      name: { type: 'string' },
      children: { type: 'array', items: { $ref: '#' } },
      parent: { oneOf: [NULL, { $ref: '#' }] },
    },
  };
  const { schema, value } = read(
    '{"name":"a","children":[{"name":"b","children":[],"parent":null}],"parent":null}',
    registered(tree),
  );
  const children = schema?.fields?.[1]?.schema;
  expect(children?.valueSchema?.fields?.[1]?.schema).toBe(children);
  expect(Object.isFrozen(children) && Object.isFrozen(children?.valueSchema?.fields)).toBe(true);
  expect(value).toEqual({ name: 'a', children: [{ name: 'b', children: [], parent: null }], parent: null });
});

describe('a union of objects', () => {
  const shapes = {
    oneOf: [
      { type: 'object', properties: { kind: { const: 'circle' }, r: { type: 'number' } }, required: ['kind'] },
      { type: 'object', properties: { kind: { const: 'box' }, w: { type: 'number' } }, required: ['kind'] },
      {
        type: 'object',
        properties: { message: { type: 'object', properties: { A: { type: 'string' } }, required: ['A'] } },
      },
      {
        type: 'object',
        properties: { message: { type: 'object', properties: { B: { type: 'integer' } }, required: ['B'] } },
      },
    ],
  };
  test.each([
    ['by a constant', '{"kind":"box","w":1}', 1, { kind: 'box', w: 1 }],
    ['by a nested member', '{"message":{"B":27}}', 3, { message: { B: 27 } }],
    ['by most members', '{"kind":"circle","r":2}', 0, { kind: 'circle', r: 2 }],
  ])('chooses %s', (_name, json, index, value) => {
    const result = read(json, registered(shapes), LENIENT).value as Record<string, unknown>;
    expect(result[`${ONE_OF}.field.${index}`]).toEqual(value);
    expect(Object.values(result).filter((one) => one !== null)).toHaveLength(1);
  });
  test('without one that fits is an error that names no value', () => {
    const error = thrownBy(() => read('"secret"', registered(shapes)));
    expect(error).toMatchObject({ code: 'JSON_SCHEMA_DATA', place: { schemaId: 7 } });
    expect(error.message).toBe(
      'A record of JSON Schema 7 cannot be read: its value is a string that fits none of the alternatives in its schema.',
    );
  });
});

test('defaults are read with their schema, and those of another type count as none', () => {
  const text = JSON.stringify({
    properties: {
      a: { type: 'integer', default: 'LONG' },
      b: { type: 'integer', default: 'x' },
      c: { oneOf: [NULL, { type: 'string', default: 'y' }] },
      d: { type: 'object', default: { e: 1 }, properties: { e: { type: 'integer' } } },
    },
  });
  const schema = connectSchemaOf(text.replace('"LONG"', '12345678901234567'), '{"b":1}');
  expect(schema?.fields?.map((field) => field.schema.default)).toEqual([12345678901234567n, undefined, 'y', { e: 1 }]);
});
