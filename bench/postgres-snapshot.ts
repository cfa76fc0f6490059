/**
 * How fast a worker reads a table of rows of about 200 B in a snapshot, beside `COPY` of the same table to /dev/null by
 * psql, with 1, 2 and 4 connections, in turn and twice; then how much is read if the worker is killed three times in
 * the middle. `npm run bench -- postgres-snapshot [ROWS [THREADS [KILLS [CONVERTERS]]]]` (Default: 500,000, `1,2,4`, 3
 * and `schemas`, which may be `none,schemas`; on the embedded broker, or with TEST_BROKER=kafka)
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { Client } from 'pg';
import { useOrStartBroker } from '../dev/services/broker';
import { startPostgres } from '../dev/services/postgres';
import { postgresSource } from '../dev/services/postgres-source';
import { waitFor } from '../dev/services/wait-for';
import { startWorker, type StartedWorker } from '../dev/services/worker';
import { findPostgresProgram } from './lib/postgres-programs';
import { benchmark, figure, heading, median, whole } from './lib/report';
import { createSampleTable, insertSampleRows } from './lib/sample-rows';
import { measure } from './lib/usage';

const ROWS = Number(process.argv[2] ?? 500_000);
const THREADS = (process.argv[3] ?? '1,2,4').split(',').map(Number);
const KILLS = Number(process.argv[4] ?? 3);
const CONVERTERS = (process.argv[5] ?? 'schemas').split(',');

/** Rows a second that psql copies to /dev/null; null: it is not installed. */
function copyRate(url: string): number | null {
  const psql = findPostgresProgram('psql');
  if (psql === undefined) return null;
  const began = performance.now();
  const { status, stderr } = spawnSync(psql, [url, '-qc', 'COPY rows TO STDOUT'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`psql: ${stderr}`);
  return (ROWS / (performance.now() - began)) * 1000;
}

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

  // The first one reads the table into the cache.
  const copies = [copyRate(postgres.url), copyRate(postgres.url), copyRate(postgres.url)];
  const copy = copies.includes(null) ? null : Math.max(...(copies as number[]));
  if (copy !== null) figure('COPY by psql', `${whole(copy)} rows/s`);

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
  for (const converter of CONVERTERS) {
    const show = (name: string, value: string, aim?: string): void =>
      figure(CONVERTERS.length === 1 ? name : `${converter}: ${name}`, value, aim);
    const schemas = String(converter !== 'none');
    const rates = new Map<number, number[]>(THREADS.map((threads) => [threads, []]));
    for (const threads of [...THREADS, ...THREADS]) {
      const usage = measure(worker.pid);
      const name = await register(worker, {
        'snapshot.max.threads': String(threads),
        'key.converter': 'org.apache.kafka.connect.json.JsonConverter',
        'key.converter.schemas.enable': schemas,
        'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
        'value.converter.schemas.enable': schemas,
      });
      await until('the first row', name, 1);
      const began = performance.now();
      const before = await inKafka(name);
      await until('the snapshot', name, ROWS);
      const rate = ((ROWS - before) / (performance.now() - began)) * 1000;
      const { cpu, peak } = usage.end();
      rates.get(threads)?.push(rate);
      show(`${threads} thread(s)`, `${whole(rate)} rows/s`);
      if (copy !== null) show(`${threads} thread(s) : COPY`, (rate / copy).toFixed(3));
      show(`${threads} thread(s), CPU per million rows`, `${((cpu / ROWS) * 1e6).toFixed(1)} s`);
      show(`${threads} thread(s), peak RSS`, `${whole(peak)} MiB`);
      await drop(worker, name);
    }
    const one = median(rates.get(THREADS[0] as number) as number[]);
    for (const threads of THREADS.slice(1))
      show(`${threads} threads : ${THREADS[0]}`, (median(rates.get(threads) as number[]) / one).toFixed(2));
  }
  if (KILLS === 0) return;

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
