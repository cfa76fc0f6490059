/** `millrace dlq` on a real broker, with the headers that the runtime writes. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DataError } from '@millrace/sdk';
import { runCli } from '../../../src/cli/cli';
import type { RecordHeader } from '../../../packages/kafka-client/src/port';
import { contextHeaders } from '../../../src/tasks/errors/dead-letter-topic';
import { FakeIo } from '../../cli/fake-io';
import { Clients, take } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';

const clients = new Clients();
const STRINGS = ['--key-converter', 'string', '--value-converter', 'string'];
const TIME = Date.parse('2026-01-31T12:00:00Z');
let origin: string;
let letters: string;

beforeEach(async () => {
  // Their records are older than a broker's retention.
  origin = await clients.topic(3, { 'retention.ms': '-1' });
  letters = await clients.topic(1, { 'retention.ms': '-1' });
  const producer = await clients.producer(letters);
  const send = (text: string, headers: RecordHeader[]) =>
    producer.send({ topic: letters, key: Buffer.from('k'), value: Buffer.from(text), headers, timestamp: TIME });
  const reason = (offset: number, connector = 'orders-sink') =>
    contextHeaders(
      {
        consumed: { topic: origin, partition: 2, record: { offset } },
        error: new DataError('bad \u001b[2Jvalue'),
        stage: 'VALUE_CONVERTER',
        className: 'org.apache.kafka.connect.json.JsonConverter',
      } as unknown as Parameters<typeof contextHeaders>[0],
      { connector, task: 1 },
    );
  send('one', [{ key: 'trace', value: Buffer.from('t1') }, ...reason(7)]);
  send('two', reason(8, 'other-sink'));
  send('three', []);
  await producer.flush();
});
afterAll(async () => await clients.close());

async function dlq(...args: string[]): Promise<FakeIo & { code?: number }> {
  const io: FakeIo & { code?: number } = new FakeIo('/', {
    BOOTSTRAP_SERVERS: process.env.BOOTSTRAP_SERVERS ?? '',
    MILLRACE_CONTEXTS: '/nowhere',
  });
  io.code = await runCli(['dlq', ...args], io);
  return io;
}

test('list: the topics that connectors name, with the number of records', async () => {
  const absent = uniqueName('absent');
  const server = createServer((_, response) =>
    response.end(
      JSON.stringify({
        'orders-sink': { info: { config: { 'errors.deadletterqueue.topic.name': letters } } },
        analytics: {
          info: { config: { 'connector.class': 'AnalyticsSink', 'misc.deadletterqueue.topic.name': absent } },
        },
        'not-declared': { info: { config: { 'misc.deadletterqueue.topic.name': absent } } },
        source: { info: { config: {} } },
      }),
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    expect(JSON.parse((await dlq('list', '-o', 'json', '--url', url)).out)).toEqual([
      { connector: 'analytics', topic: absent, records: null },
      { connector: 'orders-sink', topic: letters, records: 3 },
    ]);
    expect((await dlq('list', '--url', url)).out).toMatch(/^CONNECTOR +TOPIC +RECORDS\nanalytics +\S+ +no topic\n/);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('connect-runtime 5.8: show prints origin, stage, exception and the record as it was', async () => {
  const { out, code } = await dlq(
    'show',
    letters,
    '--origin',
    `${origin}-2@7`,
    '--stacktrace',
    '--value-converter',
    'string',
  );
  expect(code).toBe(0);
  expect(out).toMatch(
    new RegExp(
      `^0:0  ${origin}-2@7  orders-sink task 1  2026-01-31T12:00:00.000Z\n` +
        '  VALUE_CONVERTER in org.apache.kafka.connect.json.JsonConverter\n' +
        '  bad  \\[2Jvalue\n  key "k"\n  value "one"\n  header trace "t1"\n' +
        '    org.apache.kafka.connect.errors.DataException: bad',
    ),
  );
  expect(out).not.toContain('\u001b');
});

test('show: the newest first; with -o json the failure is a part of the record', async () => {
  const lines = (await dlq('show', letters, '-o', 'json')).out.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { offset: 2, failure: { topic: null } },
    { offset: 1, failure: { connector: 'other-sink' } },
    {
      offset: 0,
      headers: [{ key: 'trace', value: 't1' }],
      failure: { topic: origin, partition: 2, offset: 7, connector: 'orders-sink', stage: 'VALUE_CONVERTER' },
    },
  ]);
});

test('show: filters, and what is said when not all was searched', async () => {
  const shown = async (...args: string[]): Promise<unknown> => {
    const { out, err, code } = await dlq('show', letters, '-o', 'json', ...STRINGS, ...args);
    const offsets = out
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { offset: number }).offset]));
    return { code, offsets, err };
  };
  const all = { code: 0, err: '' };
  expect(await shown('--error', 'dataexception', '--task', '1')).toEqual({ ...all, offsets: [1, 0] });
  expect(await shown('--error', 'bad', '--connector', 'other-sink')).toEqual({ ...all, offsets: [1] });
  expect(await shown('--origin', `${origin}-2`, '--key', 'K')).toEqual({ ...all, offsets: [1, 0] });
  expect(await shown('--from', '-1')).toEqual({ ...all, offsets: [2] });
  expect(await shown('-n', '1')).toEqual({ code: 0, offsets: [2], err: 'The newest 1 are shown; -n shows more.\n' });
  const none = { code: 0, offsets: [], err: 'No such dead letters.\n' };
  expect(await shown('--key', 'other')).toEqual(none);
  expect(await shown('--until', '2026-01-31T12:00:00Z')).toEqual(none);
  expect(await shown('--since', '2026-01-31T12:00:00Z')).toEqual({ ...all, offsets: [2, 1, 0] });
  expect(await shown('--error', 'bad', '--scan', '2')).toEqual({
    ...{ code: 0, offsets: [1] },
    err: 'Only the newest 2 of 3 records were searched; --scan searches more.\n',
  });
});

test('replay sends the original records to their topic and partition, without the error headers', async () => {
  const { out, err, code } = await dlq('replay', letters, '--yes', '--no-wait');
  expect({ out, code }).toEqual({ out: `2 records written to ${origin} again\n`, code: 0 });
  expect(err).toBe('1 record skipped: they do not say where they came from; see --to.\n');
  const consumer = await clients.assigned();
  const partition = { topic: origin, partition: 2 };
  consumer.assign([partition]);
  await consumer.seekToBeginning([partition]);
  const found = await take(consumer, 2);
  expect(
    found
      .flatMap(({ records }) => records)
      .map(({ key, value, headers, timestamp }) => [String(key), String(value), headers, timestamp]),
  ).toEqual([
    ['k', 'one', [{ key: 'trace', value: Buffer.from('t1') }], TIME],
    ['k', 'two', [], TIME],
  ]);
});

test('replay: one connector, another topic, a part, a dry run', async () => {
  expect((await dlq('replay', letters, '--dry-run', '--connector', 'other-sink')).out).toBe(
    `1 record would be written to ${origin} again\n`,
  );
  const to = await clients.topic(1, { 'retention.ms': '-1' });
  expect((await dlq('replay', letters, '--yes', '--to', to, '--from', '1')).out).toBe(`2 records written to ${to}\n`);
  expect((await dlq('replay', letters, '--yes', '--to', to, '-n', '1')).out).toBe(`1 record written to ${to}\n`);
});

test('replay asks first; nothing is sent without an answer', async () => {
  const { err, code } = await dlq('replay', letters);
  expect(code).toBe(2);
  expect(err).toContain('Nothing was done: repeat the command with --yes. (CLI_USAGE)');
});

test('a record that cannot be sent back: where it is, and why', async () => {
  const { err, code } = await dlq('replay', letters, '--yes', '--to', 'not a topic');
  expect(code).toBe(1);
  expect(err).toMatch(new RegExp(`^millrace: The record at ${letters}-0@0 was not sent: .*\\(DLQ_REPLAY\\)\\n$`));
});
