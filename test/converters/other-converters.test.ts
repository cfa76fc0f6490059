import {
  arraySchema,
  decimalSchema,
  isConnectError,
  mapSchema,
  schema,
  structSchema,
  timestampSchema,
  type Converter,
} from '@millrace/sdk';
import { builtInConverters } from '../../src/converters';

function create(simpleName: string, config: Record<string, string> = {}): Converter {
  const found = builtInConverters.find(
    ({ className, plugin }) => plugin.type === 'converter' && className.endsWith(`.${simpleName}`),
  );
  if (found?.plugin.type !== 'converter') throw new Error(simpleName);
  const converter = found.plugin.create();
  converter.configure(config, false);
  return converter;
}
const code = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return isConnectError(error) ? error.javaClass : String(error);
  }
  return 'nothing thrown';
};
const DATA = 'org.apache.kafka.connect.errors.DataException';

describe('connect-runtime 104: fixed-width converters', () => {
  test.each<[string, 'INT16' | 'INT32' | 'INT64' | 'FLOAT32' | 'FLOAT64' | 'BOOLEAN', unknown, string, unknown]>([
    ['ShortConverter', 'INT16', -2, 'fffe', 40000],
    ['IntegerConverter', 'INT32', 66051, '00010203', 2 ** 31],
    ['LongConverter', 'INT64', 9007199254740993n, '0020000000000001', 2n ** 63n],
    ['FloatConverter', 'FLOAT32', 1.5, '3fc00000', '1.5'],
    ['DoubleConverter', 'FLOAT64', 1.5, '3ff8000000000000', true],
    ['BooleanConverter', 'BOOLEAN', true, '01', 1],
  ])('%s', (name, type, value, hex, wrong) => {
    const converter = create(name);
    const bytes = converter.fromConnectData('t', schema(type), value);
    expect(Buffer.from(bytes as Uint8Array).toString('hex')).toBe(hex);
    expect(converter.toConnectData('t', bytes)).toEqual({ schema: schema(type, { optional: true }), value });
    expect(converter.fromConnectData('t', schema(type, { optional: true }), null)).toBeNull();
    expect(converter.toConnectData('t', null).value).toBeNull();
    expect(converter.fromConnectData('t', null, value)).not.toBeNull();
    expect(code(() => converter.fromConnectData('t', null, wrong))).toBe(DATA);
    expect(code(() => converter.fromConnectData('t', schema('STRING'), value))).toBe(DATA);
    expect(code(() => converter.toConnectData('t', Buffer.alloc(9)))).toBe(DATA);
    expect(code(() => converter.toConnectData('t', Buffer.alloc(0)))).toBe(DATA);
  });

  test('a boolean of another byte', () => {
    expect(code(() => create('BooleanConverter').toConnectData('t', Buffer.from([2])))).toBe(DATA);
  });

  test('ByteArrayConverter', () => {
    const converter = create('ByteArrayConverter');
    const bytes = Buffer.from([0, 255]);
    expect(converter.fromConnectData('t', schema('BYTES'), bytes)).toBe(bytes);
    expect(converter.fromConnectData('t', null, null)).toBeNull();
    expect(code(() => converter.fromConnectData('t', null, 'x'))).toBe(DATA);
    expect(code(() => converter.fromConnectData('t', schema('STRING'), bytes))).toBe(DATA);
    expect(converter.toConnectData('t', null)).toEqual({ schema: schema('BYTES', { optional: true }), value: null });
    expect(converter.toConnectData('t', new Uint8Array(bytes)).value).toEqual(bytes);
  });
});

describe('connect-runtime 104: StringConverter', () => {
  const text = (of: Parameters<Converter['fromConnectData']>[1], value: unknown): string =>
    Buffer.from(create('StringConverter').fromConnectData('t', of, value) as Uint8Array).toString();

  test('text forms', () => {
    const inner = structSchema([['x', schema('INT32')]]);
    const outer = structSchema([
      ['a', schema('INT32')],
      ['none', schema('STRING', { optional: true })],
      ['in', inner],
    ]);
    expect(text(outer, { a: 1, none: null, in: { x: 1 } })).toBe('Struct{a=1,in=Struct{x=1}}');
    expect(text(mapSchema(schema('STRING'), schema('FLOAT64')), new Map([['a', 1]]))).toBe('{a=1.0}');
    expect(text(null, { a: 1, b: 'x' })).toBe('{a=1, b=x}');
    expect(text(null, [1, null])).toBe('[1, null]');
    expect(text(arraySchema(schema('FLOAT32')), [0.1])).toBe('[0.1]');
    expect(text(schema('INT64'), 9223372036854775807n)).toBe('9223372036854775807');
    expect(text(decimalSchema(2), { unscaled: 1200n, scale: 2 })).toBe('12.00');
    expect(text(timestampSchema(), new Date(1700000000123))).toBe('Tue Nov 14 22:13:20 UTC 2023');
    expect(text(schema('BOOLEAN'), false)).toBe('false');
    expect(text(null, '')).toBe('');
  });

  test('null both ways', () => {
    const converter = create('StringConverter');
    expect(converter.fromConnectData('t', schema('STRING'), null)).toBeNull();
    expect(converter.toConnectData('t', null)).toEqual({ schema: schema('STRING', { optional: true }), value: null });
  });

  test.each([
    ['UTF-8', 'é😀', 'c3a9f09f9880'],
    ['utf8', 'é', 'c3a9'],
    ['ISO-8859-1', 'é', 'e9'],
    ['UTF-16', 'é', 'feff00e9'],
    ['UTF-16LE', 'é', 'e900'],
    ['UTF-16BE', 'é', '00e9'],
    ['US-ASCII', 'e', '65'],
  ])('converter.encoding=%s', (encoding, value, hex) => {
    const converter = create('StringConverter', { 'converter.encoding': encoding });
    const bytes = converter.fromConnectData('t', null, value) as Uint8Array;
    expect(Buffer.from(bytes).toString('hex')).toBe(hex);
    expect(converter.toConnectData('t', bytes).value).toBe(value);
  });

  test('connect-runtime 104: bytes outside the charset become U+FFFD, as in Java', () => {
    expect(create('StringConverter').toConnectData('t', Buffer.from('aéb', 'latin1')).value).toBe('a\ufffdb');
    for (const [encoding, hex] of [
      ['UTF-16', '0031ff'],
      ['UTF-16BE', '0031d800'],
      ['UTF-16LE', '3100ff'],
    ] as const) {
      const converter = create('StringConverter', { 'converter.encoding': encoding });
      expect(converter.toConnectData('t', Buffer.from(hex, 'hex')).value).toBe('1\ufffd');
    }
    const ascii = create('StringConverter', { 'converter.encoding': 'US-ASCII' });
    expect(ascii.toConnectData('t', Buffer.from('aéb', 'latin1')).value).toBe('a\ufffdb');
  });

  test('characters outside the charset become "?", an unknown charset is a config error', () => {
    const latin = create('StringConverter', { 'converter.encoding': 'ISO-8859-1' });
    expect(Buffer.from(latin.fromConnectData('t', null, 'a😀') as Uint8Array).toString('latin1')).toBe('a?');
    expect(code(() => create('StringConverter', { 'converter.encoding': 'EBCDIC' }))).toBe(
      'org.apache.kafka.common.config.ConfigException',
    );
  });
});

test('the built-in list: Java names, also for headers, keys of the JSON converter', () => {
  const names = builtInConverters.map(({ className, plugin }) => `${plugin.type} ${className}`);
  expect(names).toContain('converter org.apache.kafka.connect.json.JsonConverter');
  expect(names).toContain('header_converter org.apache.kafka.connect.json.JsonConverter');
  expect(names).toContain('header_converter org.apache.kafka.connect.storage.SimpleHeaderConverter');
  expect(names).not.toContain('converter org.apache.kafka.connect.storage.SimpleHeaderConverter');
  expect(new Set(names).size).toBe(19);
  const json = builtInConverters.find(({ className }) => className.endsWith('JsonConverter'));
  const keys = json?.plugin.config.map((key) => key.name).sort();
  expect(keys).toEqual([
    'converter.type',
    'decimal.format',
    'replace.null.with.default',
    'schema.content',
    'schemas.cache.size',
    'schemas.enable',
  ]);
});

test('converters convert headers through the adapter', () => {
  const found = builtInConverters.find(
    ({ className, plugin }) => plugin.type === 'header_converter' && className.endsWith('StringConverter'),
  );
  if (found?.plugin.type !== 'header_converter') throw new Error('missing');
  const headers = found.plugin.create();
  headers.configure({});
  const bytes = headers.fromConnectHeader('t', 'k', null, 'v');
  expect(headers.toConnectHeader('t', 'k', bytes).value).toBe('v');
});
