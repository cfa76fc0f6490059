/** Writing for a schema that is registered already: `use.latest.version` and `use.schema.id`. */
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
import { jsonFor, judge, registered, thrownBy } from './json-schema-harness';

const STRING = schema('STRING');
const INT64 = schema('INT64');
const row = (of: Schema) => structSchema([['x', of]]);
const object = (x: unknown, more: object = {}) => ({ type: 'object', properties: { x }, ...more });
const named = (name: string, type: string, more: object = {}) => ({
  type,
  title: `org.apache.kafka.connect.data.${name}`,
  ...more,
});

test.each<[string, Schema, unknown, unknown, string]>([
  ['null of a member that may be missing is left out', optional(STRING), object({ type: 'string' }), null, '{}'],
  ['null stays where it is allowed', optional(STRING), object({ type: ['string', 'null'] }), null, '{"x":null}'],
  ['a number holds any integer', INT64, object({ type: 'number' }), 2n ** 60n, '{"x":1152921504606846976}'],
  ['a wider integer', schema('INT8'), object({ type: 'integer', 'connect.type': 'int16' }), 5, '{"x":5}'],
  ['anything', mapSchema(STRING, INT64), object({}), new Map([['a', 1]]), '{"x":{"a":1}}'],
  [
    'an alternative',
    optional(INT64),
    object({ anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] }),
    5,
    '{"x":5}',
  ],
  ['members that are not declared', row(STRING), object({ type: 'object' }), { x: 'y' }, '{"x":{"x":"y"}}'],
  [
    'a decimal as a number',
    decimalSchema(2),
    object(named('Decimal', 'number', { 'connect.parameters': { scale: '2' } })),
    { unscaled: 150n, scale: 2 },
    '{"x":1.50}',
  ],
  [
    'a decimal as a plain number',
    decimalSchema(2),
    object({ type: 'number' }),
    { unscaled: 150n, scale: 2 },
    '{"x":1.50}',
  ],
  [
    'a decimal as its bytes',
    decimalSchema(2),
    object(named('Decimal', 'string', { 'connect.parameters': { scale: '2' } })),
    { unscaled: 150n, scale: 2 },
    '{"x":"AJY="}',
  ],
  ['a date as text', dateSchema(), object(named('Date', 'string')), new Date(0), '{"x":"1970-01-01"}'],
  [
    'a timestamp as any text',
    timestampSchema(),
    object({ type: 'string', format: 'date-time' }),
    new Date(0),
    '{"x":"1970-01-01T00:00:00.000Z"}',
  ],
  [
    'a struct as a map',
    row(INT64),
    object({ type: 'object', additionalProperties: { type: 'integer' } }),
    { x: 1 },
    '{"x":{"x":1}}',
  ],
  [
    'a map as entries',
    mapSchema(STRING, INT64),
    object({
      type: 'array',
      'connect.type': 'map',
      items: { properties: { key: { type: 'string' }, value: { type: 'integer' } } },
    }),
    new Map([['a', 1]]),
    '{"x":[{"key":"a","value":1}]}',
  ],
  [
    'an array',
    arraySchema(optional(STRING)),
    object({ type: 'array', items: { type: ['null', 'string'] } }),
    ['a', null],
    '{"x":["a",null]}',
  ],
])('%s', (_name, of, target, value, json) => {
  expect(jsonFor(registered(target), row(of), { x: value })).toBe(json);
  expect(judge(JSON.stringify(target))(JSON.parse(json))).toBe(true);
});

test('the text and the references are those of the registry', () => {
  const target = registered({ $ref: 'other' }, { other: { type: 'string' } });
  expect(jsonFor(target, STRING, 'x')).toBe('"x"');
});

test.each<[string, Schema, unknown, string]>([
  ['another type', STRING, object({ type: 'integer' }), 'for "x" it has another type than STRING'],
  [
    'a narrower integer',
    INT64,
    object({ type: 'integer', 'connect.type': 'int32' }),
    'for "x" it has another type than INT64',
  ],
  [
    'a narrower float',
    schema('FLOAT64'),
    object({ type: 'number', 'connect.type': 'float32' }),
    'for "x" it has another type than FLOAT64',
  ],
  [
    'null that is required',
    optional(STRING),
    object({ type: 'string' }, { required: ['x'] }),
    'for "x" it requires it, and does not allow null',
  ],
  [
    'null in an array',
    arraySchema(optional(STRING)),
    object({ type: 'array', items: { type: 'string' } }),
    'for "x[]" it does not allow null',
  ],
  [
    'another scale',
    decimalSchema(3),
    object(named('Decimal', 'number', { 'connect.parameters': { scale: '2' } })),
    'for "x" it has another type than org.apache.kafka.connect.data.Decimal',
  ],
  ['an enum', STRING, object({ enum: ['a'] }), 'for "x" it allows only some values'],
  [
    'a closed object',
    row(STRING),
    object({ properties: {}, type: 'object', additionalProperties: false }),
    'for "x.x" it does not allow such a member',
  ],
  [
    'a member that the schema lacks',
    STRING,
    object({ type: 'string' }, { required: ['y'], properties: { x: { type: 'string' }, y: {} } }),
    'for "y" it requires it',
  ],
  [
    'no alternative',
    STRING,
    object({ oneOf: [{ type: 'integer' }, { type: 'boolean' }] }),
    'for "x" it has no alternative for STRING',
  ],
  [
    'a map with other keys',
    mapSchema(INT64, STRING),
    object({ type: 'object', additionalProperties: true, 'connect.type': 'map' }),
    'for "x" it has no map with such keys',
  ],
])('strict: %s', (_name, of, target, reason) => {
  const error = thrownBy(() => jsonFor(registered(target), row(of), { x: null }));
  expect(error).toMatchObject({ code: 'CONVERTER_MISMATCH', place: { schemaId: 7 } });
  expect(error.message).toBe(
    `JSON Schema 7 cannot hold all values of the record's schema: ${reason}. Register a schema that can, or turn the strict check off.`,
  );
});

test('without the strict check, values are written as they are', () => {
  const target = registered(object({ type: 'integer' }, { required: ['x'] }));
  expect(jsonFor(target, row(STRING), { x: 'a' }, { isStrict: false })).toBe('{"x":"a"}');
});

test('recursive schemas are compared and written', () => {
  const fields: unknown[] = [];
  const of = { ...structSchema([], { name: 'Tree' }), fields } as unknown as Schema;
  fields.push({ name: 'next', index: 0, schema: Object.freeze({ ...of, optional: true }) });
  const target = { type: 'object', properties: { next: { $ref: '#' } } };
  expect(jsonFor(registered(target), of, { next: { next: null } })).toBe('{"next":{}}');
});
