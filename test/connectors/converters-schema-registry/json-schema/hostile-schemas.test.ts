/** Schemas that cannot be used, or would cost too much: a named error, within a bounded time, and never a request. */
import { arraySchema, schema, structSchema, type Schema } from '@millrace/sdk';
import { formatOf, read, registered, schemaOf, schemaText, thrownBy } from './json-schema-harness';

const nested = (depth: number, inner: unknown = { type: 'string' }): unknown => {
  let of = inner;
  for (let i = 0; i < depth; i++) of = { type: 'array', items: of };
  return of;
};
/** Each definition has the next one twice: 2^40 schemas in 40 lines. */
const doubling = (keyword: string) => ({
  $ref: '#/definitions/0',
  definitions: Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [
      String(i),
      i === 39 ? { type: 'string' } : { [keyword]: [1, 2].map(() => ({ $ref: `#/definitions/${i + 1}` })) },
    ]),
  ),
});
/** Flat as JSON, but each definition leads to the next one. */
const chain = (link: (next: object) => object) => ({
  $ref: '#/definitions/0',
  definitions: Object.fromEntries(
    Array.from({ length: 9_000 }, (_, i) => [String(i), link({ $ref: `#/definitions/${i + 1}` })]),
  ),
});
const JSON_TYPES = '{"type":';

test.each<[string, unknown, string]>([
  ['no JSON', '{"type":', 'the text is not JSON (text ends where a value is expected at position 8)'],
  ['text after the schema', '{} x', 'the text is not JSON (text after the value at position 3)'],
  ['a number', 5, 'the text is neither an object nor a boolean'],
  ['an unknown type', { type: 'text' }, 'its type "text" does not exist'],
  ['a number as a property', { properties: { a: 5 } }, 'it has something else where a schema is expected'],
  ['a reference to itself', { $ref: '#' }, 'it refers to itself, so that no value fits it'],
  [
    'a circle of references',
    { $ref: '#/a', a: { $ref: '#/b' }, b: { allOf: [{ $ref: '#/a' }] } },
    'it refers to itself, so that no value fits it',
  ],
  [
    'a reference that leads to nothing',
    { $ref: '#/definitions/none' },
    'its reference "#/definitions/none" leads to nothing',
  ],
  ['a pointer into what objects inherit', { $ref: '#/constructor' }, 'its reference "#/constructor" leads to nothing'],
  [
    'a reference to elsewhere',
    { $ref: 'http://169.254.169.254/latest' },
    'its reference "http://169.254.169.254/latest" is neither in the schema nor one of its references',
  ],
  [
    'a reference to a file',
    { $ref: 'file:///etc/passwd' },
    'its reference "file:///etc/passwd" is neither in the schema nor one of its references',
  ],
  ['depth', nested(250), 'it is nested deeper than 200 levels'],
  ['a chain of references', chain((next) => next), 'more than 200 schemas refer to one another'],
  ['a chain of definitions', chain((next) => ({ properties: { a: next } })), 'it is nested deeper than 200 levels'],
  [
    'depth of JSON',
    `${JSON_TYPES}${'['.repeat(2000)}`,
    'the text is not JSON (nesting deeper than 1000 at position 1007)',
  ],
  ['size', `{"description":"${'x'.repeat(1 << 20)}"}`, 'the text has more than 1048576 characters'],
  ['allOf that doubles', doubling('allOf'), 'more than 10000 schemas apply to one value'],
  [
    'a Decimal without a scale',
    { type: 'number', title: 'org.apache.kafka.connect.data.Decimal' },
    'a Decimal needs the connect.parameters "scale", a number of at most 10000',
  ],
  [
    'a Decimal with an endless scale',
    { type: 'number', title: 'org.apache.kafka.connect.data.Decimal', 'connect.parameters': { scale: '99999' } },
    'a Decimal needs the connect.parameters "scale", a number of at most 10000',
  ],
  [
    'a logical name on a boolean',
    { type: 'boolean', title: 'org.apache.kafka.connect.data.Date' },
    'its title org.apache.kafka.connect.data.Date is that of a logical type, which no boolean is',
  ],
  [
    'a map without entries',
    { type: 'array', 'connect.type': 'map', items: {} },
    'the elements of an array with "connect.type": "map" need the properties "key" and "value"',
  ],
])('%s', (_name, of, reason) => {
  const error = thrownBy(() => read('null', registered(of)));
  expect(error).toMatchObject({ code: 'JSON_SCHEMA_INVALID', message: `The JSON Schema cannot be used: ${reason}.` });
});

test('a schema that cannot be used is looked at once', () => {
  const format = formatOf();
  const errors = [1, 1, 2].map((id) => thrownBy(() => format.reader(registered(doubling('allOf'), {}, id))));
  expect(errors[0]?.code).toBe('JSON_SCHEMA_INVALID');
  expect(errors[1]).toBe(errors[0]);
  expect(errors[2]).not.toBe(errors[0]);
});

test('many properties that each lead to many schemas are given up', () => {
  const halves = doubling('allOf').definitions;
  const properties = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, i) => [`p${i}`, { $ref: '#/definitions/28' }]),
  );
  const error = thrownBy(() => read('{}', registered({ properties, definitions: halves })));
  expect(error).toMatchObject({ code: 'JSON_SCHEMA_INVALID' });
  expect(error.message).toContain('its references lead to too many schemas');
});

test('alternatives that double end', () => {
  const { schema: of } = read('"x"', registered(doubling('oneOf')));
  expect(of?.fields).toHaveLength(2);
});

test('joined properties that double end', () => {
  const both = { allOf: [{ $ref: '#/definitions/A' }, { $ref: '#/definitions/B' }] };
  const target = registered({
    ...both,
    definitions: {
      A: { type: 'object', properties: { next: { oneOf: [{ type: 'null' }, both] }, a: { type: 'string' } } },
      B: { type: 'object', properties: { next: { oneOf: [{ type: 'null' }, both] }, b: { type: 'string' } } },
    },
  });
  const json = '{"a":"1","b":"2","next":{"a":"3","b":"4","next":null}}';
  expect(read(json, target).value).toEqual({ a: '1', b: '2', next: { a: '3', b: '4', next: null } });
});

test('a schema of a record is bounded by all that it refers to', () => {
  const text = `{"description":"${'x'.repeat((1 << 20) - 100)}"}`;
  const target = registered({}, { a: text, b: text, c: text, d: text, e: text });
  expect(thrownBy(() => read('1', target)).message).toContain('have more than 4194304 characters');
});

test('unions in unions are compared within bounds', () => {
  const alternatives = Array.from({ length: 30 }, (_, i) => ({
    type: 'object',
    properties: { next: { $ref: '#' }, list: { type: 'array', items: { $ref: '#' } }, [`p${i}`]: { type: 'string' } },
  }));
  let json = '{}';
  for (let i = 0; i < 300; i++)
    json = `{"next":${json},"list":[${Array.from({ length: 8 }, () => '{"next":{}}').join(',')}]}`;
  const error = thrownBy(() =>
    read(json, registered({ oneOf: alternatives }), { 'use.optional.for.nonrequired': 'true' }),
  );
  expect(error).toMatchObject({ code: 'JSON_SCHEMA_DATA' });
  expect(error.message).toContain('needs too many comparisons with the alternatives in its schema');
});

test('records that are nested too deep are unreadable', () => {
  const target = registered({ properties: { next: { oneOf: [{ type: 'null' }, { $ref: '#' }] } } });
  const json = (depth: number) => `${'{"next":'.repeat(depth)}null${'}'.repeat(depth)}`;
  expect(read(json(900), target).value).toHaveProperty('next.next.next');
  for (const depth of [1001, 100_000])
    expect(thrownBy(() => read(json(depth), target)).message).toContain('is nested deeper than 1000 levels');
  for (const any of [{}, { properties: { a: {} } }])
    expect(thrownBy(() => read(`{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`, registered(any))).code).toBe(
      'JSON_SCHEMA_DATA',
    );
});

/** What a connector may give. */
function recursive(isOptional: boolean): Schema {
  const fields: unknown[] = [];
  const of = { ...structSchema([], { name: 'Tree/ä', optional: isOptional }), fields } as unknown as Schema;
  const nullable = Object.freeze({ ...of, optional: true });
  fields.push({ name: 'left', index: 0, schema: nullable }, { name: 'all', index: 1, schema: arraySchema(of) });
  return of;
}

test('structs that contain themselves are definitions, or the root', () => {
  expect(schemaOf(recursive(false))).toEqual({
    type: 'object',
    title: 'Tree/ä',
    properties: {
      left: { oneOf: [{ type: 'null' }, { $ref: '#' }], 'connect.index': 0 },
      all: { type: 'array', items: { $ref: '#' }, 'connect.index': 1 },
    },
  });
  const $ref = '#/definitions/Tree__';
  expect(schemaOf(recursive(true))).toEqual({
    oneOf: [{ type: 'null' }, { $ref }],
    definitions: {
      Tree__: {
        type: 'object',
        title: 'Tree/ä',
        properties: {
          left: { oneOf: [{ type: 'null' }, { $ref }], 'connect.index': 0 },
          all: { type: 'array', items: { oneOf: [{ type: 'null' }, { $ref }] }, 'connect.index': 1 },
        },
      },
    },
  });
  const value = { left: { left: null, all: [] }, all: [{ left: null, all: [] }] };
  for (const isOptional of [false, true])
    expect(read(JSON.stringify(value), registered(schemaText(recursive(isOptional)))).value).toEqual(value);
});

test('a Connect schema that is too large, or an array in itself, has no text', () => {
  let of: Schema = schema('STRING');
  for (let i = 0; i < 40; i++) of = structSchema([['a', of], ['b', of]]); // prettier-ignore
  expect(thrownBy(() => schemaText(of))).toMatchObject({ code: 'JSON_SCHEMA_INVALID' });
  const loop = { ...arraySchema(schema('STRING')) };
  (loop as { valueSchema: Schema }).valueSchema = loop;
  expect(thrownBy(() => schemaText(loop)).message).toContain('nested deeper than 200 levels');
});
