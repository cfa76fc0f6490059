/**
 * What a worker needs for the same rate of inserted rows (about 200 B, 50 in a transaction) spread over 1, 200 and
 * 1,000 captured tables with a topic each, after each table had its first row: CPU a million rows, memory, latency of
 * the last row. `npm run bench -- postgres-tables [RATE [SECONDS [TABLES …]]]` (Default: 5,000 rows/s for 20 s;
 * BENCH_NODE_FLAGS and BENCH_CONNECTOR as for postgres-stream)
 */
import { randomBytes } from 'node:crypto';
import { Kafka, logLevel, type Admin } from 'kafkajs';
import { Client } from 'pg';
import { useOrStartKafka } from '../dev/services/kafka';
import { startPostgres } from '../dev/services/postgres';
import { postgresSource } from '../dev/services/postgres-source';
import { waitFor } from '../dev/services/wait-for';
import { startWorker } from '../dev/services/worker';
import { benchmark, figure, heading, whole } from './lib/report';
import { createSampleTable, insertSampleRows } from './lib/sample-rows';
import { forgetPeak, measure } from './lib/usage';

const [RATE = 5000, SECONDS = 20, ...COUNTS] = process.argv.slice(2).map(Number);
const TABLES = COUNTS.length > 0 ? COUNTS : [1, 200, 1000];
const PER_TRANSACTION = 50;
const WARM_SECONDS = 5;
const NODE_FLAGS = (process.env.BENCH_NODE_FLAGS ?? '').split(' ').filter(Boolean);
const EXTRA = JSON.parse(process.env.BENCH_CONNECTOR ?? '{}') as Record<string, string>;

benchmark(async (atEnd) => {
  const postgres = await startPostgres({ settings: { max_wal_size: '8GB', shared_buffers: '256MB' } });
  atEnd(postgres.stop);
  const kafka = await useOrStartKafka({ heap: '-Xmx1g -Xms1g' });
  atEnd(kafka.stop);
  const database = new Client({ connectionString: postgres.url });
  await database.connect();
  atEnd(() => database.end());
  const admin = new Kafka({ brokers: kafka.bootstrapServers.split(','), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  atEnd(() => admin.disconnect());
  heading(`PostgreSQL → Kafka, ${whole(RATE)} rows/s over 1 or many tables`);
  let one = 0;
  for (const tables of TABLES) {
    const { cpu, peak } = await run(tables, postgres.url, kafka.bootstrapServers, database, admin);
    figure(`${whole(tables)} table(s): CPU per million rows`, `${cpu.toFixed(1)} s`);
    figure(`${whole(tables)} table(s): peak RSS`, `${whole(peak)} MiB`);
    if (one === 0) one = cpu;
    else figure(`${whole(tables)} tables : ${whole(TABLES[0] as number)}, CPU`, (cpu / one).toFixed(2), '0.9–1.1');
  }
});

async function run(tables: number, url: string, bootstrapServers: string, database: Client, admin: Admin) {
  const id = `tables_${tables}_${randomBytes(3).toString('hex')}`;
  const names = Array.from({ length: tables }, (_, i) => `"${id}".t_${i}`);
  await database.query(`CREATE SCHEMA "${id}"`);
  for (const name of names) await database.query(createSampleTable(name));
  await database.query(`CREATE PUBLICATION "${id}" FOR TABLES IN SCHEMA "${id}"`);
  const topics = names.map((_, i) => `${id}.${id}.t_${i}`);
  await admin.createTopics({ topics: topics.map((topic) => ({ topic, numPartitions: 1 })), timeout: 120_000 });
  const worker = await startWorker({ bootstrapServers, group: id, nodeFlags: NODE_FLAGS });
  try {
    await worker.ready();
    await worker.register({
      name: id,
      config: postgresSource(url, {
        'topic.prefix': id,
        'slot.name': id,
        'publication.name': id,
        'publication.autocreate.mode': 'disabled',
        'snapshot.mode': 'no_data',
        'table.include.list': `${id}\\.t_.*`,
        ...EXTRA,
      }),
    });
    const streams = async (): Promise<boolean> =>
      (await database.query('SELECT FROM pg_replication_slots WHERE slot_name = $1 AND active', [id])).rowCount === 1;
    await waitFor('the stream', streams, { detail: () => worker.process.log().slice(-4000) });
    let row = 0;
    const insert = async (rows: number): Promise<void> => {
      const statements = Array.from({ length: rows }, () =>
        insertSampleRows(names[row % tables] as string, row, row++),
      );
      await database.query(statements.join(';'));
    };
    const arrived = (topic: string, count: number) =>
      waitFor(
        `${count} records in ${topic}`,
        async () => (await admin.fetchTopicOffsets(topic)).reduce((sum, { high }) => sum + Number(high), 0) >= count,
        { everyMs: 20, timeoutMs: 180_000, detail: () => worker.process.log().slice(-4000) },
      );
    const write = async (seconds: number): Promise<void> => {
      const began = performance.now();
      const from = row;
      while (row - from < RATE * seconds) {
        await insert(PER_TRANSACTION);
        const ahead = ((row - from) / RATE) * 1000 - (performance.now() - began);
        if (ahead > 1) await new Promise((resolve) => setTimeout(resolve, ahead));
      }
      const last = (row - 1) % tables;
      await arrived(topics[last] as string, Math.floor((row - 1) / tables) + 1);
    };
    while (row < tables) await insert(Math.min(PER_TRANSACTION, tables - row));
    await arrived(topics[tables - 1] as string, 1);
    await write(WARM_SECONDS);
    forgetPeak(worker.pid);
    const usage = measure(worker.pid);
    await write(SECONDS);
    const { cpu, peak } = usage.end();
    return { cpu: (cpu / (RATE * SECONDS)) * 1e6, peak };
  } finally {
    await worker.stop();
    await database.query('SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1', [
      id,
    ]);
    await database.query(`DROP PUBLICATION "${id}"`);
  }
}
