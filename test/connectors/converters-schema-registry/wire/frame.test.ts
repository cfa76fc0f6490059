/** Ids of schemas before the data and in headers. Bytes as Confluent's clients write them. */
import type { RawHeader } from '@millrace/sdk';
import { FrameReader } from '../../../../connectors/converters-schema-registry/src/wire/frame';

const GUID = 'cc0e0e0e-53c1-4a1a-8f1a-0000000000ff';
const GUID_BYTES = Buffer.from(GUID.replaceAll('-', ''), 'hex');
const headerOf = (value: Uint8Array | null, key = '__value_schema_id'): RawHeader => ({ key, value });
const read = (bytes: readonly number[], headers: readonly RawHeader[] = [], isKey = false) => {
  const frame = new FrameReader(isKey);
  const key = frame.read(Buffer.from(bytes), headers);
  return { key, at: frame.at, indexes: frame.indexes && [...frame.indexes] };
};

test('a zero, four bytes of the id, then the data', () => {
  expect(read([0, 0, 0, 1, 2, 9])).toEqual({ key: 258, at: 5, indexes: null });
  expect(read([0, 0x7f, 0xff, 0xff, 0xff])).toEqual({ key: 2 ** 31 - 1, at: 5, indexes: null });
});

test('a one, 16 bytes of a UUID, then the data', () => {
  expect(read([1, ...GUID_BYTES, 9])).toEqual({ key: GUID, at: 17, indexes: null });
});

test('the id in a header: the value is data alone, which may begin with any byte', () => {
  const inHeader = headerOf(Buffer.concat([Buffer.of(1), GUID_BYTES]));
  expect(read([0, 0, 0, 0, 1], [inHeader])).toEqual({ key: GUID, at: 0, indexes: [] });
  expect(read([], [headerOf(Buffer.of(0, 0, 0, 0, 4))])).toEqual({ key: 4, at: 0, indexes: [] });
});

test('message indexes of Protobuf follow the id in the header', () => {
  const inHeader = headerOf(Buffer.concat([Buffer.of(1), GUID_BYTES, Buffer.of(4, 2, 0)]));
  expect(read([8, 1], [inHeader])).toEqual({ key: GUID, at: 0, indexes: [4, 2, 0] });
});

test('keys and values have headers of their own', () => {
  const ofKey = headerOf(Buffer.of(0, 0, 0, 0, 4), '__key_schema_id');
  expect(read([0, 0, 0, 0, 7], [ofKey])).toMatchObject({ key: 7, at: 5 });
  expect(read([9], [ofKey], true)).toMatchObject({ key: 4, at: 0 });
});

test('the last header counts, and null is as none', () => {
  const [bad, good] = [headerOf(Buffer.of(9)), headerOf(Buffer.of(0, 0, 0, 0, 4))];
  expect(read([], [bad, good])).toMatchObject({ key: 4 });
  expect(read([0, 0, 0, 0, 7], [good, headerOf(null)])).toMatchObject({ key: 7, at: 5 });
  expect(() => read([0, 0, 0, 0, 7], [good, bad])).toThrow('The header __value_schema_id of the record holds no id');
});

test('records in turns with UUIDs and numbers, from buffers that are used again', () => {
  const frame = new FrameReader(false);
  const bytes = Buffer.concat([Buffer.of(1), GUID_BYTES]);
  expect(frame.read(bytes, [])).toBe(GUID);
  expect(frame.read(bytes, [])).toBe(GUID);
  bytes[16] = 0xfe;
  expect(frame.read(bytes, [])).toBe(GUID.replace(/ff$/, 'fe'));
  expect(frame.read(Buffer.of(0, 0, 0, 0, 3), [headerOf(bytes)])).toBe(GUID.replace(/ff$/, 'fe'));
  expect(frame.read(Buffer.of(0, 0, 0, 0, 3), [])).toBe(3);
  expect([frame.at, frame.indexes]).toEqual([5, null]);
  expect(frame.read(new Uint8Array(17).fill(0, 1).fill(1, 0, 1), [])).toBe('00000000-0000-0000-0000-000000000000');
});

test('the UUID of zeros is one, also as the first', () => {
  expect(read([1, ...new Uint8Array(16)])).toMatchObject({ key: '00000000-0000-0000-0000-000000000000' });
});

test.each<[string, readonly number[], string]>([
  ['nothing', [], 'It is empty.'],
  ['an object in JSON', [...Buffer.from('{"a":1}')], 'It looks like JSON: use org.apache.kafka'],
  ['an array in JSON', [...Buffer.from('[1,2,3]')], 'It looks like JSON'],
  ['another magic byte', [2, 0, 0, 0, 1, 0], 'Check which converter its producer uses.'],
  ['too few bytes of an id', [0, 0, 0, 1], 'Check which converter'],
  ['a negative id', [0, 0xff, 0xff, 0xff, 0xff, 0], 'Check which converter'],
  ['too few bytes of a UUID', [1, 2, 3, 4, 5, 6, 7, 8], 'Check which converter'],
])('%s is not of the wire format', (_, bytes, hint) => {
  let error: unknown;
  try {
    read(bytes);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code: 'REGISTRY_FORMAT', retriable: false, message: expect.stringContaining(hint) });
});
