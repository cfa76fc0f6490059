/**
 * Pipelines whose records are Avro: Debezium in Java’s worker with Confluent’s AvroConverter, and Millrace’s source
 * with its own, on the same Kafka and the same registry.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { JavaConverter } from '../../../dev/avro-converter/java-converter';
import { ownRead } from '../../../dev/avro-converter/own-converter';
import { startApicurio, type Apicurio } from '../../../dev/services/apicurio';
import { avroConverterClasses } from '../../../dev/services/avro-converter-classes';
import { debeziumPluginPath } from '../../../dev/services/debezium-jars';
import { javaConnectJars } from '../../../dev/services/java-connect-jars';
import { fetchPythonAvro } from '../../../dev/services/python-avro';
import { whyNoPip } from '../../../dev/services/python-packages';
import type { StartedWorker } from '../../../dev/services/worker';
import { Clients } from '../../helpers/kafka-clients';
import { TestDatabase } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { ask, Cluster, describeWithJava, reaches } from './fixtures';

const CONVERTER = 'io.confluent.connect.avro.AvroConverter';
const FILE_SINK = 'org.apache.kafka.connect.file.FileStreamSinkConnector';
const TABLES = `
  CREATE TYPE mood AS ENUM ('sad', 'ok');
  CREATE TABLE todo (id int PRIMARY KEY, title text NOT NULL DEFAULT 'none', done boolean, price numeric(8,2),
    at timestamptz, day date, tags text[], data bytea, doc jsonb, m mood, big bigint, score double precision);
  CREATE TABLE pairs (a int, b text, note text, PRIMARY KEY (a, b));
  CREATE TABLE keyless (v uuid, bits bit(12), f real, t time, i interval, n numeric);
  ALTER TABLE keyless REPLICA IDENTITY FULL;
  CREATE TABLE last (id int PRIMARY KEY)`;
const ALL = ['todo', 'pairs', 'keyless', 'last'];

const changes = (from: number): string => `
  INSERT INTO todo SELECT i, 'title ' || i, i % 2 = 0, i / 3.0, '2024-02-29 12:00:00.123456Z', '2024-02-29', ARRAY['a', NULL],
    '\\x00ff', '{"a": 1}', 'ok', 9223372036854775807, 0.1 FROM generate_series(${from}, ${from + 20}) i;
  INSERT INTO todo (id, title) VALUES (${from + 50}, 'ü 😀');
  UPDATE todo SET title = 'changed' WHERE id % 3 = 0; UPDATE todo SET id = id + 1000 WHERE id = ${from + 50};
  DELETE FROM todo WHERE id % 5 = 0;
  INSERT INTO pairs VALUES (${from}, 'x', NULL); UPDATE pairs SET note = 'n'; DELETE FROM pairs;
  INSERT INTO keyless VALUES ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', B'000100000001', 1.5, '24:00', '1 day', 1.10), (NULL, NULL, NULL, NULL, NULL, NULL);
  UPDATE keyless SET f = -0.0; DELETE FROM keyless;
  INSERT INTO last VALUES (${from})`;

interface Bytes {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

const noPip = whyNoPip();
if (noPip !== null) process.stderr.write(`SKIPPED: Avro is not read by Python. ${noPip}\n`);

describeWithJava('Avro pipelines of Java and of Millrace', () => {
  let registry: Apicurio;
  let cluster: Cluster;
  let clients: Clients;
  let database: TestDatabase;
  let classes: string;
  let plugins: string;

  const converters = (): Record<string, string> =>
    Object.fromEntries(
      ['key', 'value'].flatMap((part) => [
        [`${part}.converter`, CONVERTER],
        [`${part}.converter.schema.registry.url`, registry.url],
      ]),
    );
  const javaWorker = async (): Promise<StartedWorker> =>
    await cluster.java({ 'plugin.path': plugins }, undefined, [classes]);

  beforeAll(async () => {
    const [debezium, java] = await Promise.all([debeziumPluginPath(), javaConnectJars()]);
    plugins = [debezium, java.pluginPath].join();
    [registry, classes] = await Promise.all([startApicurio(), avroConverterClasses()]);
    clients = new Clients();
  });
  beforeEach(async () => {
    cluster = await Cluster.create();
    database = await TestDatabase.create(TABLES);
  });
  afterEach(async () => {
    await cluster?.close();
    await database?.drop();
  });
  afterAll(async () => {
    await clients?.close();
    await registry?.stop();
  });

  async function records(topic: string): Promise<Bytes[]> {
    if ((await clients.admin.describeTopics([topic])).every(({ partitions }) => partitions.length === 0)) return [];
    const at = { topic, partition: 0 };
    const [end] = await clients.admin.listOffsets([at], 'latest');
    const consumer = await clients.assigned();
    consumer.assign([at]);
    await consumer.seekToBeginning([at]);
    const seen: Bytes[] = [];
    while (seen.length < (end?.offset ?? 0))
      for (const batch of await consumer.poll(200))
        for (const { key, value } of batch.records) seen.push({ key, value });
    await consumer.close();
    return seen;
  }
  const until = async (topic: string, count: number): Promise<void> =>
    void (await waitFor(`${count} records of ${topic}`, async () => (await records(topic)).length >= count, {
      detail: () => cluster.logs(),
    }));
  const linesWhen = async (file: string, count: number): Promise<string[]> =>
    await waitFor(
      `${count} lines in ${file}`,
      async () => {
        const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1);
        return lines.length >= count && lines;
      },
      { detail: () => cluster.logs() },
    );
  const get = async (path: string): Promise<unknown> => await (await fetch(`${registry.url}${path}`)).json();

  test('a change stream of both: the same schemas, ids and bytes', async () => {
    const prefix = database.name;
    const settings = { 'snapshot.mode': 'no_data', ...converters() };
    const java = await javaWorker();
    await java.register({ name: `${prefix}_java`, config: database.sourceConfig(settings) });
    await reaches(java, `${prefix}_java`, 'RUNNING RUNNING');
    const other = await Cluster.create();
    try {
      const ours = await other.ours();
      const renamed = {
        transforms: 'rename',
        'transforms.rename.type': 'org.apache.kafka.connect.transforms.RegexRouter',
        'transforms.rename.regex': '(.*)',
        'transforms.rename.replacement': 'ours.$1',
      };
      const slot = { 'slot.name': `${database.slot}_ours`, 'publication.name': `pub_${prefix}_ours` };
      const config = database.sourceConfig({ ...settings, ...slot, ...renamed });
      await ours.register({ name: `${prefix}_ours`, config });
      await ours.running(`${prefix}_ours`);
      await waitFor(
        'both to stream',
        async () => (await database.slots()).filter(({ active }) => active).length === 2,
        {
          detail: () => cluster.logs() + other.logs(),
        },
      );
      for (const [i, from] of [1, 101].entries()) {
        await database.query(changes(from));
        await until(`${prefix}.public.last`, i + 1);
        await until(`ours.${prefix}.public.last`, i + 1);
      }
      const subjects = (await get('/subjects')) as string[];
      for (const table of ALL) {
        const topic = `${prefix}.public.${table}`;
        const [theirs, own] = await Promise.all([records(topic), records(`ours.${topic}`)]);
        // Debezium alone sends a tombstone for a row without a key.
        const keyed = theirs.filter(({ key, value }) => key !== null || value !== null);
        expect([table, own.map(shown)]).toEqual([table, keyed.map(shown)]);
        for (const part of table === 'keyless' ? ['value'] : ['key', 'value'])
          expect(subjects.filter((subject) => subject.endsWith(`${topic}-${part}`)).sort()).toEqual(
            [`${topic}-${part}`, `ours.${topic}-${part}`].sort(),
          );
      }
      // Each worker's file sink reads what Java's worker wrote.
      const files = new Map([
        [java, cluster.path('java')],
        [ours, other.path('ours')],
      ]);
      for (const [worker, file] of files) {
        const name = `${prefix}_sink_${worker === java ? 'java' : 'ours'}`;
        const sink = { 'connector.class': FILE_SINK, topics: `${prefix}.public.todo`, file, ...converters() };
        await worker.register({ name, config: { ...sink, 'consumer.override.auto.offset.reset': 'earliest' } });
      }
      const count = (await records(`${prefix}.public.todo`)).length;
      const [theirs, own] = await Promise.all([...files.values()].map(async (file) => await linesWhen(file, count)));
      // Java shows the object that holds bytes.
      expect(own).toEqual(theirs?.map((line) => line.replaceAll(/java\.nio\.\w+\[pos=0 lim=2 cap=2\]/g, 'AP8=')));
    } finally {
      await other.close();
    }
  });

  (noPip === null ? test : test.skip)('Python’s clients and Java’s converter read what Millrace writes', async () => {
    const name = uniqueName('read');
    const topic = `${database.name}.public.todo`;
    const worker = await cluster.ours();
    await worker.register({ name, config: database.sourceConfig({ 'snapshot.mode': 'initial', ...converters() }) });
    await worker.running(name);
    await database.query(`${changes(1)}; UPDATE last SET id = 0`);
    await until(`${database.name}.public.last`, 2);
    const all = await records(topic);
    const { stdout } = await promisify(execFile)(
      'python3',
      [join(__dirname, 'read-avro.py'), process.env.BOOTSTRAP_SERVERS ?? '', registry.url, topic, String(all.length)],
      { env: { ...process.env, PYTHONPATH: await fetchPythonAvro() }, maxBuffer: 64 << 20 },
    );
    const seen = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(seen).toHaveLength(all.length);
    expect(seen[1]).toMatchObject([
      { id: 2 },
      {
        before: null,
        after: {
          ...{ id: 2, title: 'title 2', done: true, price: '0.67', at: '2024-02-29T12:00:00.123456Z', day: 19_782 },
          ...{ tags: ['a', null], data: '00ff', doc: '{"a": 1}', m: 'ok', score: 0.1 },
        },
        op: 'c',
      },
    ]);
    const java = await JavaConverter.create();
    try {
      for (const { key, value } of all)
        for (const bytes of [key, value]) {
          if (bytes === null) continue;
          const { schema: avro } = (await get(`/schemas/ids/${bytes.readInt32BE(1)}`)) as { schema: string };
          const question = { settings: {}, isKey: bytes === key, topic, avro, bytes: bytes.toString('hex', 5) };
          const { value: read, error } = await java.read(question);
          const own = ownRead({}, question.isKey, avro, question.bytes);
          expect([error, read]).toEqual([undefined, own.value]);
        }
    } finally {
      await java.close();
    }
  });

  test('a pipeline is taken over from Java in place, and handed back', async () => {
    const name = uniqueName('pipeline');
    const topic = `${database.name}.public.todo`;
    const file = cluster.path('todo');
    const source = { name, config: { ...database.sourceConfig({ 'snapshot.mode': 'initial', ...converters() }) } };
    const sink = {
      name: `${name}_sink`,
      config: {
        'connector.class': FILE_SINK,
        topics: topic,
        file,
        'consumer.override.auto.offset.reset': 'earliest',
        ...converters(),
      },
    };
    let expected = 0;
    const change = async (from: number): Promise<void> => {
      await database.query(
        `INSERT INTO todo (id, title, price, at) SELECT i, 'title ' || i, i / 3.0, now() FROM generate_series(${from}, ${from + 9}) i`,
      );
      expected += 10;
      await linesWhen(file, expected);
    };
    await database.query("INSERT INTO todo (id, title) VALUES (0, 'of the snapshot')");
    expected = 1;
    let worker = await javaWorker();
    for (const one of [source, sink]) {
      await worker.register(one);
      await reaches(worker, one.name, 'RUNNING RUNNING', worker);
    }
    await change(100);
    await worker.stop();

    worker = await cluster.ours();
    for (const one of [source, sink]) await reaches(worker, one.name, 'RUNNING RUNNING', worker);
    await change(200);
    expect((await ask(worker, 'GET', `/connectors/${name}/config`)).json).toMatchObject(source.config);
    await worker.stop();

    worker = await javaWorker();
    for (const one of [source, sink]) await reaches(worker, one.name, 'RUNNING RUNNING', worker);
    await change(300);

    const written = await linesWhen(file, expected);
    expect(new Set(written).size).toBe(expected);
    // Java's and ours show a struct in the same form, so that only values differ.
    const shape = (line: string): string => (line.match(/\w+=/g) ?? []).join('');
    expect(new Set(written.slice(1).map(shape)).size).toBe(1);
    const all = await records(topic);
    expect(all).toHaveLength(expected);
    // One id: Millrace made the very schema that Java had registered.
    expect(new Set(all.map(({ value }) => value?.readInt32BE(1))).size).toBe(1);
    expect(new Set(all.map(({ key }) => key?.readInt32BE(1))).size).toBe(1);
  });
});

/** Times of processing: an event ends with three, each after a number that says that it is there. */
const NUMBERS_AT_END = 6;

/** An event without its times of processing. */
function shown({ key, value }: Bytes): string {
  let end = value?.length ?? 0;
  if (value !== null)
    for (let number = 0; number < NUMBERS_AT_END; number++) {
      end--;
      while (end > 0 && ((value[end - 1] as number) & 128) !== 0) end--;
    }
  return `${key === null ? 'null' : key.toString('hex')} ${value === null ? 'null' : value.subarray(0, end).toString('hex')}`;
}
