/** Texts that Java prints, recorded by dev/record-java-text.ts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  decimalText,
  javaDouble,
  javaFloat,
  javaText,
  javaTrim,
  schema,
  structSchema,
  timestampSchema,
} from '@millrace/sdk';
import { JsonConverter } from '../../src/converters/json/json-converter';

const recorded = readFileSync(join(__dirname, '..', 'golden', 'java-text', 'texts.txt'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t') as [kind: string, value: string, text: string]);
const of = (kind: string) => recorded.filter((line) => line[0] === kind).map(([, value, text]) => ({ value, text }));

test('connect-runtime §1.3: doubles', () => {
  const doubles = of('double');
  expect(doubles.length).toBeGreaterThan(200);
  const read = (hex: string) => Buffer.from(hex.padStart(16, '0'), 'hex').readDoubleBE();
  expect(doubles.map(({ value }) => ({ value, text: javaDouble(read(value)) }))).toEqual(doubles);
});

test('connect-runtime §1.3: floats', () => {
  const floats = of('float');
  expect(floats.length).toBeGreaterThan(200);
  const read = (hex: string) => Buffer.from(hex.padStart(8, '0'), 'hex').readFloatBE();
  expect(floats.map(({ value }) => ({ value, text: javaFloat(read(value)) }))).toEqual(floats);
});

test('decimals', () => {
  const decimals = of('decimal');
  expect(decimals.length).toBeGreaterThan(100);
  const ours = decimals.map(({ value }) => {
    const [unscaled = '', scale = ''] = value.split('/');
    return { value, text: decimalText({ unscaled: BigInt(unscaled), scale: Number(scale) }) };
  });
  expect(ours).toEqual(decimals);
});

test('connect-runtime §6.3: Connect data', () => {
  const data = of('data');
  expect(data.length).toBeGreaterThan(100);
  const converter = new JsonConverter();
  const ours = data.map(({ value: envelope }) => {
    const { schema: valueSchema, value } = converter.toConnectData('t', Buffer.from(envelope));
    return { value: envelope, text: javaText(valueSchema, value) };
  });
  expect(ours).toEqual(data);
});

test('bytes and dates in a format of the caller', () => {
  const struct = structSchema([
    ['at', timestampSchema()],
    ['raw', schema('BYTES')],
  ]);
  const value = { at: new Date(0), raw: Buffer.from('hi') };
  expect(javaText(struct, value)).toBe('Struct{at=Thu Jan 01 00:00:00 UTC 1970,raw=aGk=}');
  const forms = { bytes: (bytes: Buffer) => bytes.toString(), date: (date: Date) => date.toISOString() };
  expect(javaText(struct, value, forms)).toBe('Struct{at=1970-01-01T00:00:00.000Z,raw=hi}');
});

test('without a schema', () => {
  expect(javaText(null, { a: 1, b: [1.5, null, undefined, 10n], c: new Map([[1, 'x']]) })).toBe(
    '{a=1, b=[1.5, null, null, 10], c={1=x}}',
  );
  expect([2 ** 53, -(2 ** 62), 2 ** 63, 1e300].map((value) => javaText(null, value))).toEqual([
    '9007199254740992',
    '-4611686018427387904',
    '9.223372036854776E18',
    '1.0E300',
  ]);
});

test('Java trims control characters and the space, nothing else', () => {
  expect(javaTrim('\u0000 \u00a0x\u2003 \n')).toBe('\u00a0x\u2003');
});
