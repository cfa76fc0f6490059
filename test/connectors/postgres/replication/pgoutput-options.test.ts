import { pgoutputOptions, unavailableOptions } from '../../../../connectors/postgres/src/replication/pgoutput-options';
import { parseConfig } from '../../../../connectors/postgres/src/config/postgres-config';

const config = (settings: Record<string, string>) =>
  parseConfig({
    'database.hostname': 'db',
    'database.user': 'cdc',
    'database.dbname': 'demo',
    'topic.prefix': 'p',
    'publication.name': 'Pub',
    ...settings,
  });
const options = (settings: Record<string, string>, version: number): Record<string, string> =>
  Object.fromEntries(pgoutputOptions(config(settings), version));

const PLAIN = { proto_version: '1', publication_names: '"Pub"' };
const ON = { 'pgoutput.streaming': 'on' };
const PARALLEL = { 'pgoutput.streaming': 'parallel' };
const TWO_PHASE = { 'pgoutput.two.phase': 'true' };

test('protocol 1 unless another is needed; messages from PostgreSQL 14 on', () => {
  expect(options({}, 130000)).toEqual(PLAIN);
  expect(options({}, 180000)).toEqual({ ...PLAIN, messages: 'true' });
});

test.each<[Record<string, string>, number, Record<string, string>]>([
  [ON, 130000, PLAIN],
  [ON, 140000, { proto_version: '2', streaming: 'on' }],
  [PARALLEL, 150000, { proto_version: '2', streaming: 'on' }],
  [PARALLEL, 160000, { proto_version: '4', streaming: 'parallel' }],
  [TWO_PHASE, 140000, PLAIN],
  [TWO_PHASE, 150000, { proto_version: '3', two_phase: 'true' }],
  [{ ...ON, ...TWO_PHASE }, 170000, { proto_version: '3', streaming: 'on', two_phase: 'true' }],
])('cdc-postgres 92: %j on server version %i', (settings, version, expected) => {
  const messages = version >= 140000 ? { messages: 'true' } : {};
  expect(options(settings, version)).toEqual({ ...PLAIN, ...messages, ...expected });
  const missing =
    settings['pgoutput.streaming'] !== expected.streaming || (settings['pgoutput.two.phase'] && !expected.two_phase);
  expect(unavailableOptions(config(settings), version)).toHaveLength(missing ? 1 : 0);
});

test('cdc-postgres 92: keys that only pgoutput has are reported for another plugin', () => {
  const settings = { ...ON, ...TWO_PHASE, 'message.prefix.include.list': 'a' };
  expect(unavailableOptions(config({ ...settings, 'plugin.name': 'decoderbufs' }), 180000)).toEqual(
    ['pgoutput.streaming=on', 'pgoutput.two.phase=true', 'message.prefix.include.list'].map(
      (key) => `${key} has no effect with plugin.name=decoderbufs; it needs pgoutput.`,
    ),
  );
  expect(unavailableOptions(config({ 'plugin.name': 'wal2json' }), 180000)).toEqual([]);
});

test('cdc-postgres 92: slot.stream.params replace options, and raise the protocol they need', () => {
  const streaming = options({ 'slot.stream.params': 'streaming=true;messages=false;origin=none' }, 180000);
  expect(streaming).toEqual({ ...PLAIN, proto_version: '2', messages: 'false', streaming: 'true', origin: 'none' });
  expect(options({ 'slot.stream.params': 'proto_version=1;streaming=parallel' }, 180000).proto_version).toBe('4');
  expect(options({ 'slot.stream.params': 'proto_version=4' }, 180000).proto_version).toBe('4');
  expect(options({ ...ON, 'slot.stream.params': 'streaming=off' }, 180000)).toMatchObject({
    proto_version: '1',
    streaming: 'off',
  });
});
