/**
 * How fast an incremental snapshot reads: one large table and many small ones, on a server where nothing else happens,
 * so that only the chunks' own marks move the stream. `npm run bench -- postgres-incremental [ROWS [TABLES]]` (Default:
 * a table of 200,000 rows, then 500 tables of 10 rows.) BENCH_CONNECTOR='{"read.only":"true"}' overrides settings.
 */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { startBroker } from '../dev/services/broker';
import { startPostgres } from '../dev/services/postgres';
import { postgresSource } from '../dev/services/postgres-source';
import { startWorker } from '../dev/services/worker';
import { benchmark, figure, heading, whole } from './lib/report';
import { TopicSize } from './lib/topic-size';

const ROWS = Number(process.argv[2] ?? 200_000);
const TABLES = Number(process.argv[3] ?? 500);
const SMALL = 10;
const EXTRA = JSON.parse(process.env.BENCH_CONNECTOR ?? '{}') as Record<string, string>;

benchmark(async (atEnd) => {
  const postgres = await startPostgres({ settings: { max_wal_size: '4GB' } });
  atEnd(postgres.stop);
  const kafka = await startBroker();
  atEnd(kafka.stop);
  const database = new Client({ connectionString: postgres.url });
  await database.connect();
  atEnd(() => database.end());
  const fill = (table: string, rows: number): string =>
    `CREATE TABLE ${table} (id int PRIMARY KEY, v text); INSERT INTO ${table} SELECT n, 'row ' || n FROM generate_series(1, ${rows}) n`;
  await database.query('CREATE TABLE signals (id text PRIMARY KEY, type text, data text)');
  await database.query(fill('large', ROWS));
  const small = Array.from({ length: TABLES }, (_, i) => `small_${i}`);
  for (const table of small) await database.query(fill(table, SMALL));
  heading(`Incremental snapshot of ${whole(ROWS)} rows, and of ${whole(TABLES)} tables of ${SMALL} rows`);

  const id = `incremental_${randomBytes(3).toString('hex')}`;
  const topic = new TopicSize(kafka.bootstrapServers, id);
  await topic.create();
  atEnd(() => topic.close());
  const worker = await startWorker({ bootstrapServers: kafka.bootstrapServers, group: id });
  atEnd(() => worker.stop());
  await worker.ready();
  await worker.register({
    name: id,
    config: postgresSource(postgres.url, {
      ...{ 'topic.prefix': id, 'slot.name': id, 'publication.name': id, 'snapshot.mode': 'no_data' },
      ...{ 'table.include.list': 'public\\.(large|small_.*)', 'signal.data.collection': 'public.signals' },
      ...{ transforms: 'one', 'transforms.one.type': 'org.apache.kafka.connect.transforms.RegexRouter' },
      ...{ 'transforms.one.regex': '.*', 'transforms.one.replacement': id },
      ...EXTRA,
    }),
  });
  await worker.running(id);
  let expected = 0;
  const read = async (name: string, tables: readonly string[], rows: number): Promise<number> => {
    const began = performance.now();
    const collections = tables.map((table) => `public.${table}`);
    const data = JSON.stringify({ 'data-collections': collections, type: 'incremental' });
    await database.query('INSERT INTO signals VALUES ($1, $2, $3)', [name, 'execute-snapshot', data]);
    expected += rows;
    await topic.reaches(expected, worker, id);
    return (performance.now() - began) / 1000;
  };
  const large = await read('large', ['large'], ROWS);
  figure('large table', `${whole(ROWS / large)} rows/s`);
  const many = await read('small', small, TABLES * SMALL);
  figure('small tables', `${whole((many / TABLES) * 1000)} ms each`);
});
