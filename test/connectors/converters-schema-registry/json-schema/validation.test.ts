/** `json.fail.invalid.schema=true`: what is validated, and that no schema or record makes it take forever. */
import { optional, schema, structSchema } from '@millrace/sdk';
import { jsonFor, jsonOf, read, registered, thrownBy, type Config } from './json-schema-harness';

const STRICT: Config = { 'json.fail.invalid.schema': 'true', 'use.optional.for.nonrequired': 'true' };
const check = (json: string, of: unknown, dependencies = {}) => read(json, registered(of, dependencies), STRICT).value;
const reason = (json: string, of: unknown, dependencies = {}) => thrownBy(() => check(json, of, dependencies));

test.each<[string, unknown, string, string]>([
  [
    'a limit',
    { properties: { a: { type: 'array', items: { type: 'integer', maximum: 5 } } } },
    '{"a":[1,6]}',
    'its field "a[1]" is not valid: it must be <= 5',
  ],
  [
    'a pattern',
    { type: 'string', pattern: '^[a-z]+$' },
    '"A"',
    'its value is not valid: it must match pattern "^[a-z]+$"',
  ],
  [
    'a member that is not allowed',
    { type: 'object', additionalProperties: false },
    '{"secret":1}',
    'its value is not valid: it must NOT have additional properties',
  ],
  [
    'a constant',
    { properties: { 'a/b': { const: 1 } } },
    '{"a/b":2}',
    'its field "a/b" is not valid: it must be equal to constant',
  ],
  [
    'draft 4: an exclusive limit',
    { $schema: 'http://json-schema.org/draft-04/schema#', type: 'integer', minimum: 5, exclusiveMinimum: true },
    '5',
    'its value is not valid: it must be > 5',
  ],
  [
    'draft 4: an id',
    {
      id: 'http://example.com/a',
      properties: { a: { $ref: 'http://example.com/a#/definitions/b' } },
      definitions: { b: { type: 'string', minLength: 2 } },
    },
    '{"a":"x"}',
    'its field "a" is not valid: it must NOT have fewer than 2 characters',
  ],
  [
    '2019-09: unevaluated properties',
    {
      $schema: 'https://json-schema.org/draft/2019-09/schema',
      allOf: [{ properties: { a: { type: 'string' } } }],
      unevaluatedProperties: false,
    },
    '{"b":1}',
    'its value is not valid: it must NOT have unevaluated properties',
  ],
  [
    '2020-12: a tuple',
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'array',
      prefixItems: [{ type: 'string' }],
      items: false,
      minItems: 1,
    },
    '["x","y"]',
    'its value is not valid: it must NOT have more than 1 items',
  ],
  [
    'equal elements',
    { type: 'array', uniqueItems: true },
    '[{"a":1,"b":2},{"b":2,"a":1}]',
    'its value is not valid: it must pass "uniqueItems" keyword validation',
  ],
  [
    'an inherited name that is missing',
    { required: ['constructor'] },
    '{}',
    "its value is not valid: it must have required property 'constructor'",
  ],
])('a record that breaks %s is unreadable', (_name, of, json, message) => {
  expect(reason(json, of)).toMatchObject({
    code: 'JSON_SCHEMA_DATA',
    message: `A record of JSON Schema 7 cannot be read: ${message}.`,
  });
  expect(read(json, registered(of), { 'use.optional.for.nonrequired': 'true' })).toBeDefined();
});

test('valid records are read', () => {
  expect(
    check('{"a":[1,5]}', { properties: { a: { type: 'array', items: { type: 'integer', maximum: 5 } } } }),
  ).toEqual({ a: [1, 5] });
  expect(check('"😀é"', { type: 'string', pattern: '^\\uD83D\\uDE00\\u00e9$' })).toBe('😀é');
  expect(check('[1,2,[1],{"a":1}]', { type: 'array', uniqueItems: true })).toHaveLength(4);
});

test('references of the registry are validated with, and nothing is fetched', () => {
  const order = { $id: 'http://example.com/order', properties: { city: { $ref: 'city.json#/definitions/name' } } };
  const city = { $id: 'http://example.org/city', definitions: { name: { type: 'string', minLength: 3 } } };
  expect(check('{"city":"Bern"}', order, { 'city.json': city })).toEqual({ city: 'Bern' });
  expect(reason('{"city":"x"}', order, { 'city.json': city }).message).toContain(
    'must NOT have fewer than 3 characters',
  );
});

test('what is written is validated, too', () => {
  const of = structSchema([['a', schema('INT32')]]);
  const target = registered({ properties: { a: { type: 'integer', maximum: 5 } } });
  expect(jsonFor(target, of, { a: 5 }, { config: STRICT })).toBe('{"a":5}');
  expect(thrownBy(() => jsonFor(target, of, { a: 6 }, { config: STRICT }))).toMatchObject({
    code: 'JSON_SCHEMA_DATA',
    message: 'The field "a" is not valid: it must be <= 5, and json.fail.invalid.schema is true.',
    place: { field: 'a' },
  });
  expect(thrownBy(() => jsonFor(target, null, { a: 6 }, { config: STRICT })).code).toBe('JSON_SCHEMA_DATA');
  expect(jsonOf(optional(of), { a: 6 }, STRICT)).toBe('{"a":6}');
});

test.each<[string, unknown, string]>([
  [
    'a pattern with look-around',
    { pattern: '(?=a)b' },
    'its pattern "(?=a)b" is not valid in RE2 syntax, which has no look-around',
  ],
  ['a long pattern', { pattern: 'a'.repeat(1001) }, 'has more than 1000 characters'],
  ['a pattern that multiplies', { pattern: '((a{1,100}){1,100}){1,100}' }, 'is not valid in RE2 syntax'],
  [
    'a value that no keyword has',
    { maxLength: 'x' },
    'it cannot be validated with (schema is invalid: data/maxLength must be integer)',
  ],
  ['too many parts', { allOf: Array.from({ length: 21_000 }, () => ({})) }, 'more than'],
])('%s makes a schema unusable', (_name, of, message) => {
  const error = reason('1', of);
  expect(error.code).toBe('JSON_SCHEMA_INVALID');
  expect(error.message).toContain(message);
});

test('a pattern takes time by its text, not exponentially', () => {
  const of = { type: 'string', pattern: '^(a+)+$' };
  expect(reason(`"${'a'.repeat(50_000)}b"`, of).message).toContain('must match pattern');
  expect(reason(`"${'a'.repeat(2_000_000)}"`, of).message).toContain('is too long for the patterns in its schema');
});

test('schemas that double are given up', () => {
  const definitions = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [
      String(i),
      i === 39
        ? { type: 'integer' }
        : { if: { $ref: `#/definitions/${i + 1}` }, then: { $ref: `#/definitions/${i + 1}` } },
    ]),
  );
  expect(reason('1', { $ref: '#/definitions/0', definitions }).message).toContain('takes too long to validate');
});

test('many equal objects are compared by their text', () => {
  const list = Array.from({ length: 30_000 }, (_, i) => `{"a":${i}}`).join(',');
  expect(check(`[${list}]`, { type: 'array', uniqueItems: true })).toHaveLength(30_000);
});

test('records that are nested too deep are no overflow', () => {
  const of = { properties: { next: { $ref: '#' } } };
  const json = `${'{"next":'.repeat(50_000)}{}${'}'.repeat(50_000)}`;
  expect(reason(json, of)).toMatchObject({ code: 'JSON_SCHEMA_DATA' });
});

test('as many columns as a table may have are validated', () => {
  const names = Array.from({ length: 1_600 }, (_, i) => `c${i}`);
  const row = structSchema(names.map((name) => [name, schema('INT32', { optional: true })]));
  const of = structSchema([['after', row]]);
  const config = { ...STRICT, 'object.additional.properties': 'false' };
  expect(jsonOf(of, { after: { c1599: 5 } }, config)).toContain('"c1599":5}');
  const target = registered({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'integer', maximum: 5 }])),
    additionalProperties: false,
  });
  expect(reason('{"c1599":6}', target.text).message).toContain('its field "c1599" is not valid: it must be <= 5');
  expect(reason('{"c1600":6}', target.text).message).toContain('must NOT have additional properties');
});
