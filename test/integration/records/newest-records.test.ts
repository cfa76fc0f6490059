/** Reading the newest records of a connector's topics, on a real broker. */
import { builtInPlugins } from '../../../src/built-in-plugins';
import type { TopicRecordsPage } from '../../../src/cluster/entities';
import { HerderRecords } from '../../../src/cluster/requests/herder-records';
import { TopicRequests } from '../../../src/cluster/requests/topic-requests';
import { parseWorkerConfig } from '../../../src/config/worker-config';
import { silentLogger } from '../../../src/logging/logger';
import { createPluginRegistry } from '../../../src/plugins/create-registry';
import type { PluginDescription } from '../../../src/plugins/registry';
import { recordTexts } from '../../../src/records/record-texts';
import { taskConverters } from '../../../src/tasks/task-converters';
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import type { Producer } from '../../../packages/kafka-client/src/port';
import { Clients } from '../../helpers/kafka-clients';
import { uniqueName } from '../../helpers/unique-name';

const clients = new Clients();
const NAME = 'orders';
const JSON_VALUES = {
  'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
  'value.converter.schemas.enable': 'false',
};
const base = { 'bootstrap.servers': process.env.BOOTSTRAP_SERVERS ?? '' };
const workerConfig = parseWorkerConfig({
  ...base,
  ...{ 'group.id': 'g', 'config.storage.topic': 'configs', 'offset.storage.topic': 'offsets' },
  'status.storage.topic': 'status',
  'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
  'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
});
const registry = createPluginRegistry({ pluginPath: [], builtIns: builtInPlugins, logger: silentLogger });
let topic: string;
let producer: Producer;
let config: Record<string, string>;
let type: 'source' | 'sink';
let active: string[];
let given: Record<string, string>;
let records: HerderRecords;

beforeEach(async () => {
  topic = await clients.topic(3);
  producer = await clients.producer(topic);
  config = { 'connector.class': 'Orders', secret: 'x', ...JSON_VALUES };
  type = 'source';
  active = [topic];
  records = new HerderRecords({
    reads: { connectorInfo: (name) => ({ name, config, tasks: [], type }) },
    plugins: {
      describe: () => ({ deadLetters: { topic: 'own.topic', bootstrapServers: 'own.servers' } }) as PluginDescription,
    },
    pluginHost: {
      recordTexts: async (connector, bytes) => {
        given = connector;
        return recordTexts(await taskConverters(connector, workerConfig, registry), bytes);
      },
    },
    activeTopics: () => active,
    worker: {
      client: () => base,
      clientOverridePolicy: 'All',
      clientOverrideAllowlist: [],
      config: { topic: 'configs' } as never,
      offset: { topic: 'offsets' } as never,
      status: { topic: 'status' } as never,
    },
    resolve: async (unresolved) => await Promise.resolve(unresolved),
    requests: new TopicRequests(createKafkaClients(silentLogger, new Set())),
  });
});
afterAll(async () => await clients.close());

/** Times are minutes, so that the order of the records is that of their times. */
async function send(...sent: { value: string | null; partition?: number; minute?: number }[]): Promise<void> {
  const start = Date.now() - 3_600_000;
  for (const { value, partition = 0, minute = 0 } of sent)
    producer.send({
      ...{ topic, partition, key: Buffer.from('k'), value: value === null ? null : Buffer.from(value) },
      headers: [{ key: 'h', value: Buffer.from('true') }],
      timestamp: start + minute * 60_000,
    });
  await producer.flush();
}
const refusal = async (of = topic): Promise<string | undefined> =>
  await records.newest(NAME, of, 20).then(
    () => undefined,
    (error: Error) => error.message.split(':')[0],
  );

test('the newest records of all partitions, through the converters of the config, which get no other key of it', async () => {
  await send({ value: '{"n":1}', partition: 1, minute: 1 }, { value: null, partition: 2, minute: 3 });
  await send({ value: '{"n":2}', partition: 0, minute: 2 }, { value: 'broken', partition: 0, minute: 4 });
  const page = await records.newest(NAME, topic, 3);
  const shared = {
    ...{ at: expect.any(Number), moreHeaders: 0, key: { text: '"k"', error: null } },
    headers: [{ name: 'h', text: 'true', error: null }],
  };
  expect(page).toEqual<TopicRecordsPage>({
    topic,
    total: 4,
    records: [
      { ...shared, partition: 0, offset: '1', value: { text: 'broken', error: expect.stringMatching(/\w/) } },
      { ...shared, partition: 2, offset: '0', value: { text: null, error: null } },
      { ...shared, partition: 0, offset: '0', value: { text: '{"n":2}', error: null } },
    ],
  });
  expect(given).toEqual({ 'connector.class': 'Orders', ...JSON_VALUES });
});

test('a large record is shown as bytes, and the others are converted', async () => {
  await send({ value: '1', minute: 1 }, { value: '2'.repeat(300 * 1024), minute: 2 }, { value: '3', minute: 3 });
  const page = await records.newest(NAME, topic, 20);
  expect(page.records.map(({ value }) => [value.text?.slice(0, 3), value.error])).toEqual([
    ['3', null],
    ['222', 'Not converted: the record is larger than 256 KiB.'],
    ['1', null],
  ]);
});

test('no consumer group is left', async () => {
  await send({ value: '1' });
  config = { ...config, 'consumer.override.group.id': uniqueName('reader') };
  await records.newest(NAME, topic, 20);
  expect(await clients.admin.listGroupOffsets(config['consumer.override.group.id'] as string)).toEqual([]);
});

describe('only topics of the connector are read', () => {
  test('a source: those that it has used, and never those of the storage', async () => {
    active = [topic, 'configs', 'offsets', 'status'];
    expect(records.topics(NAME)).toEqual([topic]);
    const other = await clients.topic(1);
    for (const name of [other, 'configs', 'offsets', 'status', '', '__consumer_offsets'])
      expect([name, await refusal(name)]).toEqual([name, 'RECORDS_TOPIC']);
    expect(await refusal()).toBeUndefined();
  });

  test('a sink: those of its config, and not those that it has read before', async () => {
    type = 'sink';
    const other = await clients.topic(1);
    config = { ...config, topics: `${topic}, configs` };
    active = [other];
    expect(records.topics(NAME)).toEqual([topic]);
    expect([await refusal(), await refusal(other), await refusal('configs')]).toEqual([
      ...[undefined, 'RECORDS_TOPIC', 'RECORDS_TOPIC'],
    ]);
  });

  test('a sink with an expression: those that it has read', async () => {
    type = 'sink';
    config = { ...config, 'topics.regex': '.*' };
    expect([await refusal(), await refusal(await clients.topic(1))]).toEqual([undefined, 'RECORDS_TOPIC']);
  });

  test('the dead letter topic, unless it is on a cluster of its own', async () => {
    type = 'sink';
    active = [];
    config = { ...config, 'errors.deadletterqueue.topic.name': topic, 'own.topic': 'elsewhere', 'own.servers': 'x:1' };
    expect(records.topics(NAME)).toEqual([topic]);
    expect([await refusal(), await refusal('elsewhere')]).toEqual([undefined, 'RECORDS_TOPIC']);
  });

  test('a topic of the same name on another cluster is not taken for it', async () => {
    config = { ...config, 'producer.override.bootstrap.servers': 'other:9092' };
    expect(await refusal()).toBe('RECORDS_OTHER_CLUSTER');
  });

  test('one that was deleted', async () => {
    active = [uniqueName('deleted')];
    expect(await refusal(active[0])).toBe('TOPIC_NOT_FOUND');
  });
});

test('a converter that is not installed is named', async () => {
  await send({ value: '1' });
  config = { ...config, 'value.converter': 'org.example.Absent' };
  await expect(records.newest(NAME, topic, 20)).rejects.toMatchObject({
    status: 500,
    message: expect.stringMatching(/^RECORDS_READ: .*org\.example\.Absent/),
  });
});

test('at most four requests read at a time', async () => {
  const requests = new TopicRequests(createKafkaClients(silentLogger, new Set()));
  let release = (): void => undefined;
  const hold = new Promise<void>((resolve) => (release = resolve));
  const held = Array.from({ length: 4 }, async () => await requests.limited(async () => await hold));
  await expect(requests.limited(async () => await hold)).rejects.toMatchObject({ status: 503 });
  release();
  await Promise.all(held);
  expect(await requests.limited(async () => await Promise.resolve(1))).toBe(1);
});
