/** Values and messages whose text form V8 cannot hold. The limit is lowered, because such values have 256 MB. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PluginDecoding, RECORDED } from './plugin-decoding';

const BYTES = 300_000;
const { decoderbufs } = JSON.parse(
  readFileSync(join(__dirname, '..', '..', '..', 'golden', 'postgres', 'output-plugins.json'), 'utf8'),
) as { readonly decoderbufs: readonly string[] };

type Slice = (this: Buffer, start: number, end: number) => string;
const prototype = Buffer.prototype as unknown as Record<'hexSlice' | 'latin1Slice' | 'base64Slice', Slice>;

/** As V8 does beyond 536,870,888 characters. */
function limitTexts(): void {
  for (const name of ['hexSlice', 'latin1Slice', 'base64Slice'] as const) {
    const slice = prototype[name];
    jest.spyOn(prototype, name).mockImplementation(function (this: Buffer, start, end) {
      if (end - start < BYTES) return slice.call(this, start, end);
      const message = 'Cannot create a string longer than 0x1fffffe8 characters';
      throw Object.assign(new Error(message), { code: 'ERR_STRING_TOO_LONG' });
    });
  }
}
afterEach(() => jest.restoreAllMocks());

const columns = [...RECORDED.slice(0, 1), ...RECORDED.slice(4, 5)];
const json = [
  '{"xid":1,"timestamp":"2026-01-01 00:00:00+00","change":[',
  `{"kind":"insert","schema":"s","table":"t","columnnames":["id","b"],"columntypes":["integer","bytea"],"columnvalues":[1,"${'00'.repeat(BYTES)}"]}`,
  ']}',
];

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left >>>= 7) bytes.push((left & 127) | 128);
  return Buffer.from([...bytes, left]);
};
const field = (number: number, content: Buffer | string): Buffer =>
  Buffer.concat([Buffer.from([number * 8 + 2]), varint(Buffer.byteLength(content)), Buffer.from(content as string)]);
const integer = (number: number, value: number): Buffer => Buffer.concat([Buffer.from([number * 8]), varint(value)]);
const datum = (name: string, oid: number, value: Buffer): Buffer =>
  field(5, Buffer.concat([field(1, name), integer(2, oid), value]));
const typeInfo = (type: string): Buffer => field(7, Buffer.concat([field(1, type), integer(2, 0)]));
const protobuf = [
  Buffer.from(decoderbufs[0] as string, 'hex'),
  Buffer.concat([
    ...[integer(1, 1), integer(2, 1), field(3, 's.t'), integer(4, 0)],
    ...[datum('id', 23, integer(3, 1)), datum('b', 17, field(9, Buffer.alloc(BYTES)))],
    ...[typeInfo('integer'), typeInfo('bytea')],
  ]),
];

describe.each([
  ['wal2json_streaming', json],
  ['decoderbufs', protobuf],
] as const)('cdc-postgres 56: a bytea that is too long, of %s', (plugin, messages) => {
  const feed = async (settings: Record<string, string> = {}) => {
    const decoding = new PluginDecoding(plugin, { columns, settings });
    limitTexts();
    const records = await decoding.feed(messages);
    return { after: (records[0]?.value as { after: unknown }).after, log: decoding.log };
  };

  test('is an error that says where it is and what to do', async () => {
    await expect(feed()).rejects.toMatchObject({
      code: 'PG_DECODE',
      message: expect.stringMatching(
        /^Column "b" of table .*t.* holds a value that cannot be emitted: its text form, made from \d+ bytes, has more than 536870888 characters\. Leave the column out with column\.exclude\.list, or set event\.converting\.failure\.handling\.mode=warn/,
      ),
      place: { table: expect.any(String), column: 'b', lsn: '0/65' },
    });
  });

  test('is null if the settings say so', async () => {
    const { after, log } = await feed({ 'event.converting.failure.handling.mode': 'warn' });
    expect(after).toEqual({ id: 1, b: null });
    expect(log.join()).toContain('Such values are published as null.');
  });

  test('is not read if its column is left out', async () => {
    const { after } = await feed({ 'column.exclude.list': '.*\\.b' });
    expect(after).toEqual({ id: 1 });
  });
});

const logical = (isTransactional: boolean): Buffer => {
  const head = Buffer.alloc(10);
  head.write('M');
  head[1] = isTransactional ? 1 : 0;
  const length = Buffer.alloc(4);
  length.writeUInt32BE(BYTES);
  return Buffer.concat([head, Buffer.from('p\0'), length, Buffer.alloc(BYTES)]);
};
const begin = Buffer.alloc(21);
begin.write('B');
begin.writeBigUInt64BE(1000n, 1);

test.each([
  [true, 'hex'],
  [false, 'hex'],
  [true, 'base64'],
])('cdc-postgres R9: a logical message that is too long is an error; transactional: %s, %s', async (inside, mode) => {
  const decoding = new PluginDecoding('pgoutput', { settings: { 'binary.handling.mode': mode } });
  if (inside) await decoding.feed([begin]);
  const before = decoding.decoder.lastOffset;
  limitTexts();
  await expect(decoding.feed([logical(inside)])).rejects.toMatchObject({
    code: 'PG_DECODE',
    message: expect.stringContaining(`has ${BYTES} bytes, whose text form has more than 536870888 characters with`),
    place: { lsn: '0/64' },
  });
  // A heartbeat after it must not cover it.
  expect(decoding.decoder.lastOffset).toEqual(before);
});
