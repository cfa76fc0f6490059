/** Connectors with an offsets topic of their own. Source: connect-runtime §1.5.4. */
import type { ConnectorConfig } from '@millrace/sdk';
import { OffsetStores } from '../../../src/cluster/offsets/offset-stores';
import type { ClientConfig, KafkaClients } from '../../../packages/kafka-client/src/port';
import { silentLogger, type Logger } from '../../../src/logging/logger';
import type { ConfigSnapshot } from '../../../src/storage/config/config-snapshot';
import { KafkaCompactedLog } from '../../../src/storage/log/kafka-compacted-log';
import { OffsetStore } from '../../../src/storage/offsets/offset-store';
import { storageTopic } from '../../../src/storage/log/storage-topic';
import { waitFor } from '../../helpers/wait-for';
import { fixtureConfig } from '../herder-fixtures';
import { MemoryKafka } from '../memory-kafka';

const SHARED = 'g-offsets';
let kafka: MemoryKafka;
/** Settings of every client created for connectors. */
let made: { readonly kind: string; readonly config: ClientConfig; closed: boolean }[];
let configs: Map<string, ConnectorConfig>;
let shared: OffsetStore;
let stores: OffsetStores;
let warnings: string[];

function watched(): KafkaClients {
  const watch = <T extends { close(): Promise<unknown> }>(kind: string, config: ClientConfig, client: T): T => {
    const entry = { kind, config, closed: false };
    made.push(entry);
    const close = client.close.bind(client);
    return Object.assign(client, {
      close: async () => {
        entry.closed = true;
        await close();
      },
    });
  };
  return {
    admin: (config) => watch('admin', config, kafka.admin()),
    producer: (config) => watch('producer', config, kafka.producer()),
    assignedConsumer: (config) => watch('consumer', config, kafka.assignedConsumer()),
    groupConsumer: () => kafka.groupConsumer(),
    groupMember: (settings, options) => kafka.groupMember(settings, options),
  };
}

let worker: ReturnType<typeof fixtureConfig>;

beforeEach(async () => {
  kafka = new MemoryKafka();
  made = [];
  configs = new Map();
  worker = fixtureConfig('g');
  warnings = [];
  const warn = (message: string): void => void warnings.push(message);
  const logger: Logger = { ...silentLogger, warn, child: () => logger };
  const log = new KafkaCompactedLog({
    topic: storageTopic('offset', worker.offset),
    clients: kafka,
    admin: kafka.admin(),
    client: {},
    clientId: 'worker',
    logger: silentLogger,
  });
  shared = new OffsetStore(log, silentLogger);
  await shared.start();
  stores = new OffsetStores({
    shared,
    clients: watched(),
    worker,
    snapshot: () => ({ connectorConfig: (name: string) => configs.get(name) ?? null }) as unknown as ConfigSnapshot,
    resolve: async (config) =>
      Object.fromEntries(Object.entries(config).map(([key, value]) => [key, value.replace('${p:topic}', 'own')])),
    logger,
    idleMs: 20,
  });
});
afterEach(async () => {
  await stores.stop();
  await shared.stop();
});
const texts = async (topic: string, count: number): Promise<string[]> =>
  await waitFor(`${count} records in ${topic}`, () => {
    const found = kafka.texts(topic);
    return found.length === count && found;
  });

test('connect-runtime 79: without the setting, or with the worker’s own topic, there is one topic', async () => {
  configs.set('c', {});
  configs.set('d', { 'offsets.storage.topic': SHARED });
  for (const name of ['c', 'd']) {
    await stores.open(name);
    await stores.write(name, [[{ p: 1 }, { n: 1 }]]);
    expect(await stores.read(name, [{ p: 1 }])).toEqual([{ n: 1 }]);
  }
  expect(kafka.texts(SHARED).sort()).toEqual(['["c",{"p":1}]={"n":1}', '["d",{"p":1}]={"n":1}']);
  expect(made).toEqual([]);
});

test('connect-runtime 79: a topic of its own is created as the worker’s, written first, and read first', async () => {
  configs.set('c', {
    'offsets.storage.topic': '${p:topic}',
    'producer.override.acks': '1',
    'consumer.override.x': 'y',
  });
  await shared.write('c', [[{ p: 'old' }, { n: 1 }]]);
  await stores.open('c');
  expect(kafka.topics.get('own')).toMatchObject({ configs: { 'cleanup.policy': 'compact' } });
  expect(kafka.topics.get('own')?.partitions).toHaveLength(25);
  expect(await stores.read('c', [{ p: 'old' }])).toEqual([{ n: 1 }]);
  await stores.write('c', [[{ p: 'old' }, { n: 2 }]]);
  expect(await texts('own', 1)).toEqual(['["c",{"p":"old"}]={"n":2}']);
  expect(await texts(SHARED, 2)).toEqual(['["c",{"p":"old"}]={"n":1}', '["c",{"p":"old"}]={"n":2}']);
  kafka.append(SHARED, 0, Buffer.from('["c",{"p":"old"}]'), Buffer.from('{"n":3}'));
  expect(await stores.list('c')).toEqual([[{ p: 'old' }, { n: 2 }]]);
  const config = (kind: string): ClientConfig | undefined => made.find((client) => client.kind === kind)?.config;
  // A connector cannot change what every log needs.
  expect(config('producer')).toMatchObject({ 'client.id': 'connector-offset-producer-c', acks: 'all' });
  expect(config('consumer')).toMatchObject({ 'isolation.level': 'read_committed', x: 'y' });
  expect(config('admin')).toMatchObject({ 'client.id': 'connector-adminclient-c' });
});

test('connect-runtime §1.5.4: exactly-once, offsets are on the cluster that the records are written to', async () => {
  Object.assign(worker, { exactlyOnceSourceSupport: 'enabled' });
  configs.set('c', { 'producer.override.bootstrap.servers': 'elsewhere:9092' });
  configs.set('d', {
    'offsets.storage.topic': 'own',
    'consumer.override.isolation.level': 'read_uncommitted',
  });
  expect((await stores.encode('c', [[{ p: 1 }, { n: 1 }]])).topic).toBe(SHARED);
  expect(made.map(({ config }) => config['bootstrap.servers'])).toContain('elsewhere:9092');
  made.length = 0;
  const { topic, records } = await stores.encode('d', [[{ p: 1 }, { n: 1 }]]);
  expect([topic, ...records.flat().map(String)]).toEqual(['own', '["d",{"p":1}]', '{"n":1}']);
  expect(made.find(({ kind }) => kind === 'consumer')?.config['isolation.level']).toBe('read_committed');
  expect(warnings).toEqual([
    "The value 'read_uncommitted' for the 'isolation.level' property will be ignored as it cannot be overridden for source connectors' offset consumers when exactly-once source support is enabled. The value 'read_committed' will be used instead.",
  ]);
});

test('connectors with the same topic share it; an unused topic is closed, and opened again on demand', async () => {
  for (const name of ['c', 'd']) configs.set(name, { name, 'offsets.storage.topic': 'own' });
  await Promise.all(['c', 'd'].map(async (name) => await stores.write(name, [[{ p: 1 }, { n: 1 }]])));
  expect(made.map(({ kind }) => kind).sort()).toEqual(['admin', 'consumer', 'producer']);
  await waitFor('it to be closed', () => made.every(({ closed }) => closed), { everyMs: 5 });
  expect(await stores.read('d', [{ p: 1 }])).toEqual([{ n: 1 }]);
  expect(made).toHaveLength(6);
});

test('another topic in the config is another store; a deleted connector’s last offsets go to its old topic', async () => {
  configs.set('c', { 'offsets.storage.topic': 'own' });
  await stores.write('c', [[{ p: 1 }, { n: 1 }]]);
  configs.set('c', { 'offsets.storage.topic': 'other' });
  await stores.write('c', [[{ p: 1 }, { n: 2 }]]);
  configs.delete('c');
  await stores.write('c', [[{ p: 1 }, { n: 3 }]]);
  expect(await texts('own', 1)).toEqual(['["c",{"p":1}]={"n":1}']);
  expect(await texts('other', 2)).toEqual(['["c",{"p":1}]={"n":2}', '["c",{"p":1}]={"n":3}']);
});

test('a task that was started with a config reads and writes in its topic, whatever newer ones name', async () => {
  const started = { 'offsets.storage.topic': 'own' };
  await shared.write('c', [[{ p: 1 }, { n: 1 }]]);
  configs.set('c', { 'offsets.storage.topic': 'other' });
  await stores.write('c', [[{ p: 1 }, { n: 2 }]]);
  expect(await stores.read('c', [{ p: 1 }], {})).toEqual([{ n: 2 }]);
  kafka.createTopic('own', 1, { 'cleanup.policy': 'compact' });
  kafka.append('own', 0, Buffer.from('["c",{"p":1}]'), Buffer.from('{"n":3}'));
  expect(await stores.read('c', [{ p: 1 }], started)).toEqual([{ n: 3 }]);
  expect((await stores.encode('c', [], started)).topic).toBe('own');
  expect((await stores.encode('c', [], {})).topic).toBe(SHARED);
  expect(await stores.read('c', [{ p: 1 }])).toEqual([{ n: 2 }]);
  // A resolved value is not resolved again.
  expect((await stores.encode('c', [], { 'offsets.storage.topic': '${p:topic}' })).topic).toBe('${p:topic}');
});

test('an unusable topic is an error, and is retried', async () => {
  kafka.createTopic('own', 1, { 'cleanup.policy': 'delete' });
  configs.set('c', { 'offsets.storage.topic': 'own' });
  const failed = { code: 'STORAGE_TOPIC_CLEANUP_POLICY', message: expect.stringContaining('offsets.storage.topic') };
  await expect(stores.open('c')).rejects.toMatchObject(failed);
  kafka.createTopic('own', 1);
  await waitFor(
    'the topic to be usable',
    async () =>
      await stores.open('c').then(
        () => true,
        () => false,
      ),
  );
});

test('after the stop, no offset is stored in only one of two topics', async () => {
  configs.set('c', { 'offsets.storage.topic': 'own' });
  await stores.write('c', [[{ p: 1 }, { n: 1 }]]);
  await texts(SHARED, 1);
  await stores.stop();
  await expect(stores.write('c', [[{ p: 1 }, { n: 2 }]])).rejects.toMatchObject({ code: 'STORAGE_CLOSED' });
  expect(made.every(({ closed }) => closed)).toBe(true);
  expect(kafka.texts(SHARED)).toHaveLength(1);
});
