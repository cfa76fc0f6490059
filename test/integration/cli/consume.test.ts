/** `millrace consume` on a real broker. */
import { Readable } from 'node:stream';
import { runCli } from '../../../src/cli/cli';
import type { Producer } from '../../../packages/kafka-client/src/port';
import { FakeIo } from '../../cli/fake-io';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const clients = new Clients();
let topic: string;
let producer: Producer;
beforeAll(async () => {
  // Its records are older than a broker's retention.
  topic = await clients.topic(2, { 'retention.ms': '-1' });
  producer = await clients.producer(topic);
  const send = (
    partition: number,
    key: string | null,
    value: string | Buffer | null,
    headers: [string, string][] = [],
  ) =>
    producer.send({
      topic,
      partition,
      key: key === null ? null : Buffer.from(key),
      value: value === null ? null : Buffer.from(value),
      headers: headers.map(([name, text]) => ({ key: name, value: Buffer.from(text) })),
      timestamp: Date.parse('2026-01-31T12:00:00Z'),
    });
  send(0, '"k"', '{"schema":{"type":"string"},"payload":"envelope"}', [['trace', 'abc']]);
  send(0, null, '{"plain":12345678901234567890}');
  send(0, 'text', 'not json\u001b]0;title\u0007');
  send(1, 'gone', null);
  send(1, null, Buffer.from([0xff, 0x00]));
  await producer.flush();
});
afterAll(async () => await clients.close());

async function consume(...args: string[]): Promise<FakeIo & { code?: number }> {
  const io: FakeIo & { code?: number } = new FakeIo('/', {
    BOOTSTRAP_SERVERS: process.env.BOOTSTRAP_SERVERS ?? '',
    MILLRACE_CONTEXTS: '/nowhere',
  });
  io.code = await runCli(['consume', ...args], io);
  return io;
}
const sorted = (text: string) => text.split('\n').slice(0, -1).sort();
const TIME = '2026-01-31T12:00:00.000Z';

test('bytes that the default converter cannot read are shown as text, without control characters', async () => {
  const { code, out, err } = await consume(topic, '--exit');
  expect(code).toBe(0);
  expect(sorted(out)).toEqual([
    `0:0  ${TIME}  "k"  "envelope"`,
    `0:1  ${TIME}  null  {"plain":12345678901234567890}`,
    `0:2  ${TIME}  "text"  "not json\\u001b]0;title\\u0007"`,
    `1:0  ${TIME}  "gone"  null`,
    `1:1  ${TIME}  null  "/wA="`,
  ]);
  expect(err).toContain('Some values cannot be read with org.apache.kafka.connect.json.JsonConverter');
  expect(err.split('\n')).toHaveLength(3);
});

test('JSON without a schema is no mismatch of the default converter', async () => {
  const { code, out, err } = await consume(topic, '--exit', '--partition', '0', '--from', '1', '-n', '1');
  expect(code).toBe(0);
  expect(out).toBe(`0:1  ${TIME}  null  {"plain":12345678901234567890}\n`);
  expect(err).toBe('');
});

test('headers, one partition, a number of records', async () => {
  const { out } = await consume(topic, '--headers', '--partition', '0', '-n', '2');
  expect(out).toBe(
    `0:0  ${TIME}  "k"  "envelope"\n  trace "abc"\n0:1  ${TIME}  null  {"plain":12345678901234567890}\n`,
  );
});

test('-o json: an object per line; -o yaml: a document per record', async () => {
  const json = await consume(topic, '--exit', '-o', 'json', '--partition', '0', '-n', '1');
  expect(JSON.parse(json.out)).toEqual({
    topic,
    partition: 0,
    offset: 0,
    timestamp: TIME,
    key: 'k',
    value: 'envelope',
    headers: [{ key: 'trace', value: 'abc' }],
  });
  const exact = await consume(topic, '--exit', '-o', 'json', '--partition', '0', '--from', '1', '-n', '1');
  expect(exact.out).toContain('"value":{"plain":12345678901234567890}');
  const digits = await consume(topic, '--exit', '-o', 'yaml', '--partition', '0', '--from', '1', '-n', '1');
  expect(digits.out).toContain('value:\n  plain: 12345678901234567890\n');
  const yaml = await consume(topic, '--exit', '-o', 'yaml', '--partition', '1', '-n', '1');
  expect(yaml.out).toBe(
    `---\ntopic: ${topic}\npartition: 1\noffset: 0\ntimestamp: ${TIME}\nkey: gone\nvalue: null\nheaders: []\n`,
  );
});

test.each<[string, string[]]>([
  ['end', []],
  ['2', ['0:2']],
  ['-1', ['0:2', '1:1']],
  ['2026-01-31T12:00:01Z', []],
  ['2026-01-31', ['0:0', '0:1', '0:2', '1:0', '1:1']],
])('--from %s', async (from, offsets) => {
  const { out, code } = await consume(topic, '--exit', '--from', from);
  expect(code).toBe(0);
  expect(sorted(out).map((line) => line.split(' ')[0])).toEqual(offsets);
});

test('named converters must read every record', async () => {
  const text = await consume(
    topic,
    '--exit',
    '--key-converter',
    'string',
    '--value-converter',
    'bytes',
    '--from',
    '-1',
  );
  expect(sorted(text.out)[1]).toBe(`1:1  ${TIME}  null  "/wA="`);
  const wrong = await consume(topic, '--exit', '--value-converter', 'json', '--partition', '0', '--from', '2');
  expect(wrong.code).toBe(1);
  expect(wrong.err).toMatch(
    new RegExp(`\nmillrace: The record at ${topic}-0@2 cannot be read: .*\\(RECORD_UNREADABLE\\)\\n$`),
  );
  const unknown = await consume(topic, '--exit', '--value-converter', 'Lost');
  expect(unknown.err).toContain('Class Lost could not be found. (CONVERTER_UNKNOWN)');
  const homeless = await consume(topic, '--exit', '--value-converter', 'avro');
  expect(homeless.err).toContain('needs the URL of a schema registry: add --schema-registry. (CLI_USAGE)');
});

test('waits for new records until a signal', async () => {
  const io = new FakeIo('/', { BOOTSTRAP_SERVERS: process.env.BOOTSTRAP_SERVERS ?? '', MILLRACE_CONTEXTS: '/nowhere' });
  const ended = runCli(['consume', topic, '--from', '-1', '--partition', '1'], io);
  await waitFor('the last record', () => io.out.includes('1:1'));
  producer.send({ topic, partition: 1, key: null, value: Buffer.from('2') });
  await producer.flush();
  await waitFor('the new record', () => io.out.includes('1:2'));
  io.signal('SIGINT');
  expect(await ended).toBe(0);
});

test('wrong arguments', async () => {
  const none = await consume(uniqueName('absent'), '--exit');
  expect(none.code).toBe(4);
  expect(none.err).toMatch(
    /^millrace: Topic absent\S* does not exist on \S+:\d+, or may not be read\. \(TOPIC_NOT_FOUND\)\n$/,
  );
  const partition = await consume(topic, '--partition', '7', '--exit');
  expect(partition.err).toBe(`millrace: Topic ${topic} has no partition 7. (TOPIC_NOT_FOUND)\n`);
  expect((await consume(topic, '--from', 'yesterday')).code).toBe(2);
  const broker = new FakeIo(
    '/',
    {
      BOOTSTRAP_SERVERS: '127.0.0.1:1',
      CONNECT_REQUEST_TIMEOUT_MS: '1000',
      CONNECT_DEFAULT_API_TIMEOUT_MS: '1000',
      MILLRACE_CONTEXTS: '/nowhere',
    },
    Readable.from([]),
  );
  expect(await runCli(['consume', topic], broker)).toBe(3);
});
