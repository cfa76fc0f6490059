/** Records: what is written exactly or not at all, and what is read or named as unreadable. */
import {
  arraySchema,
  dateSchema,
  decimalSchema,
  mapSchema,
  optional,
  schema,
  structSchema,
  timestampSchema,
} from '@millrace/sdk';
import { jsonOf, read, registered, schemaText, thrownBy, type Config } from './json-schema-harness';

const NUMERIC: Config = { 'decimal.format': 'NUMERIC' };
const ISO: Config = { 'json.write.dates.iso8601': 'true' };
const row = (of: Parameters<typeof optional>[0]) => structSchema([['items', arraySchema(structSchema([['x', of]]))]]);

test.each([
  ['a fraction', schema('INT32'), 1.5, 'does not fit: its schema is INT32 but the value is a number with a fraction'],
  [
    'an integer out of range',
    schema('INT8'),
    128,
    'does not fit: its schema is INT8 but the value is an integer (perhaps out of range)',
  ],
  ['a bigint out of range', schema('INT64'), 2n ** 63n, 'does not fit: its schema is INT64 but the value is a bigint'],
  ['NaN', schema('FLOAT64'), NaN, 'is no finite number, which JSON has no text for'],
  ['a float32 that overflows', schema('FLOAT32'), 1e300, 'is no finite number, which JSON has no text for'],
  ['null', schema('STRING'), null, 'is null, but not optional'],
  ['a missing value', schema('STRING'), undefined, 'is null, but not optional'],
  [
    'another type',
    schema('STRING'),
    5,
    'does not fit: its schema is STRING but the value is an integer (perhaps out of range)',
  ],
  ['a promise', structSchema([]), Promise.resolve(), 'does not fit: its schema is STRUCT but the value is a Promise'],
  [
    'another scale',
    decimalSchema(2),
    { unscaled: 1n, scale: 3 },
    'does not fit: Decimal value has mismatching scale for given Decimal schema. Schema has scale 2, value has scale 3',
  ],
  [
    'an invalid date',
    dateSchema(),
    new Date(NaN),
    'does not fit: the date is invalid, or beyond the years -271821 to 275760',
  ],
  ['a null in an array', arraySchema(schema('STRING')), [null], null],
])('%s is not written, and the error names the field', (_name, of, value, reason) => {
  const error = thrownBy(() => jsonOf(row(of), { items: [{ x: value }] }));
  const field = reason === null ? 'items[0].x[0]' : 'items[0].x';
  expect(error).toMatchObject({ code: 'CONVERTER_MISMATCH', place: { field } });
  expect(error.message).toBe(
    `The field "${field}" ${reason ?? 'is null, but not optional'}, so it cannot be written as JSON of its schema.`,
  );
});

test('a map is named by its key, a union without a value, and a value in itself', () => {
  const map = mapSchema(schema('STRING'), schema('INT8'));
  expect(thrownBy(() => jsonOf(map, new Map([['k', 300]]))).message).toContain('The field "[k]" does not fit');
  const union = structSchema([['io.confluent.connect.json.OneOf.field.0', optional(schema('INT8'))]], {
    name: 'io.confluent.connect.json.OneOf',
  });
  expect(thrownBy(() => jsonOf(union, {})).message).toContain('is a union without a value');
  const loop: { self: unknown } = { self: null };
  loop.self = loop;
  expect(thrownBy(() => jsonOf(null, loop)).message).toContain('is nested deeper than 1000 levels');
});

test('years of other than four digits have no text in ISO 8601, but a number', () => {
  expect(jsonOf(timestampSchema(), 10n ** 17n)).toBe('100000000000000000');
  for (const value of [10n ** 17n, new Date('+010000-01-01T00:00:00Z'), new Date('-000001-01-01T00:00:00Z')])
    expect(thrownBy(() => jsonOf(timestampSchema(), value, ISO)).code).toBe('CONVERTER_MISMATCH');
  expect(jsonOf(timestampSchema(), new Date('0000-01-01T00:00:00Z'), ISO)).toBe('"0000-01-01T00:00:00.000Z"');
  expect(read('100000000000000000', registered(schemaText(timestampSchema()))).value).toBe(10n ** 17n);
});

test.each<[string, unknown, unknown]>([
  ['"2024-02-29T12:34:56.789+01:30"', timestampSchema(), new Date('2024-02-29T11:04:56.789Z')],
  ['"2024-02-29T12:34:56Z"', timestampSchema(), new Date('2024-02-29T12:34:56Z')],
  ['"2024-02-29 12:34:56.123456789"', timestampSchema(), new Date('2024-02-29T12:34:56.123Z')],
  ['1709210096789', timestampSchema(), new Date('2024-02-29T12:34:56.789Z')],
  ['"2024-02-29"', dateSchema(), new Date('2024-02-29T00:00:00Z')],
])('times are read as text and as number: %s', (json, of, value) => {
  expect(read(json, registered(schemaText(of as never, ISO)), ISO).value).toEqual(value);
});

test.each([
  ['"2024-02-30"', dateSchema()],
  ['"2024-02-29T25:00:00Z"', timestampSchema()],
  ['"yesterday"', timestampSchema()],
  ['"2024-02-29"', timestampSchema()],
  ['2.5', timestampSchema()],
  ['2147483648', dateSchema()],
  [`"${' '.repeat(100_000)}"`, timestampSchema()],
])('no time is guessed: %.40s', (json, of) => {
  expect(thrownBy(() => read(json, registered(schemaText(of, ISO)))).code).toBe('JSON_SCHEMA_DATA');
});

test.each([
  ['1.5', 2, 150n],
  ['1.50', 2, 150n],
  ['15E-1', 2, 150n],
  ['1e2', 0, 100n],
  ['100', -2, 1n],
  ['123456789012345678901234567890.12', 2, 12345678901234567890123456789012n],
  ['-0.01', 2, -1n],
])('a decimal keeps its digits: %s with scale %i', (json, scale, unscaled) => {
  for (const config of [NUMERIC, {}])
    expect(read(json, registered(schemaText(decimalSchema(scale), config))).value).toEqual({ unscaled, scale });
});

test.each(['1.234', '1e999999999', '1e-999999999', '"$"', 'true', `1${'0'.repeat(5000)}`])(
  'a decimal that would lose digits, or take forever, is unreadable: %.40s',
  (json) => {
    const target = registered(schemaText(decimalSchema(2), NUMERIC));
    expect(thrownBy(() => read(json, target)).code).toBe('JSON_SCHEMA_DATA');
  },
);

test.each([
  ['9223372036854775808', 'INT64', 'is an integer beyond the range of INT64'],
  ['-129', 'INT8', 'is an integer beyond the range of INT8'],
  ['1e400', 'INT64', 'is a number where its schema has an integer'],
  ['1.5', 'INT32', 'is a number where its schema has an integer'],
  ['1e39', 'FLOAT32', 'is a number beyond the range of FLOAT32'],
  ['1e400', 'FLOAT64', 'is a number beyond the range of FLOAT64'],
  ['"5"', 'INT32', 'is a string where its schema has an integer'],
  ['"a"', 'BYTES', 'is a text that is not base64'],
  ['null', 'BOOLEAN', 'is null, which its schema does not allow'],
] as const)('%s is no %s', (json, type, reason) => {
  const target = registered(schemaText(row(schema(type))));
  const error = thrownBy(() => read(`{"items":[{"x":${json}}]}`, target));
  expect(error).toMatchObject({ code: 'JSON_SCHEMA_DATA', place: { schemaId: 7, field: 'items[0].x' } });
  expect(error.message).toBe(`A record of JSON Schema 7 cannot be read: its field "items[0].x" ${reason}.`);
});

test.each([
  ['-9223372036854775808', 'INT64', -(2n ** 63n)],
  ['9007199254740993', 'INT64', 9007199254740993n],
  ['9.007199254740993e15', 'INT64', 9007199254740993n],
  ['-0', 'INT32', 0],
  ['"NaN"', 'FLOAT64', NaN],
  ['"-Infinity"', 'FLOAT32', -Infinity],
  ['0.1', 'FLOAT32', Math.fround(0.1)],
] as const)('%s is read as %s', (json, type, value) => {
  const result = read(json, registered(schemaText(schema(type)))).value;
  expect(Object.is(result, value)).toBe(true);
});

test('a field that is missing is named with the setting that helps', () => {
  const target = registered({ properties: { a: { type: 'string' } } });
  expect(thrownBy(() => read('{}', target)).message).toBe(
    'A record of JSON Schema 7 cannot be read: its field "a" is missing, but not optional: ' +
      'use.optional.for.nonrequired=true makes it so if its schema does not require it.',
  );
});

test.each([
  ['', 'text ends where a value is expected at position 0'],
  ['{"a":"x"} secret', 'text after the value at position 10'],
  ['{"a":', 'text ends where a value is expected at position 5'],
  ['{"a":"secret', 'text ends inside a string at position 5'],
  ['{"a":01}', 'a number starts with a zero'],
  [Buffer.from([0x22, 0xff, 0x22]), null],
  [Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), null],
])('what is not JSON is named without its content: %s', (json, reason) => {
  const error = thrownBy(() => read(json, registered({ properties: { a: { type: 'string' } } })));
  expect(error.code).toBe('JSON_SCHEMA_DATA');
  expect(error.message).toBe(
    `A record of JSON Schema 7 cannot be read: its value ${reason === null ? 'is not text in UTF-8' : `is not JSON (${reason})`}.`,
  );
});

test('lone surrogates and U+FFFD come back as they were', () => {
  const text = '\ud800a\udc00\ufffd\u{1f600}';
  const json = jsonOf(schema('STRING'), text) as string;
  expect(json).toBe('"\\uD800a\\uDC00\ufffd\\uD83D\\uDE00"');
  expect(read(json, registered({ type: 'string' })).value).toBe(text);
});

test('of members with the same name, the last counts', () => {
  const target = registered({ properties: { a: { type: 'integer' } } });
  expect(read('{"a":1,"a":2}', target).value).toEqual({ a: 2 });
  expect(read('{"a":1,"a":12345678901234567}', target).value).toEqual({ a: 12345678901234567n });
});

test('a struct may have a member of any name', () => {
  const of = structSchema([
    ['__proto__', schema('STRING')],
    ['constructor', optional(schema('STRING'))],
    ['a"\\\n', schema('INT32')],
  ]);
  const value = Object.fromEntries([
    ['__proto__', 'x'],
    ['a"\\\n', 1],
  ]);
  const json = jsonOf(of, value) as string;
  expect(json).toBe('{"__proto__":"x","constructor":null,"a\\"\\\\\\n":1}');
  const back = read(json, registered(schemaText(of)));
  expect(back.schema).toEqual(of);
  expect(Object.entries(back.value as object)).toEqual([
    ['__proto__', 'x'],
    ['constructor', null],
    ['a"\\\n', 1],
  ]);
});
