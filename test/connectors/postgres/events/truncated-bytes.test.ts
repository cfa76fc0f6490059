/** `column.truncate.to.N.chars` of binary columns, in every plugin and binary mode. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceRecord } from '@millrace/sdk';
import { PluginDecoding } from '../replication/plugin-decoding';

const recorded = JSON.parse(
  readFileSync(join(__dirname, '..', '..', '..', 'golden', 'postgres', 'output-plugins.json'), 'utf8'),
) as { readonly whole: readonly string[]; readonly decoderbufs: readonly string[] };
const MESSAGES = {
  wal2json: recorded.whole,
  decoderbufs: recorded.decoderbufs.map((hex) => Buffer.from(hex, 'hex')),
};

// eslint-disable-next-line @typescript-eslint/no-explicit-any
const rowOf = ({ value }: SourceRecord): any => (value as any).after;

test.each([
  ['bytes', 2, Buffer.from([1, 2]), Buffer.from([1, 2, 255])],
  ['base64', 2, 'AQ', 'AQL/'],
  ['base64-url-safe', 2, 'AQ', 'AQL_'],
  ['hex', 2, '01', '0102ff'],
])('cdc-postgres 109: bytea as %s is cut to %d', async (mode, length, cut, whole) => {
  for (const [plugin, messages] of Object.entries(MESSAGES)) {
    const shown = async (chars: number): Promise<SourceRecord> => {
      const settings = { 'binary.handling.mode': mode, [`column.truncate.to.${chars}.chars`]: 'S s.t.1.b' };
      const decoding = new PluginDecoding(plugin, { settings });
      const [record] = await decoding.feed(messages);
      expect(decoding.log.filter((line) => line.includes('published as it is'))).toEqual([]);
      return record as SourceRecord;
    };
    const record = await shown(length);
    expect(rowOf(record).b).toEqual(cut);
    const field = record.valueSchema?.fields?.[1]?.schema.fields?.find(({ name }) => name === 'b');
    expect(field?.schema.parameters).toEqual({ truncateLength: String(length) });
    expect(rowOf(await shown(100)).b).toEqual(whole);
  }
});

test('cdc-postgres 109: bits and decimals, which are bytes too, are left whole with a warning', async () => {
  const decoding = new PluginDecoding('wal2json', { settings: { 'column.truncate.to.1.chars': 'S s.t.1.n' } });
  const [record] = await decoding.feed(MESSAGES.wal2json);
  expect(rowOf(record as SourceRecord).n).toEqual({ unscaled: 150n, scale: 2 });
  expect(decoding.log.slice(0, 1)).toEqual([expect.stringMatching(/^Column S s\.t\.1\.n is published as it is/)]);
});
