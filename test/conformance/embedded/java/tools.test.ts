/**
 * Apache Kafka's own Java tools against the embedded broker. Each start of a JVM costs a second or two, so a
 * test checks all output of its tools. They share a broker: every test has topics and groups of its own.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedBroker, type EmbeddedBroker } from '../../../../packages/embedded/src/broker';
import { findJava, kafkaClassPath } from '../../../../dev/services/kafka-jars';
import { runKafkaTool } from '../../../../dev/services/kafka';
import { cell, numbered, tlsIdentity, USER } from '../../../embedded/clients/cell';
import { describeWithKafka } from '../../../helpers/java';
import { uniqueName } from '../../../helpers/unique-name';

const TOOLS = 'org.apache.kafka.tools';
const COUNT = 300;
let broker: EmbeddedBroker;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'embedded-java-'));
  broker = await startEmbeddedBroker({ dataDir: join(folder, 'data'), log: () => undefined });
});
afterAll(async () => {
  await broker?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const where = (to = broker): string[] => ['--bootstrap-server', to.bootstrapServers];
const topics = (...args: string[]) => runKafkaTool(`${TOOLS}.TopicCommand`, [...where(), ...args]);
const groups = (...args: string[]) =>
  runKafkaTool(`${TOOLS}.consumer.group.ConsumerGroupCommand`, [...where(), ...args]);
const offsets = (...args: string[]) => runKafkaTool(`${TOOLS}.GetOffsetShell`, [...where(), ...args]);
const transactions = (...args: string[]) => runKafkaTool(`${TOOLS}.TransactionsCommand`, [...where(), ...args]);
const configs = (topic: string, ...args: string[]) =>
  runKafkaTool('kafka.admin.ConfigCommand', [...where(), '--entity-type', 'topics', '--entity-name', topic, ...args]);
/** Words of each line of a tool's output. */
const rows = (output: string): string[][] =>
  output
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));

async function produce(topic: string, ...args: string[]): Promise<void> {
  const [java, classPath] = await Promise.all([findJava(), kafkaClassPath()]);
  const flags = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', classPath];
  const child = execFile(java, [...flags, `${TOOLS}.ConsoleProducer`, ...where(), '--topic', topic, ...args]);
  child.stdin!.end(numbered(COUNT).join('\n') + '\n');
  expect(await once(child, 'exit')).toEqual([0, null]);
}

/** The first values of the topic. */
async function consume(topic: string, count: number, ...args: string[]): Promise<string[]> {
  const output = await runKafkaTool(`${TOOLS}.consumer.ConsoleConsumer`, [
    ...[...where(), '--topic', topic, '--from-beginning', '--max-messages', String(count), '--timeout-ms', '60000'],
    ...args,
  ]);
  return output.trim().split('\n');
}

async function perf(topic: string, ...args: string[]): Promise<string> {
  return runKafkaTool(`${TOOLS}.ProducerPerformance`, [
    ...[...where(), '--topic', topic, '--throughput', '-1', '--num-records', '5000', '--record-size', '100'],
    ...args,
  ]);
}

describeWithKafka("Apache Kafka's own tools", () => {
  const shared = uniqueName('shared');

  cell('Java', 'create a topic', async () => {
    const created = await topics(
      '--create',
      '--topic',
      shared,
      '--partitions',
      '2',
      '--config',
      'retention.ms=86400001',
    );
    expect(created).toContain(`Created topic ${shared}.`);
    await expect(topics('--create', '--topic', shared)).rejects.toThrow(/already exists/);
  });

  cell('Java', 'list topics', async () => {
    expect((await topics('--list')).split('\n')).toContain(shared);
  });

  cell('Java', 'describe a topic', async () => {
    const described = await topics('--describe', '--topic', shared);
    expect(described).toMatch(/PartitionCount: 2\s+ReplicationFactor: 1\s+Configs: retention.ms=86400001/);
    expect(described).toMatch(/Partition: 1\s+Leader: 1\s+Replicas: 1\s+Isr: 1/);
  });

  cell('Java', 'add partitions', async () => {
    await topics('--alter', '--topic', shared, '--partitions', '3');
    expect(await topics('--describe', '--topic', shared)).toContain('PartitionCount: 3');
    await expect(topics('--alter', '--topic', shared, '--partitions', '2')).rejects.toThrow(/currently has 3/);
  });

  cell('Java', 'describe configs', async () => {
    const all = await configs(shared, '--describe', '--all');
    expect(all).toMatch(/retention.ms=86400001 .*DYNAMIC_TOPIC_CONFIG:retention.ms=86400001, DEFAULT_CONFIG/);
    expect(all).toMatch(/cleanup.policy=delete .*DEFAULT_CONFIG/);
  });

  cell('Java', 'alter configs', async () => {
    await configs(
      shared,
      '--alter',
      '--add-config',
      'cleanup.policy=[compact,delete]',
      '--delete-config',
      'retention.ms',
    );
    const own = await configs(shared, '--describe');
    expect(own).toContain('cleanup.policy=compact,delete');
    expect(own).not.toContain('retention.ms');
    await expect(configs(shared, '--alter', '--add-config', 'retention.ms=soon')).rejects.toThrow(/Not a number/);
  });

  cell('Java', 'delete a topic', async () => {
    await topics('--delete', '--topic', shared);
    expect((await topics('--list')).split('\n')).not.toContain(shared);
  });

  const records = uniqueName('records');

  cell('Java', 'produce', async () => {
    await produce(records);
    expect(await offsets('--topic', records)).toBe(`${records}:0:${COUNT}\n`);
  });

  cell('Java', 'consume', async () => {
    expect(await consume(records, COUNT, '--partition', '0')).toEqual(numbered(COUNT));
  });

  cell('Java', 'produce compressed', async () => {
    const topic = uniqueName('compressed');
    for (const codec of ['gzip', 'snappy', 'lz4', 'zstd']) await produce(topic, '--compression-codec', codec);
    const wanted = Array.from({ length: 4 }, () => numbered(COUNT)).flat();
    expect(await consume(topic, wanted.length)).toEqual(wanted);
  });

  cell('Java', 'produce idempotently', async () => {
    const topic = uniqueName('idempotent');
    broker.faults.cut('Produce', 'after', { times: 3 });
    const printed = await perf(topic, '--command-property', 'enable.idempotence=true', 'batch.size=1000');
    expect(printed).toContain('5000 records sent');
    expect(await offsets('--topic', topic)).toBe(`${topic}:0:5000\n`);
  });

  const transactional = uniqueName('transactional');

  cell('Java', 'produce in transactions', async () => {
    const duration = ['--transaction-duration-ms', '20'];
    const printed = await perf(transactional, '--transactional-id', transactional, ...duration);
    expect(printed).toContain('5000 records sent');
    // The records and at least one marker.
    const [, , end] = (await offsets('--topic', transactional)).trim().split(':');
    expect(Number(end)).toBeGreaterThan(5_000);
  });

  cell('Java', 'consume committed records only', async () => {
    const read = await consume(transactional, 5_000, '--isolation-level', 'read_committed');
    expect(read).toHaveLength(5_000);
  });

  cell('Java', 'describe transactions', async () => {
    const [, listed] = rows(await transactions('list'));
    expect(listed).toEqual([transactional, '1', expect.stringMatching(/^\d+$/), 'CompleteCommit']);
    const [, described] = rows(await transactions('describe', '--transactional-id', transactional));
    expect(described!.slice(0, 2)).toEqual(['1', transactional]);
    const [, producer] = rows(await transactions('describe-producers', '--topic', transactional, '--partition', '0'));
    expect([producer![0], producer![3]]).toEqual([listed![2], '4999']);
    expect(rows(await transactions('find-hanging', '--broker-id', '1'))).toHaveLength(1);
  });

  cell('Java', 'find offsets by time', async () => {
    const at = async (time: string) => (await offsets('--topic', records, '--time', time)).trim();
    expect(await at('earliest')).toBe(`${records}:0:0`);
    expect(await at('max-timestamp')).toMatch(new RegExp(`^${records}:0:\\d+$`));
    expect(await at('0')).toBe(`${records}:0:0`);
    expect(await at('earliest-local')).toBe(`${records}:0:0`);
  });

  const group = uniqueName('group');

  cell('Java', 'consume in a group', async () => {
    expect(await consume(records, 100, '--group', group)).toEqual(numbered(COUNT).slice(0, 100));
    expect(await consume(records, 200, '--group', group)).toEqual(numbered(COUNT).slice(100));
  });

  cell('Java', 'list groups', async () => {
    const listed = await groups('--list', '--state');
    expect(rows(listed)).toContainEqual([group, 'Empty']);
  });

  cell('Java', 'describe a group', async () => {
    const described = rows(await groups('--describe', '--group', group));
    expect(described.at(-1)!.slice(0, 6)).toEqual([group, records, '0', String(COUNT), String(COUNT), '0']);
    expect(rows(await groups('--describe', '--group', group, '--state')).at(-1)).toContain('Empty');
  });

  cell('Java', 'read committed offsets', async () => {
    const exported = await groups('--group', group, '--reset-offsets', '--to-current', '--topic', records, '--export');
    expect(exported).toContain(`${records},0,${COUNT}`);
  });

  cell('Java', 'reset offsets', async () => {
    await groups('--group', group, '--reset-offsets', '--to-offset', '290', '--topic', records, '--execute');
    expect(await consume(records, 10, '--group', group)).toEqual(numbered(COUNT).slice(290));
  });

  cell('Java', 'delete offsets', async () => {
    expect(await groups('--delete-offsets', '--group', group, '--topic', records)).toMatch(/\s0\s+Successful/);
  });

  cell('Java', 'delete a group', async () => {
    expect(await groups('--delete', '--group', group)).toContain('was successful');
    expect(await groups('--list')).not.toContain(group);
  });

  cell('Java', 'delete records', async () => {
    const wanted = { version: 1, partitions: [{ topic: records, partition: 0, offset: 250 }] };
    const args = ['--offset-json-file', file('delete.json', JSON.stringify(wanted))];
    const deleted = await runKafkaTool(`${TOOLS}.DeleteRecordsCommand`, [...where(), ...args]);
    expect(deleted).toMatch(new RegExp(`partition: ${records}-0\\s+low_watermark: 250`));
    expect(await consume(records, 50)).toEqual(numbered(COUNT).slice(250));
  });

  cell('Java', 'describe the cluster', async () => {
    const printed = await runKafkaTool(`${TOOLS}.ClusterTool`, ['cluster-id', ...where()]);
    expect(printed).toContain(`Cluster ID: ${broker.clusterId}`);
    const endpoints = rows(await runKafkaTool(`${TOOLS}.ClusterTool`, ['list-endpoints', ...where()]));
    expect(endpoints.at(-1)!.slice(0, 3)).toEqual(['1', '127.0.0.1', String(broker.port)]);
  });

  cell('Java', 'list API versions', async () => {
    const versions = await runKafkaTool(`${TOOLS}.BrokerApiVersionsCommand`, where());
    expect(versions).toContain('Fetch(1): 4 to 13 [usable: 13]');
  });

  cell('Java', 'describe log folders', async () => {
    const printed = await runKafkaTool(`${TOOLS}.LogDirsCommand`, [...where(), '--describe', '--topic-list', records]);
    const json = printed.split('\n').find((line) => line.startsWith('{')) as string;
    expect(JSON.parse(json)).toMatchObject({
      brokers: [{ broker: 1, logDirs: [{ partitions: [{ partition: `${records}-0`, isFuture: false }] }] }],
    });
  });

  cell('Java', 'authenticate with SASL PLAIN', async () => {
    const secured = await startEmbeddedBroker({ users: { [USER.username]: USER.password }, log: () => undefined });
    try {
      const login = (password: string): string[] => {
        const module = 'org.apache.kafka.common.security.plain.PlainLoginModule';
        const jaas = `${module} required username="${USER.username}" password="${password}";`;
        const text = `security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config=${jaas}\n`;
        return ['--command-config', file('sasl.properties', text)];
      };
      const list = (password: string) =>
        runKafkaTool(`${TOOLS}.TopicCommand`, [...where(secured), '--list', ...login(password)]);
      expect((await list(USER.password)).trim()).toBe('');
      await expect(list('wrong')).rejects.toThrow(/uthentication failed/);
    } finally {
      await secured.stop();
    }
  });

  cell('Java', 'use TLS', async () => {
    const { tls, ca } = tlsIdentity();
    const secured = await startEmbeddedBroker({ tls, log: () => undefined });
    try {
      const trust = `ssl.truststore.type=PEM\nssl.truststore.location=${file('ca.pem', ca)}\n`;
      const args = ['--list', '--command-config', file('tls.properties', `security.protocol=SSL\n${trust}`)];
      expect((await runKafkaTool(`${TOOLS}.TopicCommand`, [...where(secured), ...args])).trim()).toBe('');
    } finally {
      await secured.stop();
    }
  });
});
