import {
  api,
  APIS,
  withVersions,
  decode,
  encode,
  MalformedMessage,
  Reader,
  Writer,
  type Api,
  type Field,
} from '@millrace/kafka-protocol';

const SAMPLES: Record<string, unknown> = {
  bool: true,
  int8: -3,
  int16: -300,
  int32: -70_000,
  int64: 2 ** 40 + 5,
  uuid: '00112233445566778899aabbccddeeff',
  string: 'grün',
  'string?': null,
  bytes: Buffer.from([1, 2, 3]),
  'bytes?': null,
  records: Buffer.alloc(5_000, 7),
};

/** A message with two elements in every list. */
function sample(fields: readonly Field[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.map(([name, type]) => {
      if (typeof type !== 'string') return [name, [sample(type), sample(type)]];
      return [name, type.startsWith('[]') ? [SAMPLES[type.slice(2)], SAMPLES[type.slice(2)]] : SAMPLES[type]];
    }),
  );
}

const bytesOf = (it: Api, direction: 'request' | 'response', version: number, message: object): Buffer => {
  const to = new Writer();
  encode(it, direction, version, message, to);
  const bytes = Buffer.concat(to.finish());
  expect(to.byteLength).toBe(bytes.length);
  return bytes;
};
const all = [...APIS.values()].flatMap((it) => {
  const [from, to] = it.versions;
  return Array.from({ length: to - from + 1 }, (_, i) => [it.name, from + i, it] as const);
});

test.each(all)('kafka-client 4: %s version %i is read as it was written', (_, version, it) => {
  for (const direction of ['request', 'response'] as const) {
    const bytes = bytesOf(it, direction, version, sample(it[direction]));
    const message = decode(it, direction, version, new Reader(bytes));
    expect(bytesOf(it, direction, version, message).equals(bytes)).toBe(true);
    expect(Object.keys(message)).toEqual(it[direction].map(([name]) => name));
  }
});

test.each(all)('%s version %i that ends early anywhere is refused, not guessed', (_, version, it) => {
  const message = sample(it.request);
  const bytes = bytesOf(it, 'request', version, message);
  for (let length = 0; length < Math.min(bytes.length, 200); length++) {
    expect(() => decode(it, 'request', version, new Reader(bytes.subarray(0, length)))).toThrow(MalformedMessage);
  }
});

test.each(all)(
  '%s version %i with stray bytes after its end is read without them, as by Apache Kafka',
  (_, version, it) => {
    const bytes = bytesOf(it, 'request', version, sample(it.request));
    const strayed = Buffer.concat([bytes, Buffer.from([0xff, 0x01, 0x00, 0xff, 0xff])]);
    const message = decode(it, 'request', version, new Reader(strayed));
    expect(message).toEqual(decode(it, 'request', version, new Reader(bytes)));
  },
);

const SMALL = api({
  key: 999,
  name: 'Small',
  versions: [0, 2],
  flexible: 2,
  request: [
    ['names', '[]string'],
    ['added', 'int32', '1+', { default: -1 }],
    ['removed', 'string?', '0-1'],
  ],
  response: [['errorCode', 'int16']],
});

test('a field that a version lacks has its default', () => {
  const bytes = bytesOf(SMALL, 'request', 0, { names: ['a'], removed: 'x' });
  expect(decode(SMALL, 'request', 0, new Reader(bytes))).toEqual({ names: ['a'], added: -1, removed: 'x' });
  const newer = bytesOf(SMALL, 'request', 2, { names: [], added: 7 });
  expect(decode(SMALL, 'request', 2, new Reader(newer))).toEqual({ names: [], added: 7, removed: null });
});

test('unknown tagged fields of flexible versions are skipped', () => {
  const bytes = Buffer.from([1, 0, 0, 0, 9, 2, 5, 3, 1, 2, 3, 200, 1, 1, 42]);
  expect(decode(SMALL, 'request', 2, new Reader(bytes))).toMatchObject({ names: [], added: 9 });
});

const TAGGED = api({
  key: 998,
  name: 'Tagged',
  versions: [0, 1],
  flexible: 1,
  request: [
    ['name', 'string'],
    ['level', 'int32', '1+', { tag: 1, default: -1 }],
    ['ids', [['id', 'int16']], '1+', { tag: 3 }],
  ],
  response: [],
});

test('tagged fields are written if they are not their defaults, and read in any order between unknown ones', () => {
  const full = { name: 'n', level: 7, ids: [{ id: 5 }] };
  const bytes = bytesOf(TAGGED, 'request', 1, full);
  expect(bytes.toString('hex')).toBe('026e' + '02' + '010400000007' + '0304' + '02000500' + '');
  expect(decode(TAGGED, 'request', 1, new Reader(bytes))).toEqual(full);
  const others = Buffer.from('026e' + '03' + '0304' + '02000500' + '090101' + '010400000007', 'hex');
  expect(decode(TAGGED, 'request', 1, new Reader(others))).toEqual(full);
  expect(bytesOf(TAGGED, 'request', 1, { name: 'n', level: -1, ids: [] }).toString('hex')).toBe('026e00');
  expect(bytesOf(TAGGED, 'request', 0, full).toString('hex')).toBe('00016e');
  expect(decode(TAGGED, 'request', 0, new Reader(Buffer.from('00016e', 'hex')))).toEqual({
    ...{ name: 'n', level: -1, ids: [] },
  });
});

test('one side supports a part of the declared versions', () => {
  expect(withVersions(SMALL, 1, 2)).toEqual({ ...SMALL, versions: [1, 2] });
  expect(() => withVersions(SMALL, 0, 3)).toThrow('Small is declared for versions 0 to 2');
});

test.each([
  ['a list longer than the message', Buffer.from([0x7f, 0xff, 0xff, 0xff])],
  ['a negative length', Buffer.from([0xff, 0xff, 0xff, 0xfe])],
  ['null for a non-nullable array', Buffer.from([0xff, 0xff, 0xff, 0xff])],
])('a message with %s is refused', (_, bytes) => {
  expect(() => decode(SMALL, 'request', 0, new Reader(bytes))).toThrow(MalformedMessage);
});

test('a value that does not fit its field is named', () => {
  expect(() => bytesOf(SMALL, 'request', 0, { names: null })).toThrow(/^names: null for a non-nullable array/);
});
