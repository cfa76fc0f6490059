/** The same work of Debezium and of the PostgreSQL source, and their metrics. Source: cdc-postgres §8.1. */
import { debeziumPluginPath } from '../../../dev/services/debezium-jars';
import type { StartedWorker } from '../../../dev/services/worker';
import { parsePrometheus } from '../../helpers/prometheus';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { Cluster, describeWithJava, reaches } from './fixtures';
import { canReadJmx, readJmx } from './read-metrics';

const ROWS = 30;

/** By context and attribute; of a map, also by its key: `streaming NumberOfCreateEventsSeen public.a`. */
type Figures = Map<string, number>;
type Read = (worker: StartedWorker) => Promise<Figures>;

/** All attributes that JMX has, also those without a number. */
const attributes = new Set<string>();

async function ofJava(worker: StartedWorker): Promise<Figures> {
  const figures: Figures = new Map();
  for (const { keys, attribute, value } of await readJmx(worker, ['debezium.postgres'])) {
    if (keys.context === undefined) continue;
    const name = `${keys.context} ${attribute}`;
    attributes.add(name);
    if (value === 'true' || value === 'false') figures.set(name, value === 'true' ? 1 : 0);
    else if (value !== 'null' && !Number.isNaN(Number(value))) figures.set(name, Number(value));
    for (const [, key = '', number] of value.matchAll(/(public\.\w+)=(\d+)/g))
      figures.set(`${name} ${key}`, Number(number));
  }
  return figures;
}

async function ofOurs(worker: StartedWorker): Promise<Figures> {
  const figures: Figures = new Map();
  for (const [name, { samples }] of parsePrometheus((await worker.request('GET', '/metrics')).body)) {
    if (!name.startsWith('debezium_metrics_')) continue;
    for (const { labels, value } of samples) {
      const key = labels.table ?? labels.key;
      figures.set([labels.context, name.slice('debezium_metrics_'.length), key].filter(Boolean).join(' '), value);
    }
  }
  return figures;
}

(canReadJmx ? describeWithJava : describe.skip)('metrics of the PostgreSQL source', () => {
  const clusters: Cluster[] = [];
  const databases: TestDatabase[] = [];
  let java: Figures;
  let ours: Figures;

  async function work(kind: 'java' | 'ours', read: Read): Promise<Figures> {
    const cluster = await Cluster.create();
    clusters.push(cluster);
    const database = await TestDatabase.create(
      `CREATE TABLE a (id int PRIMARY KEY, v int); INSERT INTO a SELECT i, i FROM generate_series(1, ${ROWS}) i;
       CREATE TABLE b (id int PRIMARY KEY); INSERT INTO b VALUES (1), (2); CREATE TABLE c (id int)`,
    );
    databases.push(database);
    const worker = await cluster[kind]({ 'plugin.path': kind === 'java' ? await debeziumPluginPath() : '' });
    const config = database.sourceConfig({
      'table.include.list': 'public.a,public.b',
      'internal.advanced.metrics.enable': 'true',
      'max.queue.size.in.bytes': '1000000',
    });
    await worker.register({ name: database.name, config });
    await reaches(worker, database.name, 'RUNNING RUNNING', worker);
    let figures: Figures = new Map();
    const become = async (name: string, value: number): Promise<void> => {
      const detail = (): string => `${JSON.stringify([...figures])}\n${cluster.logs()}`;
      await waitFor(`${name} to be ${value}`, async () => (figures = await read(worker)).get(name) === value, {
        detail,
      });
    };
    await become('snapshot SnapshotCompleted', 1);
    await become('streaming Connected', 1);
    await database.query('INSERT INTO a VALUES (101, 1), (102, 1), (103, 1)');
    await database.query('INSERT INTO c VALUES (1), (2)');
    await database.query('UPDATE a SET v = 2 WHERE id > 101');
    await database.query('DELETE FROM b WHERE id = 2');
    await database.query('INSERT INTO b VALUES (3)');
    await become('streaming TotalNumberOfEventsSeen', 7);
    return await read(worker);
  }

  beforeAll(async () => {
    java = await work('java', ofJava);
    ours = await work('ours', ofOurs);
  });
  afterAll(async () => {
    await Promise.all(clusters.map(async (cluster) => await cluster.close()));
    await Promise.all(databases.map(async (database) => await database.drop()));
  });

  test('cdc-postgres 112: what Debezium counts has the same values here', () => {
    const common = [
      ...['TotalNumberOfEventsSeen', 'TotalNumberOfCreateEventsSeen', 'TotalNumberOfUpdateEventsSeen'],
      ...[
        'TotalNumberOfDeleteEventsSeen',
        'TotalNumberOfReadEventsSeen',
        'NumberOfErroneousEvents',
        'QueueTotalCapacity',
        'QueueRemainingCapacity',
      ],
      ...['MaxQueueSizeInBytes', 'CurrentQueueSizeInBytes'],
    ];
    const snapshot = [
      ...['TotalTableCount', 'RemainingTableCount', 'SnapshotRunning', 'SnapshotPaused', 'SnapshotAborted'],
      ...['SnapshotCompleted', 'SnapshotSkipped', 'RowsScanned public.a', 'RowsScanned public.b'],
    ];
    const streaming = [
      ...[
        'Connected',
        'TotalNumberOfLogicalMessageEventsSeen',
        'NumberOfUnchangedEventsSkipped',
        'NumberOfCommittedTransactions',
        'NumberOfEventsFiltered',
      ],
      ...['NumberOfCreateEventsSeen public.a', 'NumberOfUpdateEventsSeen public.a'],
      ...['NumberOfDeleteEventsSeen public.b', 'NumberOfCreateEventsSeen public.b'],
    ];
    const compared = [
      ...[...common, ...snapshot].map((name) => `snapshot ${name}`),
      ...[...common, ...streaming].map((name) => `streaming ${name}`),
    ];
    const of = (figures: Figures): unknown[] => compared.map((name) => [name, figures.get(name)]);
    expect(of(ours)).toEqual(of(java));
  });

  test('cdc-postgres 112: every attribute of Debezium with a number exists', () => {
    const own = new Set([...ours.keys()].map((key) => key.split(' ').slice(0, 2).join(' ')));
    // The metrics of a table appear with its first event, and truncations are skipped by default.
    const texts = [
      'NumberOfTruncateEventsSeen',
      'LastEvent',
      'CapturedTables',
      'ChunkId',
      'ChunkFrom',
      'ChunkTo',
      'TableFrom',
      'TableTo',
    ];
    const missing = [...attributes].filter((name) => !own.has(name) && !texts.includes(name.split(' ')[1] ?? ''));
    expect(missing.sort()).toEqual([]);
  });
});
