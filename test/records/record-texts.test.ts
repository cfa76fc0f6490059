import { ConnectError, type Converter, ConverterNotReady, DataError, type HeaderConverter } from '@millrace/sdk';
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

test('a record is shown as its converters read it, as JSON', async () => {
  const [read] = await recordTexts(converters(new JsonConverter()), [
    record({ key: 'k', value: '{ "a" : [1, null] }' }, [['h', '12']]),
  ]);
  expect(read).toEqual({
    key: { text: '"k"', error: null },
    value: { text: '{"a":[1,null]}', error: null },
    headers: [{ name: 'h', text: '12', error: null }],
    moreHeaders: 0,
  });
});

test('a part that its converter cannot read has the error and the beginning of the bytes; the others are read', async () => {
  const [read, next] = await recordTexts(converters(new JsonConverter()), [
    record({ key: 'k', value: 'not json' }),
    record({ value: '1' }),
  ]);
  expect(read?.key).toEqual({ text: '"k"', error: null });
  expect(read?.value).toEqual({ text: 'not json', error: expect.stringMatching(/\w/) });
  expect(next).toMatchObject({ key: { text: null, error: null }, value: { text: '1', error: null } });
});

test('bytes that are no text are shown as escapes', async () => {
  const value = Buffer.from([0x61, 0xff]);
  const [read] = await recordTexts(converters(new JsonConverter()), [{ ...record({}), value }]);
  expect(read?.value.text).toBe('a\\xff');
});

test('texts, errors and headers are bounded', async () => {
  const failing = Object.assign(new JsonConverter(), {
    toConnectData: () => {
      throw new ConnectError('e'.repeat(5_000));
    },
  });
  const long = 'ä'.repeat(20_000);
  const headers = Array.from({ length: 60 }, (_, n): [string, string] => [`h${n}`, 'x'.repeat(5_000)]);
  const [read] = await recordTexts(converters(failing), [record({ key: long, value: long }, headers)]);
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

test('a converter that is not ready is waited for; what it then says of the record is shown', async () => {
  const waits = (answer: () => Promise<void>): Converter => {
    const converter = new JsonConverter();
    let isReady = false;
    const read = converter.toConnectData.bind(converter);
    return Object.assign(converter, {
      toConnectData: (topic: string, bytes: Uint8Array | null) => {
        if (isReady) return read(topic, bytes);
        throw new ConverterNotReady(answer().then(() => (isReady = true)));
      },
    });
  };
  const [ready] = await recordTexts(converters(waits(async () => undefined)), [record({ value: '1' })]);
  expect(ready?.value).toEqual({ text: '1', error: null });
  const unknown = async (): Promise<void> => Promise.reject(new DataError('The registry does not know the id.'));
  const [refused] = await recordTexts(converters(waits(unknown)), [record({ key: 'k', value: '1' })]);
  expect(refused?.value).toEqual({ text: '1', error: 'The registry does not know the id.' });
  expect(refused?.key.text).toBe('"k"');
});

test('records do not wait longer for their converters than all together may', async () => {
  jest.useFakeTimers();
  try {
    const never: Converter = Object.assign(new JsonConverter(), {
      toConnectData: () => {
        throw new ConverterNotReady(new Promise(() => undefined));
      },
    });
    const reading = recordTexts(converters(never), [record({ value: '1' }), record({ value: '2' })]);
    await jest.advanceTimersByTimeAsync(7_001);
    const error = 'Not converted: the converter was not ready within 7 s.';
    expect((await reading).map(({ value }) => value)).toEqual([
      { text: '1', error },
      { text: '2', error },
    ]);
  } finally {
    jest.useRealTimers();
  }
});
