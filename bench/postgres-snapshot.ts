/**
 * How fast a worker reads a table of rows of about 200 B in a snapshot, with 1, 2 and 4 connections, in turn and twice;
 * then how much is read if the worker is killed three times in the middle.
 * `npm run bench -- postgres-snapshot [ROWS]` (Default: 500,000; on the embedded broker, or with TEST_BROKER=kafka)
 */
import { randomBytes } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { Client } from 'pg';
import { useOrStartBroker } from '../dev/services/broker';
import { startPostgres } from '../dev/services/postgres';
import { postgresSource } from '../dev/services/postgres-source';
import { waitFor } from '../dev/services/wait-for';
import { startWorker, type StartedWorker } from '../dev/services/worker';
import { benchmark, figure, heading, median, whole } from './lib/report';
import { createSampleTable, insertSampleRows } from './lib/sample-rows';
import { measure } from './lib/usage';

const ROWS = Number(process.argv[2] ?? 500_000);
const THREADS = [1, 2, 4];
const KILLS = 3;

benchmark(async (atEnd) => {
  const postgres = await startPostgres({ settings: { shared_buffers: '256MB', max_wal_size: '8GB' } });
  atEnd(postgres.stop);
  const broker = await useOrStartBroker();
  atEnd(broker.stop);
  heading(`PostgreSQL → Kafka, a snapshot of ${whole(ROWS)} rows`);
  const database = new Client({ connectionString: postgres.url });
  await database.connect();
  atEnd(() => database.end());
  await database.query(`${createSampleTable('rows')}; ${insertSampleRows('rows', 1, ROWS)}`);
  await database.query('VACUUM ANALYZE rows');
  const admin = new Kafka({ brokers: broker.bootstrapServers.split(','), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  atEnd(() => admin.disconnect());

  let runs = 0;
  const group = `bench-${randomBytes(3).toString('hex')}`;
  const start = async (): Promise<StartedWorker> => {
    const worker = await startWorker({ bootstrapServers: broker.bootstrapServers, group });
    await worker.ready();
    return worker;
  };
  const register = async (worker: StartedWorker, settings: Record<string, string>): Promise<string> => {
    const name = `${group}_${runs++}`.replaceAll('-', '_');
    await admin.createTopics({ topics: [{ topic: `${name}.public.rows`, numPartitions: 1 }] });
    await worker.register({
      name,
      config: postgresSource(postgres.url, {
        'topic.prefix': name,
        'slot.name': name,
        'publication.name': name,
        'publication.autocreate.mode': 'filtered',
        'table.include.list': 'public.rows',
        ...settings,
      }),
    });
    return name;
  };
  const inKafka = async (name: string): Promise<number> =>
    (await admin.fetchTopicOffsets(`${name}.public.rows`)).reduce((sum, { high }) => sum + Number(high), 0);
  const until = async (what: string, name: string, enough: number): Promise<void> => {
    await waitFor(what, async () => (await inKafka(name)) >= enough, { timeoutMs: 1_800_000, everyMs: 20 });
  };
  const drop = async (worker: StartedWorker, name: string): Promise<void> => {
    await worker.request('DELETE', `/connectors/${name}`);
    const slot = 'SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1';
    await waitFor('the slot to go', async () => {
      await database.query(slot, [name]).catch(() => undefined);
      const { rowCount } = await database.query('SELECT FROM pg_replication_slots WHERE slot_name = $1', [name]);
      return rowCount === 0;
    });
  };

  let worker = await start();
  atEnd(() => worker.stop());
  await drop(worker, await register(worker, {}));
  const rates = new Map<number, number[]>(THREADS.map((threads) => [threads, []]));
  for (const threads of [...THREADS, ...THREADS]) {
    const usage = measure(worker.pid);
    const name = await register(worker, { 'snapshot.max.threads': String(threads) });
    await until('the first row', name, 1);
    const began = performance.now();
    const before = await inKafka(name);
    await until('the snapshot', name, ROWS);
    const rate = ((ROWS - before) / (performance.now() - began)) * 1000;
    const { cpu, peak } = usage.end();
    rates.get(threads)?.push(rate);
    figure(`${threads} thread(s)`, `${whole(rate)} rows/s`);
    figure(`${threads} thread(s), worker CPU, peak RSS`, `${cpu.toFixed(1)} s, ${whole(peak)} MiB`);
    await drop(worker, name);
  }
  const one = median(rates.get(1) as number[]);
  for (const threads of THREADS.slice(1))
    figure(`${threads} threads : 1 thread`, (median(rates.get(threads) as number[]) / one).toFixed(2));

  const name = await register(worker, {});
  for (let kill = 0; kill < KILLS; kill++) {
    const from = await inKafka(name);
    await until('a part of the snapshot', name, from + ROWS / (KILLS + 1));
    await worker.crash();
    worker = await start();
  }
  await worker.running(name);
  const log = (): string => worker.process.log();
  await waitFor('the snapshot', async () => /Snapshot completed/.test(log()), { timeoutMs: 1_800_000 });
  await until('the last row', name, ROWS);
  figure(`killed ${KILLS} times: records per row`, ((await inKafka(name)) / ROWS).toFixed(2), '≤ 1.3');
});
