/**
 * Output of Kafka Connect 4.3.1's own converters, recorded: random schemas and values converted by its JsonConverter,
 * bytes that it reads (dev/record-json-bytes.ts),
 * header texts with the result of its SimpleHeaderConverter (type, then the value written again).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataError, type Schema } from '@millrace/sdk';
import { JsonConverter } from '../../src/converters/json/json-converter';
import { SimpleHeaderConverter } from '../../src/converters/simple-header-converter';

const golden = (name: string): string => readFileSync(join(__dirname, '..', 'golden', 'converters', name), 'utf8');

describe('connect-runtime 102: JsonConverter reads and writes what Java writes, byte for byte', () => {
  test.each(['BASE64', 'NUMERIC'])('decimal.format=%s', (format) => {
    const lines = golden('json-converter.txt')
      .trim()
      .split('\n')
      .filter((line) => line.startsWith(format));
    expect(lines.length).toBeGreaterThan(100);
    const converter = new JsonConverter();
    converter.configure({ 'decimal.format': format });
    for (const line of lines) {
      const json = line.slice(format.length + 1);
      const { schema, value } = converter.toConnectData('t', Buffer.from(json));
      expect(Buffer.from(converter.fromConnectData('t', schema, value) as Uint8Array).toString()).toBe(json);
    }
  });
});

describe('connect-runtime 102: JsonConverter reads the encodings that Java reads, and no others', () => {
  const cases = JSON.parse(golden('json-bytes.json')) as [string, boolean, string, string][];

  test.each(cases)('%s (schemas.enable=%p)', (_name, schemas, hex, expected) => {
    const converter = new JsonConverter();
    converter.configure({ 'schemas.enable': String(schemas) });
    const bytes = Buffer.from(hex, 'hex');
    if (expected === 'error') {
      expect(() => converter.toConnectData('t', bytes)).toThrow(DataError);
      return;
    }
    // The second record of a topic may take another path.
    for (let i = 0; i < 2; i++) {
      const { schema, value } = converter.toConnectData('t', bytes);
      const again = converter.fromConnectData('t', schema, value);
      expect(again === null ? 'null' : Buffer.from(again).toString()).toBe(
        expected === 'null' ? 'null' : Buffer.from(expected, 'hex').toString(),
      );
    }
  });
});

describe('connect-runtime 103: header texts are parsed as in Java', () => {
  const cases = JSON.parse(golden('simple-header-converter.json')) as [string, string][];
  const converter = new SimpleHeaderConverter();
  /** Java drops what follows the value. */
  const cut = new Set(['1,000', '10:30', '10:30:00.000', '1:2', '5]', '[1] x', '[1]]', '{"a":1}}']);

  test.each(cases)('%p is %s', (text, expected) => {
    const { schema, value } = converter.toConnectHeader('t', 'h', Buffer.from(text));
    const again = converter.fromConnectHeader('t', 'h', schema, value);
    const found = `${describeType(schema)} ${again === null ? 'null' : Buffer.from(again).toString()}`;
    expect(found).toBe(cut.has(text) ? `STRING ${text}` : expected);
  });
});

function describeType(schema: Schema | null): string {
  if (schema === null) return 'null';
  const name = schema.type + (schema.name === null ? '' : `:${schema.name}`);
  if (schema.type === 'ARRAY') return `${name}<${describeType(schema.valueSchema)}>`;
  return schema.type === 'MAP'
    ? `${name}<${describeType(schema.keySchema)},${describeType(schema.valueSchema)}>`
    : name;
}
