/** JSON Schema: validity, references, and the published rules of compatibility with open and closed content models. */
import { jsonSchemaFormat } from '../../../packages/schema-registry/src/json-schema/json-schema-format';
import { InvalidSchema } from '../../../packages/schema-registry/src/registry-error';

const parse = (schema: unknown, dependencies: Readonly<Record<string, unknown>> = {}, normalize = false) =>
  jsonSchemaFormat.parse(
    typeof schema === 'string' ? schema : JSON.stringify(schema),
    new Map(Object.entries(dependencies).map(([name, value]) => [name, JSON.stringify(value)])),
    normalize,
  );

/** The kinds of differences. */
function differences(reader: unknown, writer: unknown): string[] {
  const found = jsonSchemaFormat.differences(parse(reader), parse(writer), { reader: 'new', writer: 'old' });
  return found.map((text) => /errorType:"(\w+)"/.exec(text)?.[1] ?? text);
}

const open = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const closed = (properties: object, more: object = {}) => open(properties, { ...more, additionalProperties: false });
const STRING = { type: 'string' };
const INTEGER = { type: 'integer' };
const NUMBER = { type: 'number' };

describe('validity', () => {
  test.each([
    ['true', true],
    ['draft 7, without saying so', { type: 'string' }],
    ['draft 4', { $schema: 'http://json-schema.org/draft-04/schema#', maximum: 1, exclusiveMaximum: true }],
    ['draft 6', { $schema: 'http://json-schema.org/draft-06/schema#', const: 1 }],
    ['draft 2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema', type: 'string' }],
    ['draft 2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [STRING] }],
    ['a $ref inside', { definitions: { a: STRING }, $ref: '#/definitions/a' }],
    ['a $ref by an anchor', { $defs: { a: { $anchor: 'x' } }, $ref: '#x' }],
    ['a member called $ref in data', { const: { $ref: '#/nothing' } }],
  ])('valid: %s', (_, schema) => {
    expect(JSON.parse(parse(schema).text)).toEqual(schema);
  });

  test.each([
    ['a type that does not exist', { type: 'text' }],
    ['of draft 6', { $schema: 'http://json-schema.org/draft-06/schema#', minLength: -1 }],
    ['of draft 2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema', required: 'a' }],
    ['a $ref that points to nothing', { $ref: '#/definitions/a' }],
    ['a number', 5],
    ['a list', []],
    ['null', null],
    ['no JSON', '{'],
    ['too deep', `${'{"not":'.repeat(2000)}true${'}'.repeat(2000)}`],
    ['a long list', { enum: Array.from({ length: 2_001 }, (_, i) => i) }],
  ])('invalid: %s', (_, schema) => {
    expect(() => parse(schema)).toThrow(InvalidSchema);
  });

  test('white space has no meaning; the order of members has none with normalize', () => {
    expect(parse('{ "type" : "string",\n"title":"1.50" }').text).toBe('{"type":"string","title":"1.50"}');
    expect(parse('{"type":"string","title":"a"}', {}, true).text).toBe('{"title":"a","type":"string"}');
  });

  test('references are found by their names', () => {
    const schema = open({ a: { $ref: 'address.json' }, b: { $ref: 'address.json#/definitions/x' } });
    expect(() => parse(schema, { 'address.json': { definitions: { x: STRING } } })).not.toThrow();
    expect(() => parse(schema, { 'address.json': {} })).toThrow('address.json#/definitions/x points to nothing');
  });

  test('a member with the name of one of objects is data', () => {
    const text = '{"type":"object","properties":{"__proto__":{"type":"string"},"1":true,"0":true}}';
    expect(parse(text).text).toBe(text);
    const changed = text.replace('string', 'integer');
    expect(differences(changed, text)).toEqual(['TYPE_CHANGED']);
  });
});

describe('compatibility: may a reader have the first schema, if the second one wrote', () => {
  test.each([
    ['the same', open({ a: STRING }), open({ a: STRING }), []],
    ['anything, from a type', {}, STRING, []],
    ['a type, from anything', STRING, {}, ['TYPE_NARROWED']],
    ['a wider type', NUMBER, INTEGER, []],
    ['a narrower type', INTEGER, NUMBER, ['TYPE_CHANGED']],
    ['another type', STRING, INTEGER, ['TYPE_CHANGED']],
    ['more types', { type: ['string', 'null'] }, STRING, []],
    ['fewer types', STRING, { type: ['string', 'null'] }, ['TYPE_NARROWED']],
    ['nothing', false, STRING, ['TYPE_NARROWED']],
    ['after nothing', STRING, false, []],
    ['a title', { ...STRING, title: 'x', description: 'y' }, STRING, []],

    ['a property more, open', open({ a: STRING }), open({}), ['PROPERTY_ADDED_TO_OPEN_CONTENT_MODEL']],
    ['a property of any value more, open', open({ a: {} }), open({}), []],
    ['a property more, closed', closed({ a: STRING }), closed({}), []],
    [
      'a required property more, closed',
      closed({ a: STRING }, { required: ['a'] }),
      closed({}),
      ['REQUIRED_ATTRIBUTE_ADDED'],
    ],
    ['one with a default', closed({ a: { ...STRING, default: '' } }, { required: ['a'] }), closed({}), []],
    ['a property less, open', open({}), open({ a: STRING }), []],
    ['a property less, closed', closed({}), closed({ a: STRING }), ['PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL']],
    [
      'a property less, whose values further ones may not have',
      open({}, { additionalProperties: INTEGER }),
      open({ a: STRING }, { additionalProperties: INTEGER }),
      ['PROPERTY_REMOVED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL'],
    ],
    [
      'a property more, which further ones covered',
      open({ a: NUMBER }, { additionalProperties: INTEGER }),
      open({}, { additionalProperties: INTEGER }),
      [],
    ],
    [
      'a property more, of another type than further ones',
      open({ a: STRING }, { additionalProperties: INTEGER }),
      open({}, { additionalProperties: INTEGER }),
      ['PROPERTY_ADDED_NOT_COVERED_BY_PARTIALLY_OPEN_CONTENT_MODEL'],
    ],
    ['closed after open', closed({}), open({}), ['ADDITIONAL_PROPERTIES_REMOVED']],
    ['open after closed', open({ a: STRING }), closed({ a: STRING }), []],
    [
      'fewer further ones',
      { additionalProperties: STRING, type: 'object' },
      open({}),
      ['ADDITIONAL_PROPERTIES_NARROWED'],
    ],
    ['required no longer', open({ a: STRING }), open({ a: STRING }, { required: ['a'] }), []],
    ['the type of a property', open({ a: STRING }), open({ a: INTEGER }), ['TYPE_CHANGED']],

    ['a greater maximum', { ...NUMBER, maximum: 2 }, { ...NUMBER, maximum: 1 }, []],
    ['a smaller maximum', { ...NUMBER, maximum: 1 }, { ...NUMBER, maximum: 2 }, ['MAXIMUM_DECREASED']],
    ['exclusive', { ...NUMBER, exclusiveMaximum: 1 }, { ...NUMBER, maximum: 1 }, ['MAXIMUM_DECREASED']],
    ['a minimum more', { ...NUMBER, minimum: 1 }, NUMBER, ['MINIMUM_ADDED']],
    ['a minimum more for strings', { ...STRING, minimum: 1 }, STRING, []],
    ['a multiple', { ...NUMBER, multipleOf: 2 }, { ...NUMBER, multipleOf: 4 }, []],
    ['another multiple', { ...NUMBER, multipleOf: 4 }, { ...NUMBER, multipleOf: 6 }, ['MULTIPLE_OF_CHANGED']],
    ['lengths', { ...STRING, maxLength: 2, minLength: 1 }, STRING, ['MAX_LENGTH_ADDED', 'MIN_LENGTH_ADDED']],
    ['a pattern', { ...STRING, pattern: 'a' }, { ...STRING, pattern: 'b' }, ['PATTERN_CHANGED']],
    ['items', { type: 'array', items: STRING }, { type: 'array', items: INTEGER }, ['TYPE_CHANGED']],
    ['any items, from some', { type: 'array' }, { type: 'array', items: INTEGER }, []],
    ['no more items', { type: 'array', maxItems: 1 }, { type: 'array' }, ['MAX_ITEMS_ADDED']],
    ['unique items', { type: 'array', uniqueItems: true }, { type: 'array' }, ['UNIQUE_ITEMS_ADDED']],
    ['a list of types', { type: 'array', items: [STRING] }, { type: 'array', items: [INTEGER] }, ['TYPE_CHANGED']],

    ['more values', { enum: ['a', 'b'] }, { enum: ['a'] }, []],
    ['fewer values', { enum: ['a'] }, { enum: ['a', 'b'] }, ['ENUM_ARRAY_NARROWED']],
    ['values after a type', { enum: ['a'] }, STRING, ['ENUM_ARRAY_NARROWED']],
    ['a type after values', STRING, { enum: ['a'] }, []],
    ['1 and 1.0', { enum: [1] }, '{"const":1.0}', []],

    ['an alternative more', { oneOf: [STRING, INTEGER] }, { oneOf: [STRING] }, []],
    ['an alternative less', { oneOf: [STRING] }, { oneOf: [STRING, INTEGER] }, ['SUM_TYPE_NARROWED']],
    ['alternatives after one type', { anyOf: [STRING, INTEGER] }, STRING, []],
    ['alternatives for a list of types', { anyOf: [STRING, INTEGER] }, { type: ['string', 'integer'] }, []],
    ['alternatives for values', { anyOf: [{ const: 'a' }, { const: 1 }] }, { enum: ['a', 1] }, []],
    ['a type after alternatives', { type: ['string', 'number'] }, { oneOf: [STRING, INTEGER] }, []],
    ['all of', { allOf: [STRING, { maxLength: 1 }] }, STRING, ['MAX_LENGTH_ADDED']],
    ['after all of', STRING, { allOf: [STRING, { maxLength: 1 }] }, []],
    ['undecided', STRING, { not: INTEGER, type: ['string', 'null'], if: true, then: STRING }, ['TYPE_NARROWED']],
  ])('%s', (_, reader, writer, expected) => {
    expect(differences(reader, writer)).toEqual(expected);
  });

  test('recursive schemas, and $refs that form a circle', () => {
    const tree = (type: object) => open({ next: { $ref: '#' }, value: type });
    expect(differences(tree(STRING), tree(STRING))).toEqual([]);
    expect(differences(tree(STRING), tree(INTEGER))).toEqual(['TYPE_CHANGED']);
    const circle = {
      definitions: { a: { $ref: '#/definitions/b' }, b: { $ref: '#/definitions/a' } },
      $ref: '#/definitions/a',
    };
    expect(differences(circle, STRING)).toEqual([]);
  });

  test('a message names the place', () => {
    const [message] = jsonSchemaFormat.differences(parse(closed({})), parse(closed({ a: STRING })), {
      reader: 'new',
      writer: 'old',
    });
    expect(message).toBe(
      `{errorType:"PROPERTY_REMOVED_FROM_CLOSED_CONTENT_MODEL", description:"The new schema does not accept at path '#/properties/a' what the old schema accepts"}`,
    );
  });
});
