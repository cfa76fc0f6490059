import { ConnectError, type Converter, type HeaderConverter } from '@millrace/sdk';
import { StringConverter } from '../../src/converters/string-converter';
import { JsonConverter } from '../../src/converters/json/json-converter';
import { SimpleHeaderConverter } from '../../src/converters/simple-header-converter';
import { bytesTexts, isConvertible, recordTexts, type RecordBytes } from '../../src/records/record-texts';

function converters(value: Converter) {
  const key = new StringConverter();
  const header: HeaderConverter = new SimpleHeaderConverter();
  key.configure({});
  value.configure({ 'schemas.enable': 'false' }, false);
  header.configure({});
  return { key: { converter: key }, value: { converter: value }, header: { converter: header } };
}
const record = (
  part: Partial<Record<'key' | 'value', string | null>>,
  headers: [string, string][] = [],
): RecordBytes => {
  const bytes = (text: string | null = null): Buffer | null => (text === null ? null : Buffer.from(text));
  return {
    topic: 't',
    key: bytes(part.key),
    value: bytes(part.value),
    headers: headers.map(([key, text]) => ({ key, value: Buffer.from(text) })),
  };
};

test('a record is shown as its converters read it, as JSON', () => {
  const [read] = recordTexts(converters(new JsonConverter()), [
    record({ key: 'k', value: '{ "a" : [1, null] }' }, [['h', '12']]),
  ]);
  expect(read).toEqual({
    key: { text: '"k"', error: null },
    value: { text: '{"a":[1,null]}', error: null },
    headers: [{ name: 'h', text: '12', error: null }],
    moreHeaders: 0,
  });
});

test('a part that its converter cannot read has the error and the beginning of the bytes; the others are read', () => {
  const [read, next] = recordTexts(converters(new JsonConverter()), [
    record({ key: 'k', value: 'not json' }),
    record({ value: '1' }),
  ]);
  expect(read?.key).toEqual({ text: '"k"', error: null });
  expect(read?.value).toEqual({ text: 'not json', error: expect.stringMatching(/\w/) });
  expect(next).toMatchObject({ key: { text: null, error: null }, value: { text: '1', error: null } });
});

test('bytes that are no text are shown as escapes', () => {
  const value = Buffer.from([0x61, 0xff]);
  expect(recordTexts(converters(new JsonConverter()), [{ ...record({}), value }])[0]?.value.text).toBe('a\\xff');
});

test('texts, errors and headers are bounded', () => {
  const failing = Object.assign(new JsonConverter(), {
    toConnectData: () => {
      throw new ConnectError('e'.repeat(5_000));
    },
  });
  const long = 'ä'.repeat(20_000);
  const headers = Array.from({ length: 60 }, (_, n): [string, string] => [`h${n}`, 'x'.repeat(5_000)]);
  const [read] = recordTexts(converters(failing), [record({ key: long, value: long }, headers)]);
  expect(read?.key.text?.length).toBeLessThan(8_300);
  expect(read?.key.text).toMatch(/^"ä+… \(11,810 more characters\)$/);
  expect(read?.value.text).toMatch(/more bytes\)$/);
  expect(read?.value.error?.length).toBeLessThan(1_100);
  expect(read?.headers).toHaveLength(50);
  expect(read?.moreHeaders).toBe(10);
  expect(Math.max(...(read?.headers ?? []).map(({ text }) => text?.length ?? 0))).toBeLessThan(1_100);
});

test('a large record is not converted', () => {
  const large = record({ key: 'k', value: 'x'.repeat(256 * 1024) });
  expect(isConvertible(large)).toBe(false);
  expect(isConvertible(record({ value: 'x'.repeat(256 * 1024) }))).toBe(true);
  const refused = { error: 'Not converted: the record is larger than 256 KiB.' };
  expect(bytesTexts(large)).toMatchObject({ key: { text: 'k', ...refused }, value: refused });
});
