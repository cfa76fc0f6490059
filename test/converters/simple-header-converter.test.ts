import { arraySchema, mapSchema, schema, structSchema, type Schema } from '@millrace/sdk';
import { SimpleHeaderConverter } from '../../src/converters/simple-header-converter';

const converter = new SimpleHeaderConverter();
const write = (of: Schema | null, value: unknown): string | null => {
  const bytes = converter.fromConnectHeader('t', 'h', of, value);
  return bytes && Buffer.from(bytes).toString();
};
const read = (text: string): { schema: Schema | null; value: unknown } =>
  converter.toConnectHeader('t', 'h', Buffer.from(text));

describe('connect-runtime 103: header values to text', () => {
  test.each<[Schema | null, unknown, string]>([
    [schema('FLOAT64'), 1, '1.0'],
    [schema('FLOAT64'), 1e10, '1.0E10'],
    [schema('INT32'), 5, '5'],
    [null, true, 'true'],
    [schema('STRING'), 'a"b', 'a"b'],
    [null, { unscaled: 1n, scale: -3 }, '1E+3'],
    [schema('BYTES'), Buffer.from('hi'), 'aGk='],
    [null, [1, 'a"b', null, true], '[1,"a\\"b",null,true]'],
    [null, [Buffer.from('hi')], '["aGk="]'],
    [mapSchema(schema('STRING'), arraySchema(schema('FLOAT64'))), new Map([['k', [1.5]]]), '{"k":[1.5]}'],
    [mapSchema(schema('INT32'), schema('STRING')), new Map([[1, 'x']]), '{1:"x"}'],
    [structSchema([['a', schema('STRING', { optional: true })]]), { a: null }, '{"a":null}'],
    [null, new Date(3_600_000), '01:00:00.000Z'],
    [null, new Date(-1), '23:59:59.999Z'],
    [null, new Date(86_400_000), '1970-01-02'],
    [null, new Date(1700000000123), '2023-11-14T22:13:20.123Z'],
    [null, [new Date(86_400_000)], '[1970-01-02]'],
  ])('%p %p → %s', (of, value, text) => {
    expect(write(of, value)).toBe(text);
  });

  test('null stays null', () => {
    expect(write(null, null)).toBeNull();
    expect(converter.toConnectHeader('t', 'h', null)).toEqual({ schema: null, value: null });
  });
});

describe('connect-runtime 103: header text to values', () => {
  test.each<[string, string, unknown]>([
    ['127', 'INT8', 127],
    ['128', 'INT16', 128],
    ['32768', 'INT32', 32768],
    ['2147483648', 'INT64', 2147483648],
    ['9223372036854775807', 'INT64', 9223372036854775807n],
    ['1.5', 'FLOAT32', 1.5],
    ['1.0', 'INT8', 1],
    ['1.0e2', 'INT8', 100],
    ['1e10', 'INT64', 1e10],
    ['-1.5e3', 'INT16', -1500],
    ['+7', 'INT8', 7],
    ['00012', 'INT8', 12],
    ['99999999999999999999.5', 'FLOAT32', Math.fround(1e20)],
    ['1e300', 'FLOAT64', 1e300],
    ['true', 'BOOLEAN', true],
    [' false ', 'BOOLEAN', false],
    ['true}', 'STRING', 'true}'],
    ['True', 'STRING', 'True'],
    ['192.168.0.1', 'STRING', '192.168.0.1'],
    ['12abc', 'STRING', '12abc'],
    ['5 6', 'STRING', '5 6'],
    ['0x10', 'STRING', '0x10'],
    ['NaN', 'STRING', 'NaN'],
    ['', 'STRING', ''],
    ['"abc"', 'STRING', '"abc"'],
    ['{a:1}', 'STRING', '{a:1}'],
    ['[1,,2]', 'STRING', '[1,,2]'],
    ['[1', 'STRING', '[1'],
    ['["a\\"b"]', 'ARRAY', ['a\\"b']],
    ['hello', 'STRING', 'hello'],
    ['[1, 2.5]', 'ARRAY', [1, 2.5]],
    ['[1,]', 'ARRAY', [1]],
    ['[]', 'ARRAY', []],
  ])('%p is %s', (text, type, value) => {
    const found = read(text);
    expect(found.schema?.type).toBe(type);
    expect(found.value).toEqual(value);
  });

  test.each([
    ...['1::2', '1:2', '1,000', '10:30', '5]', '1}', '1"', '1 : 2', '1.5:2', '1e5,', '12:', '7{}'],
    ...['[1] x', '[1]]', '[]x', '[1],[2]', '{"a":1}z', '{}}', '{"a":1},{"b":2}'],
    ...['2020-01-01x', '2020-01-01:', '10:30:00.000Z:', '2020-01-01T00:00:00.000Z,1'],
  ])('text that continues after a value is a string, so that nothing of it is lost: %s', (text) => {
    const found = read(text);
    expect([found.schema?.type, found.schema?.name, found.value]).toEqual(['STRING', null, text]);
    expect(write(found.schema, found.value)).toBe(text);
  });

  test.each([' 1 ', '[1] ', ' {"a":1} ', ' 2020-01-01\t'])('blanks around a value are not text: %j', (text) => {
    expect(read(text).schema?.type).not.toBe('STRING');
  });

  test('null has no schema', () => {
    expect(read('null')).toEqual({ schema: null, value: null });
  });

  test('beyond int64 and beyond float64: Decimal', () => {
    expect(read('9223372036854775808')).toMatchObject({
      schema: { name: 'org.apache.kafka.connect.data.Decimal', parameters: { scale: '0' } },
      value: { unscaled: 9223372036854775808n, scale: 0 },
    });
    expect(read('1e400').value).toEqual({ unscaled: 1n, scale: -400 });
    expect(read('1e-400000000').schema?.type).toBe('FLOAT32');
  });

  test('element schemas: widened, or absent', () => {
    expect(read('[1, 2.5]').schema?.valueSchema?.type).toBe('FLOAT32');
    expect(read('[1,"a"]').schema?.valueSchema).toBeNull();
    expect(read('[[1],["a"]]').schema?.valueSchema?.valueSchema?.type).toBe('STRING');
    expect(read('{1:2,300:4}')).toMatchObject({
      schema: { keySchema: { type: 'INT16' }, valueSchema: { type: 'INT8' } },
      value: new Map([
        [1, 2],
        [300, 4],
      ]),
    });
    expect(read('{}').schema).toMatchObject({ type: 'MAP', keySchema: null, valueSchema: null });
    expect(read('{"a":1,"b":"x"}').schema).toMatchObject({ keySchema: { type: 'STRING' }, valueSchema: null });
  });

  test('times, dates and timestamps', () => {
    expect(read('2019-08-23').value).toEqual(new Date('2019-08-23T00:00:00Z'));
    expect(read('2019-08-23').schema?.name).toBe('org.apache.kafka.connect.data.Date');
    expect(read('2019-13-45').value).toEqual(new Date('2020-02-14T00:00:00Z'));
    expect(read('10:30:00.000Z').schema?.name).toBe('org.apache.kafka.connect.data.Time');
    expect(read('2019-08-23T14:34:54.346Z').value).toEqual(new Date('2019-08-23T14:34:54.346Z'));
    expect(read('["2019-08-23"]').schema?.valueSchema?.name).toBe('org.apache.kafka.connect.data.Date');
  });

  test('written values are read back', () => {
    const value = new Map<string, unknown>([['k', ['a', 'b, c: {d}']]]);
    expect(read(write(null, value) as string).value).toEqual(value);
  });
});
