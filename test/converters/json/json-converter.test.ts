import {
  arraySchema,
  dateSchema,
  decimalSchema,
  isConnectError,
  mapSchema,
  optional,
  schema,
  structSchema,
  timeSchema,
  timestampSchema,
  type Schema,
} from '@millrace/sdk';
import { JsonConverter } from '../../../src/converters/json/json-converter';

function converter(config: Record<string, string> = {}): JsonConverter {
  const json = new JsonConverter();
  json.configure(config);
  return json;
}
function write(of: Schema | null, value: unknown, config: Record<string, string> = {}): string | null {
  const bytes = converter(config).fromConnectData('t', of, value);
  return bytes && Buffer.from(bytes).toString();
}
const payload = (of: Schema | null, value: unknown, config: Record<string, string> = {}): string | null =>
  write(of, value, { 'schemas.enable': 'false', ...config });
function read(text: string, config: Record<string, string> = {}): { schema: Schema | null; value: unknown } {
  return converter(config).toConnectData('t', Buffer.from(text));
}
function readPayload(schemaJson: string, payloadJson: string): unknown {
  return read(`{"schema":${schemaJson},"payload":${payloadJson}}`).value;
}
function problem(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(isConnectError(error)).toBe(true);
    return (error as Error).message;
  }
  throw new Error('nothing was thrown');
}

const all = structSchema(
  [
    ['b', schema('BOOLEAN')],
    ['i32', schema('INT32', { default: 7, doc: 'd' })],
    ['s', schema('STRING', { optional: true, default: 'dflt' })],
    ['arr', arraySchema(schema('STRING'))],
    ['ms', mapSchema(schema('STRING'), schema('INT32'))],
    ['mi', mapSchema(schema('INT32'), schema('STRING'))],
    [
      'in',
      structSchema([['x', schema('INT32', { optional: true })]], {
        optional: true,
        name: 'com.acme.Inner',
        version: 2,
        doc: 'in',
      }),
    ],
    ['dec', decimalSchema(2)],
    ['ts', timestampSchema({ optional: true, parameters: { p: 'q' } })],
  ],
  { name: 'com.acme.All', version: 1, doc: 'all types' },
);
const allValue = {
  b: true,
  i32: 8,
  s: null,
  arr: ['x', 'y'],
  ms: new Map([['k', 1]]),
  mi: new Map([[5, 'five']]),
  in: { x: 1 },
  dec: { unscaled: 1234n, scale: 2 },
  ts: new Date(1700000000123),
};
const allText =
  '{"schema":{"type":"struct","fields":[{"type":"boolean","optional":false,"field":"b"},' +
  '{"type":"int32","optional":false,"doc":"d","default":7,"field":"i32"},' +
  '{"type":"string","optional":true,"default":"dflt","field":"s"},' +
  '{"type":"array","items":{"type":"string","optional":false},"optional":false,"field":"arr"},' +
  '{"type":"map","keys":{"type":"string","optional":false},"values":{"type":"int32","optional":false},"optional":false,"field":"ms"},' +
  '{"type":"map","keys":{"type":"int32","optional":false},"values":{"type":"string","optional":false},"optional":false,"field":"mi"},' +
  '{"type":"struct","fields":[{"type":"int32","optional":true,"field":"x"}],"optional":true,"name":"com.acme.Inner","version":2,"doc":"in","field":"in"},' +
  '{"type":"bytes","optional":false,"name":"org.apache.kafka.connect.data.Decimal","version":1,"parameters":{"scale":"2"},"field":"dec"},' +
  '{"type":"int64","optional":true,"name":"org.apache.kafka.connect.data.Timestamp","version":1,"parameters":{"p":"q"},"field":"ts"}],' +
  '"optional":false,"name":"com.acme.All","version":1,"doc":"all types"},' +
  '"payload":{"b":true,"i32":8,"s":"dflt","arr":["x","y"],"ms":{"k":1},"mi":[[5,"five"]],"in":{"x":1},"dec":"BNI=","ts":1700000000123}}';

describe('connect-runtime 102: JsonConverter writes', () => {
  test('the example with every type of schema, byte for byte', () => {
    expect(write(all, allValue)).toBe(allText);
  });

  test('alternating schemas: the reused buffer never leaks into the output', () => {
    const json = converter();
    const short = schema('INT32', { optional: true, default: 3 });
    const texts = [all, all, short, all, short, null, all].map((s) => {
      const value = s === all ? allValue : s === short ? null : 'hi';
      return Buffer.from(json.fromConnectData('t', s, value) as Uint8Array).toString();
    });
    const shortText = '{"schema":{"type":"int32","optional":true,"default":3},"payload":3}';
    expect(texts).toEqual([allText, allText, shortText, allText, shortText, '{"schema":null,"payload":"hi"}', allText]);
  });

  test('nulls: tombstone, default, no default', () => {
    const withDefault = schema('INT32', { optional: true, default: 3 });
    expect(write(null, null)).toBeNull();
    expect(write(withDefault, null, { 'replace.null.with.default': 'false' })).toBe(
      '{"schema":{"type":"int32","optional":true,"default":3},"payload":null}',
    );
    expect(write(schema('STRING', { optional: true }), null)).toBe(
      '{"schema":{"type":"string","optional":true},"payload":null}',
    );
    expect(payload(schema('STRING', { optional: true }), null)).toBe('null');
    expect(payload(null, null)).toBeNull();
  });

  test('schemaless values', () => {
    expect(payload(null, [1, null, 'x'])).toBe('[1,null,"x"]');
    expect(
      payload(
        null,
        new Map<unknown, unknown>([
          [1, 'a'],
          ['b', null],
        ]),
      ),
    ).toBe('[[1,"a"],["b",null]]');
    expect(payload(null, new Map([['a', 1.5]]))).toBe('{"a":1.5}');
    expect(payload(null, { a: 1, b: [true], c: 9007199254740993n, d: Buffer.from('hi'), e: undefined })).toBe(
      '{"a":1,"b":[true],"c":9007199254740993,"d":"aGk=","e":null}',
    );
  });

  test.each([
    [1.5, '1.5'],
    [100, '100.0'],
    [1e7, '1.0E7'],
    [1e-5, '1.0E-5'],
    [1e21, '1.0E21'],
    [-0, '-0.0'],
    [0.001, '0.001'],
    [9999999, '9999999.0'],
    [12345678.9, '1.23456789E7'],
    [5e-324, '4.9E-324'],
    [1.7976931348623157e308, '1.7976931348623157E308'],
    [NaN, '"NaN"'],
    [Infinity, '"Infinity"'],
    [-Infinity, '"-Infinity"'],
  ])('float64 %p as %s', (value, text) => {
    expect(payload(schema('FLOAT64'), value)).toBe(text);
  });

  test.each([
    [0.1, '0.1'],
    [16777216, '1.6777216E7'],
    [3.4028234663852886e38, '3.4028235E38'],
    [1.4e-45, '1.4E-45'],
    [1e10, '1.0E10'],
    [100, '100.0'],
    [0.3333333432674408, '0.33333334'],
  ])('float32 %p as %s', (value, text) => {
    expect(payload(schema('FLOAT32'), Math.fround(value))).toBe(text);
  });

  test.each<[number | bigint, string]>([
    [0, '0'],
    [-1, '-1'],
    [1700000000123, '1700000000123'],
    [1000000000, '1000000000'],
    [5000000001, '5000000001'],
    [1763694000123456, '1763694000123456'],
    [-1763694000123456, '-1763694000123456'],
    [9007199254740993n, '9007199254740993'],
    [-9223372036854775808n, '-9223372036854775808'],
  ])('int64 %p', (value, text) => {
    expect(payload(schema('INT64'), value)).toBe(text);
  });

  test.each([
    ['é😀', 'é\\uD83D\\uDE00'],
    ['a"b\\c', 'a\\"b\\\\c'],
    ['\b\t\n\f\r\u0001\u001f', '\\b\\t\\n\\f\\r\\u0001\\u001F'],
    ['/<\u007f\u2028', '/<\u007f\u2028'],
    ['x'.repeat(40) + '"😀', 'x'.repeat(40) + '\\"\\uD83D\\uDE00'],
    ['\ud800', '\\uD800'],
    ['日本語'.repeat(3000), '日本語'.repeat(3000)],
    ['x'.repeat(60) + '\ud800', 'x'.repeat(60) + '\\uD800'],
    ['\ufffd\uf000\uffff'.repeat(20), '\ufffd\uf000\uffff'.repeat(20)],
  ])('string %p', (value, text) => {
    expect(payload(schema('STRING'), value)).toBe(`"${text}"`);
    expect(payload(null, value)).toBe(`"${text}"`);
  });

  test('logical types', () => {
    expect(payload(decimalSchema(4), { unscaled: 102345n, scale: 4 })).toBe('"AY/J"');
    expect(payload(decimalSchema(0), { unscaled: -129n, scale: 0 })).toBe('"/38="');
    expect(payload(decimalSchema(0), { unscaled: 2n ** 70n, scale: 0 })).toBe('"QAAAAAAAAAAA"');
    expect(payload(decimalSchema(0), { unscaled: -(2n ** 63n), scale: 0 })).toBe('"gAAAAAAAAAA="');
    const numeric = { 'decimal.format': 'numeric' };
    expect(payload(decimalSchema(3), { unscaled: 12340n, scale: 3 }, numeric)).toBe('12.340');
    expect(payload(decimalSchema(-3), { unscaled: 1n, scale: -3 }, numeric)).toBe('1E+3');
    expect(payload(decimalSchema(2), { unscaled: -5n, scale: 2 }, numeric)).toBe('-0.05');
    expect(payload(decimalSchema(9), { unscaled: 12n, scale: 9 }, numeric)).toBe('1.2E-8');
    expect(payload(dateSchema(), new Date('2023-11-15T00:00:00Z'))).toBe('19676');
    expect(payload(timeSchema(), new Date(86_400_000))).toBe('86400000');
    expect(payload(timestampSchema(), new Date(-1))).toBe('-1');
  });

  test('times that a JavaScript Date does not reach are numbers, written and read', () => {
    const both = (of: Schema, value: unknown): unknown[] => [payload(of, value), read(write(of, value) ?? '').value];
    expect(both(dateSchema(), 106_751_991)).toEqual(['106751991', 106_751_991]);
    expect(both(timestampSchema(), 9223372036825200000n)).toEqual(['9223372036825200000', 9223372036825200000n]);
    expect(both(timestampSchema(), 9_000_000_000_000_000)).toEqual(['9000000000000000', 9_000_000_000_000_000]);
    expect(both(timestampSchema(), 5)).toEqual(['5', new Date(5)]);
    expect(both(timestampSchema({ default: -9223372036832400000n }), null)[0]).toBe('-9223372036832400000');
  });

  test('bytes, also a plain Uint8Array in the middle of a larger buffer', () => {
    expect(payload(schema('BYTES'), new Uint8Array([1, 2, 3, 4]).subarray(1, 3))).toBe('"AgM="');
  });

  test.each(Array.from({ length: 60 }, (_, length) => length))('base64 of %d bytes', (length) => {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 167) % 256);
    expect(payload(schema('BYTES'), bytes)).toBe(`"${Buffer.from(bytes).toString('base64')}"`);
  });

  test('integers of every length, of both signs', () => {
    for (let exponent = 0; exponent < 16; exponent++)
      for (const value of [10 ** exponent - 1, 10 ** exponent, 10 ** exponent + 1, 8 * 10 ** exponent])
        for (const signed of [value, -value]) expect(payload(schema('INT64'), signed)).toBe(String(signed));
    for (const value of [2 ** 31 - 1, -(2 ** 31), 0]) expect(payload(schema('INT32'), value)).toBe(String(value));
    expect(payload(schema('INT64'), 2 ** 53)).toBe('9007199254740992');
    expect(payload(schema('INT64'), -0)).toBe('0');
  });

  test('strings of every length, plain, with quotes and beyond ASCII, in sequence from one converter', () => {
    const json = converter();
    const both = structSchema([
      ['a', schema('STRING')],
      ['b', schema('STRING')],
    ]);
    for (let length = 0; length < 200; length++)
      for (const unit of ['x', 'x"', 'é\\', '日']) {
        const value = { a: unit.repeat(length), b: 'x'.repeat(length * 80) };
        const text = Buffer.from(json.fromConnectData('t', both, value) as Uint8Array).toString();
        expect(JSON.parse(text)).toMatchObject({ schema: { type: 'struct' }, payload: value });
      }
  });

  test('values that repeat from record to record, change, are null, and return', () => {
    const json = converter();
    const row = structSchema([
      ['s', schema('STRING', { optional: true })],
      ['n', schema('INT64', { optional: true, default: 5 })],
      ['i', schema('INT32')],
    ]);
    const texts = ['a', 'a', 'a', '', 'x'.repeat(150), 'x'.repeat(150), null, 'é', 'é', 'é', 'a', 'a"', 'a"', 'a"'];
    const wide = [1n, 1, 1, 1, 2n ** 60n, 2n ** 60n, 2n ** 60n, 7, 7, null, null, 7, 0, -0];
    for (let i = 0; i < texts.length; i++) {
      const value = { s: texts[i], n: wide[i], i: i >> 2 };
      const text = Buffer.from(json.fromConnectData('t', row, value) as Uint8Array).toString();
      expect(text).toBe(write(row, value));
    }
    expect(problem(() => json.fromConnectData('t', row, { s: 'a"', n: '7', i: 3 }))).toContain('field "n"');
  });

  test('a record after one that was rejected halfway', () => {
    const json = converter();
    const two = structSchema([
      ['a', schema('STRING')],
      ['b', schema('INT32')],
    ]);
    const text = (value: unknown) => Buffer.from(json.fromConnectData('t', two, value) as Uint8Array).toString();
    const good = text({ a: 'x', b: 1 });
    expect(problem(() => text({ a: 'y', b: 'z' }))).toContain('field "b"');
    expect(text({ a: 'x', b: 1 })).toBe(good);
  });

  test('a field name that looks like code stays a name', () => {
    const odd = structSchema([['a"];throw 1;//', schema('INT32')]]);
    expect(payload(odd, { 'a"];throw 1;//': 1 })).toBe('{"a\\"];throw 1;//":1}');
    expect(payload(structSchema([]), {})).toBe('{}');
  });

  test('a record larger than the buffer, then a small one', () => {
    const json = converter({ 'schemas.enable': 'false' });
    const big = 'x'.repeat(3_000_000);
    expect(json.fromConnectData('t', schema('STRING'), big)?.length).toBe(3_000_002);
    for (const small of ['y', 'z'])
      expect(Buffer.from(json.fromConnectData('t', schema('STRING'), small) as Uint8Array).toString()).toBe(
        `"${small}"`,
      );
  });

  test.each<[string, Schema, unknown, string]>([
    [
      'text for a number',
      structSchema([['after', structSchema([['id', schema('INT32')]])]]),
      { after: { id: 'x' } },
      'field "after.id": its schema is INT32 but the value is a string',
    ],
    [
      'required null',
      structSchema([['id', schema('INT32')]]),
      {},
      'field "id": null value for field that is required and has no default value',
    ],
    ['range', schema('INT8'), 128, 'the value: its schema is INT8'],
    ['int64 beyond', schema('INT64'), 2n ** 63n, 'a bigint'],
    ['fraction', schema('INT64'), 1.5, 'a number with a fraction'],
    ['element', structSchema([['l', arraySchema(schema('STRING'))]]), { l: ['a', 1] }, 'field "l[1]"'],
    [
      'map value',
      structSchema([['m', mapSchema(schema('STRING'), schema('INT32'))]]),
      { m: new Map([['k', 'v']]) },
      'field "m[k]"',
    ],
    [
      'object for a map',
      mapSchema(schema('STRING'), schema('INT32')),
      { k: 1 },
      'its schema is MAP but the value is an object',
    ],
    [
      'map for a struct',
      structSchema([['a', schema('INT32', { optional: true })]]),
      new Map([['a', 1]]),
      'its schema is STRUCT but the value is a Map',
    ],
    ['scale', decimalSchema(2), { unscaled: 1n, scale: 3 }, 'Schema has scale 2, value has scale 3'],
    ['date with time', dateSchema(), new Date(1), 'a Date must have no time of day'],
    ['time out of range', timeSchema(), new Date(-1), 'a Time must lie within one day'],
    ['text for a date', optional(timestampSchema()), '5', 'needs a Date'],
    ['days beyond 32 bits', dateSchema(), 2 ** 31, 'its schema is INT32'],
  ])('mismatch: %s names the place and the reason', (_name, of, value, text) => {
    expect(problem(() => write(of, value))).toContain(text);
  });

  test('the value itself never appears in the message', () => {
    expect(problem(() => write(structSchema([['password', schema('INT32')]]), { password: 's3cret' }))).not.toContain(
      's3cret',
    );
  });
});

describe('connect-runtime 102: JsonConverter reads', () => {
  test('its own output', () => {
    const json = converter();
    const bytes = Buffer.from(allText);
    for (let i = 0; i < 3; i++) {
      const { schema: of, value } = json.toConnectData('t', bytes);
      expect(of).toEqual(all);
      expect(value).toEqual({ ...allValue, s: 'dflt' });
    }
  });

  test('equal schema texts give one schema object, across topics too', () => {
    const json = converter();
    const one = json.toConnectData('a', Buffer.from(allText)).schema;
    expect(json.toConnectData('a', Buffer.from(allText)).schema).toBe(one);
    expect(json.toConnectData('b', Buffer.from(allText)).schema).toBe(one);
  });

  test('a record that only starts like the previous one', () => {
    const json = converter();
    const head = '{"schema":{"type":"int64","optional":true},"payload":';
    const of = (text: string): unknown => json.toConnectData('t', Buffer.from(text)).value;
    expect(of(`${head}1}`)).toBe(1);
    expect(of(`${head}9007199254740993}`)).toBe(9007199254740993n);
    expect(of(`${head}null}`)).toBeNull();
    expect(of(`${head} 7 } `)).toBe(7);
    expect(of(`{"payload":8,"schema":{"type":"int64","optional":true}}`)).toBe(8);
    expect(problem(() => of(`${head}1,"x":2}`))).toContain('may not contain additional fields');
    expect(problem(() => of(`${head}1`))).toContain('is not JSON');
  });

  test('the envelope is required', () => {
    for (const text of ['1', 'null', '{}', '{"schema":null}', '{"schema":null,"payload":1,"x":1}', '[1]', '']) {
      expect(problem(() => read(text))).toContain('schemas.enable=false');
    }
    expect(problem(() => read('{"schema":'))).toContain('is not JSON');
    expect(converter().toConnectData('t', null)).toEqual({ schema: null, value: null });
  });

  test.each([
    ['{"type":"int8","optional":false}', '300', 44],
    ['{"type":"int16","optional":false}', '70000', 4464],
    ['{"type":"int32","optional":false}', '"12"', 0],
    ['{"type":"int32","optional":false}', '4294967297', 1],
    ['{"type":"int32","optional":false}', '3.9', 3],
    ['{"type":"int64","optional":false}', '9223372036854775807', 9223372036854775807n],
    ['{"type":"int64","optional":false}', '9223372036854775808', -9223372036854775808n],
    ['{"type":"int64","optional":false}', '1e3', 1000],
    ['{"type":"float","optional":false}', '0.1', Math.fround(0.1)],
    ['{"type":"double","optional":false}', '"x"', 0],
    ['{"type":"boolean","optional":false}', '1', false],
    ['{"type":"string","optional":false}', '5', null],
    ['{"type":"string","optional":false}', '"\\u00e9\\uD83D\\uDE00"', 'é😀'],
    ['{"type":"bytes","optional":false}', '"aGk="', Buffer.from('hi')],
    ['{"type":"int32","optional":true,"default":3}', 'null', 3],
    ['{"type":"string","optional":true}', 'null', null],
    ['null', '{"a":[1,9007199254740993,1.5,null,"x"]}', { a: [1, 9007199254740993n, 1.5, null, 'x'] }],
  ])('%s of %s', (schemaJson, payloadJson, value) => {
    expect(readPayload(schemaJson, payloadJson)).toEqual(value);
  });

  test('logical types', () => {
    const decimal =
      '{"type":"bytes","optional":false,"name":"org.apache.kafka.connect.data.Decimal","version":1,"parameters":{"scale":"2"}}';
    expect(readPayload(decimal, '12.340')).toEqual({ unscaled: 12340n, scale: 3 });
    expect(readPayload(decimal, '"BNI="')).toEqual({ unscaled: 1234n, scale: 2 });
    expect(readPayload(decimal, '123456789012345678901234567890.12')).toEqual({
      unscaled: 12345678901234567890123456789012n,
      scale: 2,
    });
    const date = '{"type":"int32","optional":false,"name":"org.apache.kafka.connect.data.Date","version":1}';
    expect(readPayload(date, '19676')).toEqual(new Date('2023-11-15T00:00:00Z'));
    expect(problem(() => readPayload(date, '"x"'))).toContain('underlying representation should be int32');
  });

  test('structs: unknown members are ignored, missing ones are null, prototype names are ordinary names', () => {
    const of =
      '{"type":"struct","fields":[{"type":"int32","optional":true,"field":"a"},{"type":"string","optional":true,"field":"constructor"}],"optional":false}';
    expect(readPayload(of, '{"b":1}')).toEqual({ a: null, constructor: null });
    expect(problem(() => readPayload(of, '[]'))).toContain('Structs should be encoded as JSON objects');
    const required = '{"type":"struct","fields":[{"type":"int32","optional":false,"field":"a"}],"optional":false}';
    expect(problem(() => readPayload(required, '{}'))).toContain('required INT32');
  });

  test.each([
    ['{"optional":true}', "must contain 'type'"],
    ['{"type":"int"}', 'Unknown schema type: int'],
    ['{"type":"array"}', 'element type'],
    ['{"type":"map","keys":{"type":"string"}}', 'value type'],
    ['{"type":"struct","fields":{}}', 'not an array'],
    ['{"type":"struct","fields":[{"type":"int32"}]}', 'field name'],
    ['{"type":"int32","parameters":{"a":1}}', 'must be text'],
    ['5', 'must be a JSON object'],
  ])('schema %s is rejected', (schemaJson, text) => {
    expect(problem(() => readPayload(schemaJson, '1'))).toContain(text);
  });

  test('without schemas: leading zeros, trailing text, empty input, wrapping', () => {
    const of = (text: string): unknown => read(text, { 'schemas.enable': 'false' }).value;
    expect(of('007')).toBe(7);
    expect(of('{"a":1} trailing')).toEqual({ a: 1 });
    expect(of('')).toBeNull();
    expect(of('18446744073709551616')).toBe(0);
    expect(Object.hasOwn(of('{"__proto__":{"x":10000000000000001}}') as object, '__proto__')).toBe(true);
    expect(problem(() => of('{"a":'))).toContain('is not JSON');
    expect(problem(() => of('['.repeat(5000)))).toContain('nesting deeper');
  });
});

describe('bytes that are not text', () => {
  const envelope = '{"schema":{"type":"string","optional":true},"payload":"é"}';

  test('connect-runtime 6.2: Latin-1 after a record with the same schema is an error that names the byte', () => {
    const json = converter();
    expect(json.toConnectData('t', Buffer.from(envelope)).value).toBe('é');
    expect(problem(() => json.toConnectData('t', Buffer.from(envelope, 'latin1')))).toContain(
      'the record is not JSON (bytes that are not UTF-8, from byte 55)',
    );
    expect(json.toConnectData('t', Buffer.from(envelope.replace('é', '\ufffd'))).value).toBe('\ufffd');
  });

  test.each([
    ['an overlong form', Buffer.from('22c08022', 'hex')],
    ['a character above U+10FFFF', Buffer.from('22f490808022', 'hex')],
    ['half a pair of surrogates in UTF-16', Buffer.from('220000d8610022002000', 'hex')],
    ['Latin-1 after the value', Buffer.from('{"a":1} é', 'latin1')],
    ['a byte after the last of UTF-16', Buffer.concat([Buffer.from('{"a":1}', 'utf16le'), Buffer.of(0x20)])],
  ])('%s is an error (Java reads other text, or ignores it)', (_, bytes) => {
    expect(problem(() => converter({ 'schemas.enable': 'false' }).toConnectData('t', bytes))).toContain(
      'bytes that are',
    );
  });
});

describe('schema.content', () => {
  const content = JSON.stringify({
    type: 'struct',
    fields: [
      { field: 'id', type: 'int64' },
      {
        field: 'price',
        type: 'bytes',
        name: 'org.apache.kafka.connect.data.Decimal',
        version: 1,
        parameters: { scale: '2' },
      },
      { field: 'note', type: 'string', optional: true, default: 'none' },
    ],
  });

  test('connect-runtime 6.2: payloads without an envelope get this schema', () => {
    const { schema: found, value } = read('{"id":9007199254740993,"price":12345678901234567.89,"note":null}', {
      'schema.content': content,
    });
    expect(found?.fields?.map(({ name }) => name)).toEqual(['id', 'price', 'note']);
    expect(value).toEqual({ id: 9007199254740993n, price: { unscaled: 1234567890123456789n, scale: 2 }, note: 'none' });
  });

  test('connect-runtime 6.2: ignored when schemas are off; blank means not set; an invalid schema is rejected', () => {
    expect(read('{"id":1}', { 'schema.content': '{', 'schemas.enable': 'false' }).value).toEqual({ id: 1 });
    expect(read('{"schema":null,"payload":1}', { 'schema.content': ' ' }).value).toBe(1);
    for (const wrong of ['{', '[]', '{"type":"nope"}'])
      expect(problem(() => converter({ 'schema.content': wrong }))).toBe(
        'The converter setting "schema.content" must be a schema in JSON.',
      );
  });
});
