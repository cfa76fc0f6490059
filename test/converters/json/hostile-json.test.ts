/**
 * JSON nested or long beyond Jackson's limits fails its record, and never overflows the stack wherever it is traversed.
 */
import { isConnectError } from '@millrace/sdk';
import { JsonConverter } from '../../../src/converters/json/json-converter';

function codeOf(text: string, schemas: boolean): unknown {
  const json = new JsonConverter();
  json.configure({ 'schemas.enable': String(schemas) });
  try {
    json.toConnectData('t', Buffer.from(text));
    return 'read';
  } catch (error) {
    if (!isConnectError(error)) throw error;
    return error.code;
  }
}
const arrays = (levels: number): string => '['.repeat(levels) + '1' + ']'.repeat(levels);
const objects = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
const schemaOf = (levels: number): string =>
  '{"type":"array","items":'.repeat(levels) + '{"type":"int8"}' + '}'.repeat(levels);

describe.each([1_001, 5_000, 500_000])('nested in %p levels', (levels) => {
  test('a value without schema', () => {
    expect(codeOf(arrays(levels), false)).toBe('CONVERTER_JSON');
    expect(codeOf(objects(levels), false)).toBe('CONVERTER_JSON');
    expect(codeOf(`{"id":10000000000000001,"x":${arrays(levels)}}`, false)).toBe('CONVERTER_JSON');
  });

  test('the payload or the schema of an envelope', () => {
    expect(codeOf(`{"schema":null,"payload":${objects(levels)}}`, true)).toBe('CONVERTER_JSON');
    expect(codeOf(`{"schema":${schemaOf(levels)},"payload":null}`, true)).toBe('CONVERTER_JSON');
    expect(codeOf(arrays(levels), true)).not.toBe('read');
  });
});

test('1,000 levels are accepted, as in Java', () => {
  expect(codeOf(arrays(1_000), false)).toBe('read');
  expect(codeOf(objects(1_000), false)).toBe('read');
});

test('numbers have at most 1,000 characters, as in Java', () => {
  for (const [length, code] of [
    [1_000, 'read'],
    [1_001, 'CONVERTER_JSON'],
    [1_000_000, 'CONVERTER_JSON'],
  ] as const) {
    expect(codeOf(`{"a":${'7'.repeat(length)}}`, false)).toBe(code);
    expect(codeOf(`{"a":0.${'7'.repeat(length - 2)}}`, false)).toBe(code);
  }
});
