/** Records and administration in the embedded broker as our own clients use them (kafka-client §4). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { EmbeddedBroker } from '../../../packages/embedded/src/broker';
import { createKafkaClients } from '../../../packages/kafka-client/src/create-clients';
import type { Admin, Producer } from '../../../packages/kafka-client/src/port';
import { silentLogger } from '../../../src/logging/logger';
import { makeIdentity } from '../../kafka/certificates';
import { brokers } from '../broker-harness';

const start = brokers();
const ours = createKafkaClients(silentLogger);
const closing: (() => Promise<unknown>)[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});
const own = <T extends { close(): Promise<unknown> }>(client: T): T => {
  closing.push(() => client.close());
  return client;
};
const configOf = (broker: EmbeddedBroker, more: Record<string, string> = {}): Record<string, string> => ({
  'bootstrap.servers': broker.bootstrapServers,
  ...more,
});
const adminOf = (broker: EmbeddedBroker): Admin => own(ours.admin(configOf(broker)));

async function producerOf(broker: EmbeddedBroker, topic: string, more: Record<string, string> = {}): Promise<Producer> {
  const producer = own(ours.producer(configOf(broker, more)));
  await producer.connect();
  await producer.prepare([topic]);
  return producer;
}

/** Offsets, or error codes, of the deliveries. */
async function send(producer: Producer, topic: string, values: readonly string[]): Promise<(number | string)[]> {
  const seen: (number | string)[] = [];
  for (const value of values) {
    producer.send({ topic, partition: 0, key: Buffer.from('k'), value: Buffer.from(value) }, (error, _t, _n, _p, at) =>
      seen.push(error ? error.code : at),
    );
  }
  await producer.flush();
  return seen;
}

async function consume(broker: EmbeddedBroker, topic: string, count: number, more: Record<string, string> = {}) {
  const consumer = own(ours.assignedConsumer(configOf(broker, { 'auto.offset.reset': 'earliest', ...more })));
  await consumer.connect();
  consumer.assign([{ topic, partition: 0 }]);
  const values: string[] = [];
  while (values.length < count) {
    for (const batch of await consumer.poll(5_000)) {
      values.push(...batch.records.map((record) => String(record.value)));
    }
  }
  return values;
}
const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `value ${i}`);
const dataDir = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-data-'));
  folders.push(folder);
  return folder;
};

describe('our own clients', () => {
  test.each(['none', 'gzip', 'snappy', 'lz4', 'zstd'])('produce and consume, compression %s', async (compression) => {
    const broker = await start();
    const producer = await producerOf(broker, 't', { 'compression.type': compression });
    expect(await send(producer, 't', numbered(500))).toEqual(numbered(500).map((_, i) => i));
    expect(await consume(broker, 't', 500)).toEqual(numbered(500));
    const admin = adminOf(broker);
    expect(await admin.listOffsets([{ topic: 't', partition: 0 }], { timestamp: 0 })).toMatchObject([{ offset: 0 }]);
  });

  test('admin: create, describe, enlarge, configure and delete topics', async () => {
    const broker = await start({ defaultPartitions: 2 });
    const admin = adminOf(broker);
    const configs = { 'cleanup.policy': 'compact', 'segment.ms': '1000' };
    await admin.createTopics([{ name: 'a', partitions: 3, replicationFactor: 1, configs }]);
    expect(await admin.createTopics([{ name: 'b', partitions: -1, replicationFactor: -1 }])).toEqual(['b']);
    expect(await admin.createTopics([{ name: 'a', partitions: 1, replicationFactor: 1 }])).toEqual([]);
    expect((await admin.listTopics()).sort()).toEqual(['a', 'b']);
    await admin.createPartitions('a', 5);
    const described = await admin.describeTopics(['a', 'b', 'unknown']);
    expect(described.map((topic) => [topic.name, topic.partitions.length])).toEqual([
      ['a', 5],
      ['b', 2],
    ]);
    expect(await admin.topicConfig('a')).toMatchObject({ ...configs, 'retention.ms': '604800000' });
    await admin.alterTopicConfig('a', { 'retention.ms': '5' }, ['segment.ms']);
    expect(await admin.topicConfig('a')).toMatchObject({ 'retention.ms': '5', 'segment.ms': '604800000' });
    await expect(admin.alterTopicConfig('a', { 'retention.ms': 'soon' })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
    });
    await expect(admin.alterTopicConfig('a', { nonsense: '1' })).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    await admin.deleteTopics(['a']);
    expect(await admin.listTopics()).toEqual(['b']);
    const cluster = await admin.describeCluster();
    expect(cluster).toMatchObject({
      clusterId: broker.clusterId,
      controllerId: 1,
      brokers: [{ id: 1, port: broker.port }],
    });
  });

  test('admin: offsets by time, and the earliest offset after DeleteRecords', async () => {
    const broker = await start();
    const producer = await producerOf(broker, 't');
    for (let i = 0; i < 10; i++) {
      producer.send({ topic: 't', partition: 0, key: null, value: Buffer.from(`${i}`), timestamp: 1_000 + i * 10 });
    }
    await producer.flush();
    const admin = adminOf(broker);
    const at = [{ topic: 't', partition: 0 }];
    const offsetAt = async (when: 'earliest' | 'latest' | { timestamp: number }) =>
      (await admin.listOffsets(at, when))[0]?.offset;
    expect(await offsetAt({ timestamp: 1_031 })).toBe(4);
    expect(await offsetAt({ timestamp: 1_040 })).toBe(4);
    expect([await offsetAt('earliest'), await offsetAt('latest')]).toEqual([0, 10]);
    await admin.deleteRecords([{ topic: 't', partition: 0, offset: 6 }]);
    expect([await offsetAt('earliest'), await offsetAt('latest')]).toEqual([6, 10]);
    expect(await consume(broker, 't', 4)).toEqual(['6', '7', '8', '9']);
  });

  test('rejected: too large records, compacted topics without a key, unknown topics', async () => {
    const broker = await start({ autoCreateTopics: false });
    const admin = adminOf(broker);
    const configs = { 'max.message.bytes': '1000', 'cleanup.policy': 'compact' };
    await admin.createTopics([{ name: 't', partitions: 1, replicationFactor: 1, configs }]);
    const producer = await producerOf(broker, 't');
    expect(await send(producer, 't', ['x'.repeat(2_000)])).toEqual(['MESSAGE_TOO_LARGE']);
    const codes: unknown[] = [];
    producer.send({ topic: 't', partition: 0, key: null, value: null }, (error) => codes.push(error?.code));
    await producer.flush();
    expect(codes).toEqual(['INVALID_RECORD']);
    expect(await send(producer, 't', ['ok'])).toEqual([0]);
    expect(await admin.listTopics()).toEqual(['t']);
  });
});

describe('kept in files', () => {
  test.each(['always', 'never'] as const)(
    'fsync %s: topics, configs, records and ids are there again',
    async (fsync) => {
      const folder = dataDir();
      const first = await start({ dataDir: folder, fsync });
      const admin = ours.admin(configOf(first));
      const configs = { 'retention.ms': '123456789' };
      await admin.createTopics([{ name: 't', partitions: 2, replicationFactor: 1, configs }]);
      await admin.createTopics([{ name: 'gone', partitions: 1, replicationFactor: 1 }]);
      await admin.deleteTopics(['gone']);
      await admin.close();
      const producer = await producerOf(first, 't');
      await send(producer, 't', numbered(100));
      await producer.close();
      await first.stop();

      const second = await start({ dataDir: folder, fsync });
      expect(second.clusterId).toBe(first.clusterId);
      const again = adminOf(second);
      expect(await again.listTopics()).toEqual(['t']);
      expect(await again.topicConfig('t')).toMatchObject(configs);
      expect(await consume(second, 't', 100)).toEqual(numbered(100));
      expect(await send(await producerOf(second, 't'), 't', ['next'])).toEqual([100]);
    },
  );

  test('memory: nothing is left behind', async () => {
    const first = await start({ memory: true, dataDir: '/nonexistent/never-made' });
    await send(await producerOf(first, 't'), 't', ['a']);
    expect(await consume(first, 't', 1)).toEqual(['a']);
  });
});

describe('security', () => {
  const users = { alice: 'wonder"land' };
  const jaas = (password: string): string =>
    `org.apache.kafka.common.security.plain.PlainLoginModule required username="alice" password="${password.replaceAll('"', '\\"')}";`;

  test('SASL PLAIN: a wrong password is SASL_AUTHENTICATION_FAILED, and a client without SASL fails', async () => {
    const broker = await start({ users });
    const sasl = (password: string) =>
      configOf(broker, {
        'security.protocol': 'SASL_PLAINTEXT',
        'sasl.mechanism': 'PLAIN',
        'sasl.jaas.config': jaas(password),
        'default.api.timeout.ms': '30000',
      });
    expect(await own(ours.admin(sasl(users.alice))).listTopics()).toEqual([]);
    await expect(own(ours.admin(sasl('wrong'))).listTopics()).rejects.toMatchObject({
      code: 'SASL_AUTHENTICATION_FAILED',
    });
    const none = own(ours.admin(configOf(broker, { 'default.api.timeout.ms': '500' })));
    await expect(none.listTopics()).rejects.toThrow();
  });

  test('TLS, with SASL inside', async () => {
    const authority = makeIdentity('embedded test authority', null);
    const { key, cert } = makeIdentity('broker', authority, '127.0.0.1');
    const broker = await start({ tls: { key, cert }, users });
    const admin = own(
      ours.admin(
        configOf(broker, {
          'security.protocol': 'SASL_SSL',
          'sasl.mechanism': 'PLAIN',
          'sasl.jaas.config': jaas(users.alice),
          'ssl.truststore.type': 'PEM',
          'ssl.truststore.certificates': authority.cert,
        }),
      ),
    );
    await admin.createTopics([{ name: 't', partitions: 1, replicationFactor: 1 }]);
    expect(await admin.listTopics()).toEqual(['t']);
  });
});
