/**
 * Answers of Confluent's AvroData 7.7.0, recorded by the programs in test/golden/avro: the schemas that it registers,
 * the bytes that it writes, and what it reads.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  arraySchema,
  dateSchema,
  mapSchema,
  schema,
  structSchema,
  type Schema,
  type SchemaOptions,
} from '@millrace/sdk';
import { JsonConverter } from '../../../../src/converters/json/json-converter';
import { avroText, connectSchema, read, registered, write, type Config } from './avro-harness';

const golden = (name: string): string[] =>
  readFileSync(join(__dirname, '..', '..', '..', 'golden', 'avro', name), 'utf8')
    .trimEnd()
    .split('\n');

interface Question {
  readonly config?: Config;
  readonly avro?: string;
  readonly hex?: string;
  readonly version?: number;
}
interface Answer {
  readonly text?: string;
  readonly hex?: string | null;
  readonly back?: string;
  readonly schema?: string;
  readonly error?: string;
}

const json = new JsonConverter();
json.configure({ 'replace.null.with.default': 'false' });
const toJson = (of: Schema | null, value: unknown): string =>
  Buffer.from(json.fromConnectData('t', of, value) as Uint8Array).toString();

function answer({ config = {}, avro, hex, version }: Question, record: string): Answer {
  if (avro !== undefined) {
    const of = registered(avro, version ?? null);
    if (hex === undefined) return { schema: toJson(arraySchema(connectSchema(of, config) as Schema), []) };
    const back = read(of, hex, config);
    return { back: toJson(back.schema, back.value) };
  }
  const { schema: connect, value } = json.toConnectData('t', Buffer.from(record));
  const text = avroText(connect, config);
  const bytes = write(connect, value, config);
  if (bytes === null) return { text, hex: null };
  const back = read(registered(text), bytes, config);
  return { text, hex: bytes.toString('hex'), back: toJson(back.schema, back.value) };
}

const lines = golden('answers.txt');
const cases = lines.filter((_, i) => i % 2 === 0).map((line, i) => [line, lines[i * 2 + 1] as string] as const);

test('there are recorded answers', () => expect(cases.length).toBeGreaterThan(300));

test.each(cases)('%s', (line, expected) => {
  const java = JSON.parse(expected) as Answer;
  const question = JSON.parse(line) as Question;
  // Not parsed: its numbers may be longer than those of JavaScript.
  const record = line.slice(line.indexOf('"record":') + '"record":'.length, -1);
  if (java.error !== undefined) {
    expect(() => answer(question, record)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^AVRO|^CONVERTER_M/) }),
    );
    return;
  }
  expect(java).toMatchObject(answer(question, record));
});

const UNION = 'io.confluent.connect.avro.Union';
const FLOAT = schema('FLOAT32', { optional: true, default: Math.fround(1.1) });
const INT = schema('INT32');
const OPTIONAL_INT = schema('INT32', { optional: true });
const OPTIONAL_STRING = schema('STRING', { optional: true });
const parts = (options: SchemaOptions): Schema =>
  structSchema(
    [
      ['a', INT],
      ['b', OPTIONAL_STRING],
      ['c', FLOAT],
    ],
    { name: 'S', ...options },
  );
const field = (of: Schema): Schema => structSchema([['o', of]], { name: 'R' });
const two = (one: Schema, other: Schema): Schema =>
  structSchema(
    [
      ['a', one],
      ['b', other],
    ],
    { name: 'R' },
  );
const union = (options: SchemaOptions): Schema =>
  structSchema(
    [
      ['int', OPTIONAL_INT],
      ['string', OPTIONAL_STRING],
    ],
    { name: UNION, ...options },
  );
const list = (items: Schema, value: unknown[]): Schema => arraySchema(items, { default: value });
const map = (options: SchemaOptions, values = INT): Schema => mapSchema(INT, values, options);
const named = (name: string, p: string): Schema => structSchema([['x', INT]], { name, parameters: { p } });

const SCHEMAS: Readonly<Record<string, () => Schema>> = {
  'struct default': () => field(parts({ default: { a: 1 } })),
  'optional struct default': () => field(parts({ optional: true, default: { a: 1, b: 'x' } })),
  'optional struct default at the top': () => parts({ optional: true, default: { a: 1, b: 'x', c: null } }),
  NaN: () => field(schema('FLOAT64', { default: NaN })),
  '-Infinity': () => field(schema('FLOAT32', { default: -Infinity })),
  '-0 float': () => field(schema('FLOAT32', { default: -0 })),
  '-0 double': () => field(schema('FLOAT64', { default: -0 })),
  'small float': () => field(schema('FLOAT32', { default: 1e-10 })),
  long: () => field(schema('INT64', { default: 1n << 60n })),
  'null within an array': () => field(list(OPTIONAL_INT, [1, null])),
  'only null within an array': () => field(list(OPTIONAL_INT, [null])),
  floats: () => field(list(schema('FLOAT32'), [1.1])),
  date: () => field(dateSchema({ default: new Date(86_400_000) })),
  'map of integers': () => field(map({ default: new Map([[1, 1]]) })),
  'empty map of integers': () => field(map({ default: new Map() })),
  'union default': () => field(union({ default: { int: 3 } })),
  'optional union default': () => field(union({ optional: true, default: { string: 'q' } })),
  'named map': () => field(map({ name: 'x.M', version: 3 })),
  'two maps': () => two(map({}), map({}, schema('INT64'))),
  'two equal maps': () => two(map({}), map({})),
  'two structs': () => two(named('S', 'q'), named('S', 'r')),
  'names of types': () => two(named('a.int', 'q'), named('a.int', 'q')),
  'no namespace': () => structSchema([['a', named('S', 'q')]], { name: 'a.R' }),
  'empty name': () => structSchema([], { name: '' }),
  dots: () => structSchema([], { name: '..a..b..' }),
  'decimal of int': () =>
    schema('INT32', { name: 'org.apache.kafka.connect.data.Decimal', parameters: { scale: '2' } }),
  'date of string': () => schema('STRING', { name: 'org.apache.kafka.connect.data.Date' }),
  'lower case': () => schema('BYTES', { name: 'org.apache.kafka.connect.data.decimal', parameters: { scale: '2' } }),
  escapes: () => schema('STRING', { doc: '\u007f\u2028/\ud83d\ude00\b\t\u001f\\"' }),
};

const texts = new Map(golden('schemas.txt').map((line) => line.split(/: (.*)/s) as [string, string]));

test('each recorded schema is compared', () => expect([...texts.keys()].sort()).toEqual(Object.keys(SCHEMAS).sort()));

test.each(Object.entries(SCHEMAS))('schema: %s', (name, make) => {
  const expected = texts.get(name);
  if (expected === 'error') expect(() => avroText(make())).toThrow(expect.objectContaining({ code: 'AVRO_SCHEMA' }));
  else expect(avroText(make())).toBe(expected);
});
