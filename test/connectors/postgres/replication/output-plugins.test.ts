/** Decoders of decoderbufs and wal2json, on messages recorded from Debian 12's packages. */
import type { SourceRecord } from '@millrace/sdk';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PluginDecoding, RECORDED } from './plugin-decoding';

interface Recorded {
  readonly whole: readonly string[];
  readonly chunks: readonly string[];
  readonly lines: readonly string[];
  readonly decoderbufs: readonly string[];
}
const recorded = JSON.parse(
  readFileSync(join(__dirname, '..', '..', '..', 'golden', 'postgres', 'output-plugins.json'), 'utf8'),
) as Recorded;
const BUFS = recorded.decoderbufs.map((hex) => Buffer.from(hex, 'hex'));

// eslint-disable-next-line @typescript-eslint/no-explicit-any
const rows = (records: readonly SourceRecord[]): any[] => records.map(({ value }) => value as any);

/** What the statements behind the recordings give, with `n` of the second row as the plugin sends it. */
const expected = (nan: unknown) => {
  const first = {
    ...{ id: 1, e: 'a', n: { unscaled: 150n, scale: 2 }, t: 'x"\\\n\u0001é', b: Buffer.from([1, 2, 255]), f4: 0.1 },
    ...{ f8: -1e300, i8: -9223372036854775808n, bo: true, m: { unscaled: -1234n, scale: 2 }, d: 2146033979 },
    ...{ ti: 86400000000, tz: '23:00:00Z', ts: -9223372036854775808n, tt: '1900-01-01T00:00:00.500000Z' },
    p: expect.objectContaining({ x: 1, y: -2.5 }),
  };
  const nothing = Object.fromEntries(Object.keys(first).map((name) => [name, null]));
  return [
    { op: 'c', before: null, after: first },
    { op: 'c', before: null, after: { ...nothing, id: 2, n: nan } },
    { op: 'd', before: { ...nothing, id: 1 }, after: null },
    { op: 'c', before: null, after: { ...first, id: 10 } },
    { op: 'd', before: { ...nothing, id: 2 }, after: null },
  ];
};

test.each([
  ['decoderbufs', BUFS],
  ['wal2json', recorded.whole],
  ['wal2json_streaming', recorded.chunks],
  ['wal2json', recorded.lines],
])('cdc-postgres 96 to 98: recorded messages of %s', async (plugin, messages) => {
  const decoding = new PluginDecoding(plugin, { settings: { 'tombstones.on.delete': 'false' } });
  const values = rows(await decoding.feed(messages));
  expect(values).toEqual(expected(null).map((row) => expect.objectContaining(row)));
  expect(new Set(values.map(({ source }) => source.txId)).size).toBe(1);
  expect(values[0].source.ts_us).toBeGreaterThan(1.7e15);
  expect(values[0].source).toMatchObject({ schema: 'S s', table: 't.1' });
  // The catalog is read once for the table, not for each row.
  expect(decoding.queries.filter((sql) => sql.includes('format_type'))).toHaveLength(1);
});

test('the offset after a transaction in one document is its end, which the message says', async () => {
  const decoding = new PluginDecoding('wal2json');
  await decoding.feed(recorded.whole);
  const [, high = '', low = ''] = /"nextlsn": "(\w+)\/(\w+)"/.exec(recorded.whole[0] as string) ?? [];
  expect(decoding.decoder.current).toMatchObject({ commit: parseInt(high, 16) * 2 ** 32 + parseInt(low, 16) });
});

test('cdc-postgres 90: a transaction in one document is decoded batch by batch', async () => {
  const columns = RECORDED.slice(0, 1);
  const change = (id: number): string =>
    `{"kind":"insert","schema":"s","table":"t","columnnames":["id"],"columntypes":["integer"],"columnvalues":[${id}]}`;
  const document = `{"xid":7,"timestamp":"2026-01-01 00:00:00+00","change":[${Array.from({ length: 5000 }, (_, i) => change(i)).join(',')}]}`;
  const decoding = new PluginDecoding('wal2json', { columns, settings: { 'max.batch.size': '100' } });
  const records = await decoding.feed([document]);
  expect(rows(records).map(({ after }) => after.id)).toEqual(Array.from({ length: 5000 }, (_, i) => i));
  expect(Math.max(...decoding.batches)).toBe(100);
  expect(records.at(-1)?.sourceOffset).toMatchObject({ txId: 7, tx_event_index: 5000 });
});

test('cdc-postgres 96: a chunk that arrives first after a reconnect is emitted, as of an unknown transaction', async () => {
  const decoding = new PluginDecoding('wal2json_streaming');
  const records = await decoding.feed(recorded.chunks.slice(2));
  expect(
    rows(records)
      .filter((value) => value !== null)
      .map(({ op }) => op),
  ).toEqual(['c', 'd', 'c', 'd']);
  expect(rows(records)[0].source.txId).toBe(-1);
  expect(decoding.decoder.current).toMatchObject({ messageType: 'COMMIT' });
  // The next transaction is complete again.
  expect(rows(await decoding.feed(recorded.chunks, 200))[0].source.txId).toBeGreaterThan(0);
});

test('cdc-postgres 96: empty transactions, and messages outside of transactions, also with a stray comma', async () => {
  const decoding = new PluginDecoding('wal2json');
  const message = '{"kind":"message","transactional":false,"prefix":"p","content":"x"}';
  const empty = '{"xid":5,"nextlsn":"0/80","timestamp":"2026-01-01 00:00:00+00","change":[\n]}';
  expect(await decoding.feed([empty, `{"change":[${message}]}`, `{"change":[,${message}]}`])).toEqual([]);
  expect(decoding.decoder.current).toMatchObject({ commit: 128, xid: 5 });
});

test('cdc-postgres 97: digits are kept, unchanged columns of an update are marked', async () => {
  const columns = [...RECORDED.slice(0, 1), { name: 'big', oid: 1700, type: 'numeric' }, ...RECORDED.slice(3, 5)];
  const number = '12345678901234567890123456789012345678.5';
  const change = (kind: string, names: string, types: string, values: string): string =>
    `{"kind":"${kind}","schema":"s","table":"t","columnnames":[${names}],"columntypes":[${types}],"columnvalues":[${values}]}`;
  const decoding = new PluginDecoding('wal2json_streaming', {
    columns,
    settings: { 'decimal.handling.mode': 'string' },
  });
  const values = rows(
    await decoding.feed([
      '{"xid":1,"timestamp":"2026-01-01 00:00:00+00","change":[',
      change('insert', '"id","big","t","b"', '"integer","numeric","text","bytea"', `1,${number},"x","00"`),
      `,${change('update', '"id","big"', '"integer","numeric"', `1,-${number}`)}`,
      ']}',
    ]),
  );
  expect(values[0].after).toEqual({ id: 1, big: number, t: 'x', b: Buffer.from([0]) });
  expect(values[1].after).toEqual({
    ...{ id: 1, big: `-${number}`, t: '__debezium_unavailable_value' },
    b: Buffer.from('__debezium_unavailable_value'),
  });
});

test.each([
  ['decoderbufs', BUFS],
  ['wal2json', recorded.whole.map((text) => Buffer.from(text))],
  ['wal2json', recorded.lines.map((text) => Buffer.from(text))],
] as const)('hostile input: every part and every altered byte of a message of %s', async (plugin, messages) => {
  const longest = messages.reduce((a, b) => (a.length > b.length ? a : b));
  const outcomes = new Set<string>();
  const attempt = async (message: Buffer): Promise<void> => {
    const decoding = new PluginDecoding(plugin);
    try {
      await decoding.feed([messages[0] as Buffer, message]);
      outcomes.add('decoded');
    } catch (error) {
      outcomes.add((error as { code?: string }).code ?? String(error));
    }
  };
  const step = Math.ceil(longest.length / 150);
  for (let length = 1; length < longest.length; length += step) await attempt(longest.subarray(0, length));
  for (let at = 0; at < longest.length; at += step) {
    const altered = Buffer.from(longest);
    altered[at] = 255 - (altered[at] as number);
    await attempt(altered);
  }
  // Values that cannot be emitted and bytes that are not UTF-8 have codes of their own.
  for (const code of ['decoded', 'PG_DECODE', 'PG_ENCODING']) outcomes.delete(code);
  expect([...outcomes]).toEqual(['PG_PROTOCOL']);
});

test('hostile input: the name of a type cannot end a change and begin another', async () => {
  // wal2json does not escape the name of the type `\"],"columnvalues":[…`.
  const name = String.raw`"\""],""columnvalues"":[2]},{""kind"":""insert"",""schema"":""s"",""table"":""accounts"""`;
  const change = `{"kind":"insert","schema":"s","table":"t","columnnames":["id"],"columntypes":[${name}],"columnvalues":[1]}`;
  const decoding = new PluginDecoding('wal2json', { columns: RECORDED.slice(0, 1) });
  const document = `{"xid":1,"timestamp":"2026-01-01 00:00:00+00","change":[${change}]}`;
  await expect(decoding.feed([document])).rejects.toMatchObject({ code: 'PG_PROTOCOL' });
});

test('hostile input: nesting has a limit', async () => {
  const decoding = new PluginDecoding('wal2json');
  const deep = `{"kind":"insert","schema":"s","table":"t","x":${'['.repeat(1e6)}`;
  await expect(decoding.feed([`{"xid":1,"change":[${deep}`])).rejects.toMatchObject({ code: 'PG_PROTOCOL' });
});

test('long strings with escapes in any place, and escapes that are cut off', async () => {
  const columns = [...RECORDED.slice(0, 1), ...RECORDED.slice(3, 4)];
  const insert = (text: string): string =>
    `{"xid":1,"change":[{"kind":"insert","schema":"s","table":"t","columnnames":["id","t"],"columntypes":["integer","text"],"columnvalues":[1,${text}]}]}`;
  const plain = 'é'.repeat(40);
  const texts = ['', '"', '\\', '\n', '\u0001', '\\"', '"\\'].flatMap((escape) => [
    `${plain}${escape}`,
    `${escape}${plain.repeat(3)}${escape}${escape}${plain}x`,
    `${'x'.repeat(47)}${escape}${plain}${escape}`,
    `${escape}${'x'.repeat(46)}${escape}${plain.repeat(100)}${escape}`,
  ]);
  const decoding = new PluginDecoding('wal2json', { columns });
  const records = await decoding.feed(texts.map((text) => insert(JSON.stringify(text))));
  expect(rows(records).map(({ after }) => after.t)).toEqual(texts);
  for (const cut of ['"x\\u12"', '"\\u12,34"', '"\\uzzzz"', `"${'x'.repeat(100)}\\"`, `"${'x'.repeat(100)}`])
    await expect(new PluginDecoding('wal2json', { columns }).feed([insert(cut)])).rejects.toMatchObject({
      code: 'PG_PROTOCOL',
    });
});
