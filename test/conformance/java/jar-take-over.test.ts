/**
 * Connectors in jars move from Java's worker to Millrace and back with their offsets. Source: connect-runtime §1.5,
 * §1.7.
 */
import { readFile } from 'node:fs/promises';
import { pluginPath } from '../../../dev/services/plugin-jars';
import type { StartedWorker } from '../../../dev/services/worker';
import { Clients } from '../../helpers/kafka-clients';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { ask, Cluster, describeWithJava, everything, reaches } from './fixtures';
import { debezium, fileSink, fileSource, GrowingFile, jdbcSink, mirror, type Document } from './jar-documents';
import { recordsOf, textOf } from './topic-contents';

const LINES = 50;

describeWithJava('connectors in jars', () => {
  let cluster: Cluster;
  let clients: Clients;
  let database: TestDatabase;
  let settings: Record<string, string>;
  let documents: readonly Document[];
  let file: GrowingFile;
  let worker: StartedWorker;
  let aliases: readonly [string, string];
  let rows = 0;

  const detail = (): string => cluster.logs();
  const linesTopic = (): string => `${cluster.group}-lines`;
  const sorted = (lines: readonly string[]): string[] => [...lines].sort();
  /** Versions of rows, by id. */
  const contents = async (table: string): Promise<string> =>
    JSON.stringify(await database.query(`SELECT id, v FROM ${table} ORDER BY id`).catch(() => []));

  /** Lines, and rows that are inserted, changed and deleted. */
  async function change(): Promise<void> {
    await file.grow(LINES);
    const from = rows;
    rows += 20;
    await database.query(`INSERT INTO t SELECT n, 0 FROM generate_series(${from}, ${rows - 1}) n`);
    await database.query('UPDATE t SET v = v + 1 WHERE id % 2 = 0');
    await database.query('DELETE FROM t WHERE id % 7 = 3');
  }

  /** Resolves when every connector has delivered everything. */
  async function delivered(): Promise<void> {
    const out = async (): Promise<string[]> =>
      (await readFile(cluster.path('out.txt'), 'utf8').catch(() => '')).split('\n').slice(0, -1);
    await waitFor('all lines to arrive', async () => new Set(await out()).size >= file.lines.length, { detail });
    const wanted = await contents('t');
    await waitFor('all rows to arrive', async () => (await contents('copied')) === wanted, {
      detail: () => `${wanted}\n${detail()}`,
    });
  }

  const written = async (topic: string): Promise<string[]> =>
    (await recordsOf(clients, topic, file.lines.length, detail)).map(textOf);
  const mirrored = (): string => `${aliases[0]}.${linesTopic()}`;

  async function all(): Promise<void> {
    for (const { name, config } of documents)
      await reaches(worker, name, ['RUNNING', ...Array(Number(config['tasks.max'])).fill('RUNNING')].join(' '), worker);
  }

  beforeAll(async () => {
    cluster = await Cluster.create();
    clients = new Clients();
    database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY, v int)');
    settings = { 'plugin.path': await pluginPath('file', 'mirror', 'debezium-postgres', 'debezium-jdbc') };
    file = new GrowingFile(cluster.path('in.txt'));
    await file.grow(LINES);
    await clients.topic(1, {}, linesTopic());
    aliases = [`a-${cluster.group}`, `b-${cluster.group}`];
    documents = [
      fileSource('lines', linesTopic(), file.path),
      fileSink('lines-copied', linesTopic(), cluster.path('out.txt')),
      mirror('Source', 'mirror', aliases, { topics: linesTopic() }),
      mirror('Checkpoint', 'checkpoints', aliases, { groups: 'connect-lines-copied' }),
      mirror('Heartbeat', 'heartbeats', aliases),
      debezium('rows', database, { 'table.include.list': 'public.t', 'tombstones.on.delete': 'false' }),
      jdbcSink('rows-copied', `${database.name}.public.t`, database, 'copied'),
    ];
    worker = await cluster.java(settings);
    for (const document of documents) await worker.register(document);
    await all();
    await change();
    await delivered();
  });
  afterAll(async () => {
    await cluster?.close();
    await clients?.close();
    await database?.drop();
  });

  test('connect-runtime 28: Millrace runs the jars of a Java worker from its offsets: nothing is lost or repeated', async () => {
    const before = await everything(worker);
    await worker.stop();
    await change();
    worker = await cluster.ours(settings);
    await all();
    expect(await everything(worker)).toEqual(before);
    await delivered();
    expect(await written(linesTopic())).toEqual(file.lines);
    expect(await written(mirrored())).toEqual(file.lines);
  });

  test('connect-runtime 29: a Java worker continues from the offsets of the jars that Millrace ran', async () => {
    await change();
    await delivered();
    const before = await everything(worker);
    await worker.stop();
    await change();
    // The next test kills it: the consumers of its sinks keep their partitions for this long.
    worker = await cluster.java({ ...settings, 'consumer.session.timeout.ms': '6000' });
    await all();
    expect(await everything(worker)).toEqual(before);
    await delivered();
    expect(sorted(await written(linesTopic()))).toEqual(sorted(file.lines));
    expect(sorted(await written(mirrored()))).toEqual(sorted(file.lines));
  });

  test('connect-runtime 31: after a Java worker is killed, Millrace runs its jars and nothing is lost', async () => {
    await change();
    await worker.crash();
    await change();
    worker = await cluster.ours(settings);
    await delivered();
    expect(new Set(await written(linesTopic()))).toEqual(new Set(file.lines));
    expect(new Set(await written(mirrored()))).toEqual(new Set(file.lines));
    for (const { name } of documents) expect((await ask(worker, 'DELETE', `/connectors/${name}`)).status).toBe(204);
  });
});
