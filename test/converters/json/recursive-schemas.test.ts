/** Schemas that contain themselves have no text; their values have. */
import { arraySchema, checkValue, DataError, MAX_NESTING, schema, structSchema, type Schema } from '@millrace/sdk';
import { JsonConverter } from '../../../src/converters/json/json-converter';
import { jsonText } from '../../../src/records/json-text';
import { chain, doubled, leaf, NODE, recursiveStruct } from '../../helpers/recursive-schemas';

function converter(config: Record<string, string> = {}): JsonConverter {
  const json = new JsonConverter();
  json.configure({ 'schemas.enable': 'false', ...config });
  return json;
}
const written = (of: Schema, value: unknown, json = converter()): unknown =>
  JSON.parse(String(json.fromConnectData('t', of, value)));
function errorOf(action: () => unknown): DataError {
  try {
    action();
  } catch (error) {
    return error as DataError;
  }
  throw new Error('no error');
}

const value = { ...chain(2), list: [leaf(3), chain(2)], map: new Map([['k', leaf(4)]]) };
const expected = { ...chain(2), list: [leaf(3), chain(2)], map: { k: leaf(4) } };

test('values of a schema that contains itself are written without the schema', () => {
  const json = converter();
  for (let i = 0; i < 3; i++) expect(written(NODE, value, json)).toEqual(expected);
  expect(written(arraySchema(NODE), [value, leaf(1)], json)).toEqual([expected, leaf(1)]);
  expect(JSON.parse(jsonText({ schema: NODE, value }))).toEqual(expected);
});

test('one of its values that does not fit is named', () => {
  const wrong = { ...leaf(1), next: { ...leaf(2), list: [{ ...leaf(3), id: 'x' }] } };
  const json = converter();
  const error = errorOf(() => json.fromConnectData('t', NODE, wrong));
  expect(error).toMatchObject({ code: 'CONVERTER_MISMATCH', place: { topic: 't', field: 'next.list[0].id' } });
  // The levels of the value that failed are no longer counted.
  expect(written(NODE, chain(MAX_NESTING), json)).toEqual(chain(MAX_NESTING));
});

test(`values of ${MAX_NESTING} levels are written, deeper ones and those without an end are not`, () => {
  const json = converter();
  expect(written(NODE, chain(MAX_NESTING), json)).toEqual(chain(MAX_NESTING));
  const endless = leaf(1);
  endless.next = endless;
  for (const deep of [chain(MAX_NESTING + 1), endless]) {
    const error = errorOf(() => json.fromConnectData('t', NODE, deep));
    expect(error).toBeInstanceOf(DataError);
    expect(error).toMatchObject({ code: 'CONVERTER_MISMATCH', place: { topic: 't' } });
    expect(error.message).toMatch(
      /^Conversion error in field "next\.next.{80,100}…": it is nested deeper than 1000 levels\.$/,
    );
  }
});

test('schemas in each other, and an array in itself', () => {
  const inner: { -readonly [K in keyof Schema]: Schema[K] } = { ...structSchema([]), optional: true };
  const outer = structSchema([['inner', arraySchema(inner)]], { optional: true });
  inner.fields = [{ name: 'outer', index: 0, schema: outer }];
  expect(written(outer, { inner: [{ outer: { inner: [] } }, null] })).toEqual({
    inner: [{ outer: { inner: [] } }, null],
  });
  const lists: { -readonly [K in keyof Schema]: Schema[K] } = { ...arraySchema(NODE) };
  lists.valueSchema = lists;
  expect(written(lists, [[], [[]]])).toEqual([[], [[]]]);
  expect(errorOf(() => converter().fromConnectData('t', lists, [[1]])).message).toContain('field "[0][0]"');
});

test('defaults in it replace null, and may have no end', () => {
  const ended = recursiveStruct((self) => [
    ['id', schema('INT32', { default: 7 })],
    ['next', { ...self, default: { id: 1, next: { id: 2, next: null } } }],
  ]);
  const endless = converter();
  const error = errorOf(() => endless.fromConnectData('t', ended, { id: null, next: null }));
  expect(error).toMatchObject({ code: 'CONVERTER_MISMATCH' });
  expect(error.message).toBe('Conversion error in the value: it is nested deeper than 1000 levels.');
  const kept = converter({ 'replace.null.with.default': 'false' });
  expect(written(ended, { id: 3, next: null }, kept)).toEqual({ id: 3, next: null });
  const first = recursiveStruct((self) => [['id', schema('INT32')], ['next', self]]); // prettier-ignore
  const holder = structSchema([['node', { ...first, default: { id: 1, next: { id: 2, next: null } } }]]);
  expect(written(holder, { node: null })).toEqual({ node: { id: 1, next: { id: 2, next: null } } });
});

test('with schemas.enable the schema cannot be written', () => {
  const json = converter({ 'schemas.enable': 'true' });
  for (const schemaOf of [NODE, arraySchema(NODE), structSchema([['node', NODE]])]) {
    const error = errorOf(() => json.fromConnectData('t', schemaOf, null));
    expect(error).toBeInstanceOf(DataError);
    expect(error).toMatchObject({ code: 'CONVERTER_JSON_SCHEMA' });
  }
  expect(errorOf(() => json.fromConnectData('t', NODE, value)).message).toBe(
    'JsonConverter cannot write the schema "Node" into each record: it contains itself, or is nested too deep. ' +
      'Set schemas.enable=false, or use a converter with a schema registry.',
  );
  expect(String(json.fromConnectData('t', schema('INT32'), 1))).toContain('"payload":1');
});

test('a schema of few objects whose text would fill the memory', () => {
  const inner = { a: null, b: null };
  expect(written(doubled(60), inner)).toEqual(inner);
  const error = errorOf(() => converter({ 'schemas.enable': 'true' }).fromConnectData('t', doubled(60), inner));
  expect(error).toMatchObject({ code: 'CONVERTER_JSON_SCHEMA' });
  expect(error.message).toContain('its text is longer than 16777216 characters');
});

test('a value that contains itself does not fit a schema, nor none', () => {
  const endless: Record<string, unknown> = {};
  endless.next = endless;
  expect(checkValue(null, endless)?.reason).toBe('it is nested deeper than 1000 levels');
  expect(checkValue(NODE, chain(MAX_NESTING))).toBeNull();
  const error = errorOf(() => converter().fromConnectData('t', null, endless));
  expect(error).toMatchObject({ code: 'CONVERTER_MISMATCH' });
});
