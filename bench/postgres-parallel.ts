/**
 * How fast a worker streams a backlog of inserted rows (about 200 B each) of eight tables with one, two and four slots
 * (`slot.count`), on the same backlog: the slots are created before it. `npm run bench -- postgres-parallel [ROWS]`
 * (Default: 400,000 in all). The server decodes each slot in a process of its own, so the gain ends at the number of
 * cores that server, worker and broker share.
 */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { slotOf } from '../connectors/postgres/src/config/slot-part';
import { startBroker } from '../dev/services/broker';
import { startPostgres } from '../dev/services/postgres';
import { postgresSource } from '../dev/services/postgres-source';
import { startWorker, type StartedWorker } from '../dev/services/worker';
import { benchmark, figure, heading, whole } from './lib/report';
import { createSampleTable, insertSampleRows } from './lib/sample-rows';
import { TopicSize } from './lib/topic-size';
import { measure } from './lib/usage';

const ROWS = Number(process.argv[2] ?? 400_000);
/** The first run pays for what the worker compiles once. */
const RUNS = [
  { name: 'warm', count: 1 },
  { name: 'one', count: 1 },
  { name: 'two', count: 2 },
  { name: 'four', count: 4 },
];
/** Two tables in each of four slots, so that the split is even. */
const TABLES = evenTables();
const PER_TRANSACTION = 1000;

benchmark(async (atEnd) => {
  const postgres = await startPostgres({ settings: { max_wal_size: '8GB', shared_buffers: '256MB' } });
  atEnd(postgres.stop);
  const broker = await startBroker();
  atEnd(broker.stop);
  const database = new Client({ connectionString: postgres.url });
  await database.connect();
  atEnd(() => database.end());
  for (const table of TABLES) await database.query(createSampleTable(table));
  for (const { name: base, count } of RUNS)
    for (let slot = 0; slot < count; slot++) {
      const name = count === 1 ? base : `${base}_${slot}`;
      const own = TABLES.filter((table) => slotOf(`public.${table}`, layout(count)) === slot);
      await database.query(`CREATE PUBLICATION ${name} FOR TABLE ${own.join(', ')}`);
      await database.query(`SELECT pg_create_logical_replication_slot('${name}', 'pgoutput')`);
    }
  const each = ROWS / TABLES.length;
  for (let from = 0; from < each; from += PER_TRANSACTION)
    for (const table of TABLES)
      await database.query(insertSampleRows(table, from, Math.min(from + PER_TRANSACTION, each) - 1));

  heading(`PostgreSQL → Kafka with several slots, a backlog of ${whole(ROWS)} rows in ${TABLES.length} tables`);
  const group = `parallel-${randomBytes(3).toString('hex')}`;
  const worker = await startWorker({ bootstrapServers: broker.bootstrapServers, group });
  atEnd(() => worker.stop());
  await worker.ready();
  let single = 0;
  for (const { name, count } of RUNS) {
    const { seconds, cpu } = await run(worker, count, postgres.url, broker.bootstrapServers, `${group}-${name}`, name);
    if (name === 'warm') continue;
    if (name === 'one') single = seconds;
    figure(`${count} slot(s)`, `${whole(ROWS / seconds)} rows/s`);
    if (count > 1) figure(`${count} slots : 1 slot`, (single / seconds).toFixed(2));
    figure(`${count} slot(s): CPU of the worker`, `${cpu.toFixed(1)} s`);
  }
});

/** Resolves with the seconds from the first record to the last. */
async function run(
  worker: StartedWorker,
  count: number,
  server: string,
  bootstrapServers: string,
  topicName: string,
  slot: string,
): Promise<{ seconds: number; cpu: number }> {
  const topic = new TopicSize(bootstrapServers, topicName);
  await topic.create(count);
  const usage = measure(worker.pid);
  await worker.register({
    name: topicName,
    config: postgresSource(server, {
      'tasks.max': String(count),
      'slot.count': String(count),
      'topic.prefix': topicName,
      'slot.name': slot,
      'publication.name': slot,
      'publication.autocreate.mode': 'disabled',
      'snapshot.mode': 'no_data',
      transforms: 'one',
      'transforms.one.type': 'org.apache.kafka.connect.transforms.RegexRouter',
      'transforms.one.regex': '.*',
      'transforms.one.replacement': topicName,
    }),
  });
  await topic.reaches(1, worker, topicName);
  const began = performance.now();
  await topic.reaches(ROWS, worker, topicName);
  const seconds = (performance.now() - began) / 1000;
  const { cpu } = usage.end();
  await worker.request('DELETE', `/connectors/${topicName}`);
  await topic.close();
  return { seconds, cpu };
}

function layout(count: number) {
  return { count, assigned: [], layout: String(count) };
}

function evenTables(): string[] {
  const tables: string[] = [];
  for (let i = 0; tables.length < 8; i++) {
    const slot = slotOf(`public.t_${i}`, layout(4));
    if (tables.filter((name) => slotOf(`public.${name}`, layout(4)) === slot).length < 2) tables.push(`t_${i}`);
  }
  return tables;
}
