/** Reading the newest dead letters of a connector, and sending them back, on a real broker. */
import { DataError } from '@millrace/sdk';
import { HerderDeadLetters } from '../../../src/cluster/requests/herder-dead-letters';
import { TopicRequests } from '../../../src/cluster/requests/topic-requests';
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import type { Producer, RecordHeader } from '../../../packages/kafka-client/src/port';
import { silentLogger } from '../../../src/logging/logger';
import type { PluginDescription } from '../../../src/plugins/registry';
import { contextHeaders } from '../../../src/tasks/errors/dead-letter-topic';
import { Clients, take } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';

const clients = new Clients();
const NAME = 'orders-sink';
const DECLARED = { topic: 'own.topic', bootstrapServers: 'own.servers' };
let origin: string;
let topic: string;
let producer: Producer;
let config: Record<string, string>;
let letters: HerderDeadLetters;

beforeEach(async () => {
  origin = await clients.topic(3);
  topic = await clients.topic(3);
  producer = await clients.producer(topic);
  config = { topics: origin, 'errors.deadletterqueue.topic.name': topic };
  const base = { 'bootstrap.servers': process.env.BOOTSTRAP_SERVERS ?? '' };
  const kafka = createKafkaClients(silentLogger, new Set());
  letters = new HerderDeadLetters({
    reads: { connectorInfo: (name) => ({ name, config, tasks: [], type: 'sink' }) },
    plugins: { describe: () => ({ deadLetters: DECLARED }) as PluginDescription },
    clients: kafka,
    requests: new TopicRequests(kafka),
    worker: {
      client: () => base,
      clientOverridePolicy: 'All',
      clientOverrideAllowlist: [],
      config: { topic: 'configs' } as never,
      offset: { topic: 'offsets' } as never,
      status: { topic: 'status' } as never,
    },
    resolve: async (unresolved) => await Promise.resolve(unresolved),
  });
});
afterAll(async () => await clients.close());

function reason(
  from: { topic?: string; partition?: number; offset?: number; connector?: string } = {},
): RecordHeader[] {
  const { partition = 2, offset = 7, connector = NAME } = from;
  return contextHeaders(
    {
      consumed: { topic: from.topic ?? origin, partition, record: { offset } },
      error: new DataError('bad value'),
      stage: 'VALUE_CONVERTER',
      className: 'org.apache.kafka.connect.json.JsonConverter',
    } as unknown as Parameters<typeof contextHeaders>[0],
    { connector, task: 1 },
  );
}
/** Times are minutes, so that the order of the letters is that of their times. */
async function send(
  ...sent: { value: string; partition?: number; minute?: number; headers?: RecordHeader[] }[]
): Promise<void> {
  const start = Date.now() - 3_600_000;
  for (const { value, partition = 0, minute = 0, headers = reason() } of sent)
    producer.send({
      topic,
      partition,
      key: Buffer.from('k'),
      value: Buffer.from(value),
      headers,
      timestamp: start + minute * 60_000,
    });
  await producer.flush();
}
const values = async (limit: number): Promise<(string | null)[]> =>
  (await letters.list(NAME, limit)).letters.map(({ value }) => value);
const replay = async (...offsets: number[]): Promise<(string | null)[]> =>
  (
    await letters.replay(
      NAME,
      offsets.map((offset) => ({ partition: 0, offset })),
    )
  ).map(({ error }) => error && (error.split(':')[0] as string));

test('letters are grouped by their messages, and those of a group are listed', async () => {
  const failed = (message: string): RecordHeader[] => [
    ...reason().filter(({ key }) => key !== '__connect.errors.exception.message'),
    { key: '__connect.errors.exception.message', value: Buffer.from(message) },
  ];
  const bad = Array.from({ length: 30 }, (_, n) => ({ value: `v${n}`, minute: n, headers: failed(`bad value ${n}`) }));
  await send(...bad, { value: 'other', partition: 1, minute: 40, headers: failed('no table') });
  await send({ value: 'foreign', minute: 41, headers: reason({ connector: 'another' }) });
  const found = await letters.groups(NAME);
  expect(found).toMatchObject({ topic, total: 32, read: 32 });
  expect(
    found.groups.map(({ pattern, message, count, replayable }) => [pattern, message, count, replayable.length]),
  ).toEqual([
    ['no table', 'no table', 1, 1],
    ['bad value …', 'bad value 29', 30, 30],
  ]);
  const { key = '', replayable = [], first, last } = found.groups[1] ?? {};
  expect((last ?? 0) - (first ?? 0)).toBe(29 * 60_000);
  const listed = (await letters.list(NAME, 5, key)).letters;
  expect(listed.map(({ value }) => value)).toEqual(['v29', 'v28', 'v27', 'v26', 'v25']);
  expect(replayable.slice(0, 5)).toEqual(listed.map(({ partition, offset }) => ({ partition, offset })));
});

describe('listing', () => {
  test('a letter says where it came from and why it failed', async () => {
    await send({ value: 'one', headers: [{ key: 'trace', value: Buffer.from('t1') }, ...reason()] });
    expect(await letters.list(NAME, 50)).toEqual({
      topic,
      total: 1,
      letters: [
        {
          ...{ partition: 0, offset: '0', at: expect.any(Number), key: 'k', value: 'one' },
          failure: {
            stage: 'VALUE_CONVERTER',
            errorClass: 'org.apache.kafka.connect.errors.DataException',
            message: 'bad value',
            task: 1,
          },
          origin: { topic: origin, partition: 2, offset: '7' },
          headers: [{ key: 'trace', value: 't1' }],
        },
      ],
    });
  });

  test('the newest of all partitions first, not the newest of each', async () => {
    const old = Array.from({ length: 60 }, (_, n) => ({ value: `old ${n}`, partition: 1, minute: 0 }));
    const recent = Array.from({ length: 45 }, (_, n) => ({ value: `new ${n}`, partition: 2, minute: n + 1 }));
    await send(...old, ...recent);
    expect(await values(40)).toEqual(
      recent
        .slice(-40)
        .reverse()
        .map(({ value }) => value),
    );
    expect((await letters.list(NAME, 200)).letters).toHaveLength(105);
  });

  test('dead letters of other connectors in the topic are left out, those without a connector name are kept', async () => {
    await send(
      { value: 'mine', minute: 1 },
      ...Array.from({ length: 300 }, (_, n) => ({
        value: `other ${n}`,
        minute: 2,
        headers: reason({ connector: 'other' }),
      })),
      { value: 'plain', minute: 3, headers: [] },
    );
    const page = await letters.list(NAME, 50);
    expect(page.letters.map(({ value, origin: from }) => [value, from?.partition])).toEqual([
      ['plain', undefined],
      ['mine', 2],
    ]);
    expect(page.total).toBe(302);
  });

  test('of many large letters, the newest are read within the bound of bytes', async () => {
    const large = Array.from({ length: 60 }, (_, n) => ({ value: `${n} ${'x'.repeat(600_000)}`, minute: n }));
    await send(...large);
    const found = await values(50);
    expect(found[0]).toMatch(/^59 x+… \(595,907 more bytes\)$/);
    expect(found.length).toBeGreaterThanOrEqual(10);
    expect(found.length).toBeLessThan(40);
  });

  test('an empty topic has no letters', async () => {
    expect(await letters.list(NAME, 50)).toEqual({ topic, total: 0, letters: [] });
  });

  test.each([
    [{ topics: 't' }, 404, 'DLQ_NONE'],
    [{ topics: 't', 'errors.deadletterqueue.topic.name': uniqueName('absent') }, 404, 'TOPIC_NOT_FOUND'],
    [
      {
        topics: 't',
        'errors.deadletterqueue.topic.name': 'x',
        'producer.override.bootstrap.servers': 'elsewhere:9092',
      },
      409,
      'DLQ_OTHER_CLUSTER',
    ],
    [
      {
        topics: 't',
        'own.topic': 'x',
        'own.servers': 'elsewhere:9092',
      },
      409,
      'DLQ_OTHER_CLUSTER',
    ],
  ])('of a connector with %p it is refused', async (found, status, code) => {
    config = found;
    const refusal = { status, message: expect.stringMatching(new RegExp(`^${code}: `)) };
    await expect(letters.list(NAME, 50)).rejects.toMatchObject(refusal);
    await expect(letters.replay(NAME, [{ partition: 0, offset: 0 }])).rejects.toMatchObject(refusal);
  });
});

describe('replay', () => {
  test('sends the original record to the partition it came from, with a result for each letter', async () => {
    await send(
      { value: 'one', headers: [{ key: 'trace', value: Buffer.from('t1') }, ...reason()] },
      { value: 'two', headers: reason({ partition: 0 }) },
      { value: 'other', headers: reason({ connector: 'other' }) },
      { value: 'plain', headers: [] },
      { value: 'foreign', headers: reason({ topic: uniqueName('foreign') }) },
      { value: 'configs', headers: reason({ topic: 'configs' }) },
      { value: 'far', headers: reason({ partition: 99 }) },
    );
    expect(await replay(1, 0, 2, 3, 4, 5, 6, 7, 1)).toEqual([
      ...[null, null, 'DLQ_OTHER_CONNECTOR', 'DLQ_NO_ORIGIN', 'DLQ_FOREIGN_ORIGIN', 'DLQ_FOREIGN_ORIGIN'],
      ...['DLQ_REPLAY', 'DLQ_LETTER_GONE', null],
    ]);
    const consumer = await clients.assigned();
    consumer.assign([0, 1, 2].map((partition) => ({ topic: origin, partition })));
    const found = await take(consumer, 2);
    expect(
      found
        .flatMap(({ partition, records }) =>
          records.map(({ key, value, headers }) => [partition, String(key), String(value), headers]),
        )
        .sort(),
    ).toEqual([
      [0, 'k', 'two', []],
      [2, 'k', 'one', [{ key: 'trace', value: Buffer.from('t1') }]],
    ]);
  });

  test('a letter that Kafka has deleted is gone, and so is one of an unknown partition', async () => {
    await send({ value: 'one' }, { value: 'two' });
    await clients.admin.deleteRecords([{ topic, partition: 0, offset: 1 }]);
    expect(await replay(0, 1)).toEqual(['DLQ_LETTER_GONE', null]);
    expect(await letters.replay(NAME, [{ partition: 17, offset: 0 }])).toEqual([
      {
        error: `DLQ_LETTER_GONE: There is no dead letter at offset 0 of partition 17 of ${topic} any more: Kafka has deleted or compacted it.`,
        failedAgain: null,
      },
    ]);
  });

  test('letters of different partitions, in any order', async () => {
    await send(
      ...[0, 1, 2].flatMap((partition) => ['a', 'b', 'c'].map((value) => ({ value: value + partition, partition }))),
    );
    const wanted = [2, 0, 1].flatMap((partition) => [2, 0].map((offset) => ({ partition, offset })));
    const written = { error: null, failedAgain: null };
    expect(await letters.replay(NAME, wanted)).toEqual(wanted.map(() => written));
    const consumer = await clients.assigned();
    consumer.assign([{ topic: origin, partition: 2 }]);
    const found = (await take(consumer, 6)).flatMap(({ records }) => records.map(({ value }) => String(value)));
    expect(found.sort()).toEqual(['a0', 'a1', 'a2', 'c0', 'c1', 'c2']);
  });

  test('with topics.regex, the origin must have offsets of the consumer group', async () => {
    config = {
      'topics.regex': '.*',
      'errors.deadletterqueue.topic.name': topic,
      'consumer.override.group.id': uniqueName('group'),
    };
    await send({ value: 'one' });
    expect(await replay(0)).toEqual(['DLQ_FOREIGN_ORIGIN']);
    await clients.admin.alterGroupOffsets(config['consumer.override.group.id'] as string, [
      { topic: origin, partition: 0, offset: 0 },
    ]);
    expect(await replay(0)).toEqual([null]);
  });
});
