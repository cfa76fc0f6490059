/**
 * Start, snapshot and restart of a connector that captures many small tables, by a Millrace worker and by Java's worker
 * with Debezium, one after the other on the same PostgreSQL and Kafka. All tables go to one topic, so that the broker
 * plays no part. `npm run bench -- postgres-many-tables [TABLES [ROWS]]` (Default: 1,000 tables of 20 rows).
 * BENCH_JAVA=no leaves Debezium and Apache Kafka out. BENCH_NODE_FLAGS: as for postgres-stream.
 * Java's worker runs with the first compiler only, which starts faster.
 */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { debeziumPluginPath } from '../dev/services/debezium-jars';
import { startJavaConnect } from '../dev/services/java-connect';
import { startBroker } from '../dev/services/broker';
import { useOrStartKafka } from '../dev/services/kafka';
import { startPostgres } from '../dev/services/postgres';
import { postgresSource } from '../dev/services/postgres-source';
import { waitFor } from '../dev/services/wait-for';
import { startWorker, type StartedWorker } from '../dev/services/worker';
import { benchmark, figure, heading, whole } from './lib/report';
import { TopicSize } from './lib/topic-size';
import { measure } from './lib/usage';

const TABLES = Number(process.argv[2] ?? 1000);
const ROWS = Number(process.argv[3] ?? 20);
/** Changes of each table while the connector is stopped. */
const CHANGES = 3;
const WITH_JAVA = process.env.BENCH_JAVA !== 'no';

const NODE_FLAGS = (process.env.BENCH_NODE_FLAGS ?? '').split(' ').filter(Boolean);

interface Side {
  readonly name: string;
  start(options: { bootstrapServers: string; group: string }): Promise<StartedWorker>;
}

const SIDES: readonly Side[] = [
  { name: 'Millrace', start: (options) => startWorker({ ...options, nodeFlags: NODE_FLAGS }) },
  {
    name: 'Debezium',
    start: async (options) =>
      await startJavaConnect({ ...options, settings: { 'plugin.path': await debeziumPluginPath() } }),
  },
];

benchmark(async (atEnd) => {
  const postgres = await startPostgres({ settings: { max_wal_size: '4GB', shared_buffers: '256MB' } });
  atEnd(postgres.stop);
  const kafka = await (WITH_JAVA ? useOrStartKafka() : startBroker());
  atEnd(kafka.stop);
  const database = new Client({ connectionString: postgres.url });
  await database.connect();
  atEnd(() => database.end());
  await database.query("CREATE TYPE state AS ENUM ('new', 'open', 'done')");
  for (let i = 0; i < TABLES; i++)
    await database.query(
      `CREATE TABLE t_${i} (id bigint PRIMARY KEY, account int NOT NULL, amount numeric(12,2) DEFAULT 0, s state DEFAULT 'new',
         at timestamptz NOT NULL DEFAULT now(), note text, tags text[], doc jsonb);
       INSERT INTO t_${i} (id, account, note) SELECT n, n, 'row ' || n FROM generate_series(1, ${ROWS}) n`,
    );
  await database.query('ANALYZE');
  heading(`PostgreSQL → Kafka, ${whole(TABLES)} tables of ${ROWS} rows`);
  for (const [at, side] of SIDES.entries())
    if (side.name === 'Millrace' || WITH_JAVA) await run(side, at, postgres.url, kafka.bootstrapServers, database);
});

async function run({ name, start }: Side, at: number, url: string, bootstrapServers: string, database: Client) {
  const id = `many_${at}_${randomBytes(3).toString('hex')}`;
  const topic = new TopicSize(bootstrapServers, id);
  await topic.create();
  const worker = await start({ bootstrapServers, group: id });
  try {
    await worker.ready();
    const usage = measure(worker.pid);
    const began = performance.now();
    const since = (): string => `${((performance.now() - began) / 1000).toFixed(1)} s`;
    await worker.register({ name: id, config: connector(id, url) });
    await topic.reaches(1, worker, id);
    figure(`${name}: registration to the first row`, since());
    await topic.reaches(TABLES * ROWS, worker, id);
    figure(`${name}: to the last row of the snapshot`, since());
    const streams = async (): Promise<boolean> =>
      (await database.query('SELECT FROM pg_replication_slots WHERE slot_name = $1 AND active', [id])).rowCount === 1;
    await waitFor('the stream', streams, { timeoutMs: 600_000, everyMs: 50 });
    figure(`${name}: to the stream`, since());
    await worker.request('PUT', `/connectors/${id}/stop`);
    await worker.statusWhen(id, ({ connector: { state }, tasks }) => state === 'STOPPED' && tasks.length === 0);
    for (let round = 1; round <= CHANGES; round++)
      for (let i = 0; i < TABLES; i++) await database.query(`UPDATE t_${i} SET note = 'changed' WHERE id = ${round}`);
    const resumed = performance.now();
    const sinceResumed = (): string => `${((performance.now() - resumed) / 1000).toFixed(1)} s`;
    await worker.request('PUT', `/connectors/${id}/resume`);
    await topic.reaches(TABLES * ROWS + 1, worker, id);
    figure(`${name}: resume to the first change`, sinceResumed());
    await topic.reaches(TABLES * (ROWS + CHANGES), worker, id);
    figure(`${name}: to the last of ${whole(TABLES * CHANGES)} changes`, sinceResumed());
    const { cpu, peak } = usage.end();
    figure(`${name}: CPU`, `${cpu.toFixed(1)} s`);
    figure(`${name}: peak RSS`, `${whole(peak)} MiB`);
  } finally {
    await worker.stop();
    await topic.close();
  }
}

function connector(id: string, server: string): Record<string, string> {
  return postgresSource(server, {
    'topic.prefix': id,
    'slot.name': id,
    'publication.name': id,
    'publication.autocreate.mode': 'filtered',
    'table.include.list': 'public\\.t_.*',
    transforms: 'one',
    'transforms.one.type': 'org.apache.kafka.connect.transforms.RegexRouter',
    'transforms.one.regex': '.*',
    'transforms.one.replacement': id,
  });
}
