/**
 * How fast a worker streams a backlog of inserted rows (about 200 B each, a thousand per transaction) from a
 * replication slot to Kafka, as JSON with schemas, compared with `pg_recvlogical` writing the same backlog to
 * /dev/null. `npm run bench -- postgres-stream [ROWS [ROWS_PER_TRANSACTION]]` (Default: 500,000 and 1,000).
 * `pg_recvlogical` comes with PostgreSQL's client programs.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { Client } from 'pg';
import { useOrStartKafka } from '../dev/services/kafka';
import { startPostgres } from '../dev/services/postgres';
import { postgresSource } from '../dev/services/postgres-source';
import { waitFor } from '../dev/services/wait-for';
import { startWorker } from '../dev/services/worker';
import { benchmark, figure, heading, whole } from './lib/report';
import { createSampleTable, insertSampleRows } from './lib/sample-rows';
import { cpuSeconds, machineSeconds, measure } from './lib/usage';

const ROWS = Number(process.argv[2] ?? 500_000);
const PER_TRANSACTION = Number(process.argv[3] ?? 1000);
/** E.g. `BENCH_NODE_FLAGS="--cpu-prof --cpu-prof-dir=/tmp/profiles"`, one profile per thread. */
const NODE_FLAGS = (process.env.BENCH_NODE_FLAGS ?? '').split(' ').filter(Boolean);
/** E.g. `BENCH_CONNECTOR='{"max.batch.size":"512"}'`, which override the settings below. */
const EXTRA = JSON.parse(process.env.BENCH_CONNECTOR ?? '{}') as Record<string, string>;

function findRecvlogical(): string | undefined {
  const folders = (process.env.PATH ?? '').split(':');
  const debian = '/usr/lib/postgresql';
  if (existsSync(debian)) folders.push(...readdirSync(debian).map((version) => join(debian, version, 'bin')));
  return folders.map((folder) => join(folder, 'pg_recvlogical')).find((file) => existsSync(file));
}

/** Seconds that `pg_recvlogical` takes to read `slot` up to `end`. */
function readWithRecvlogical(program: string, url: string, slot: string, end: string): number {
  const began = performance.now();
  const args = ['-d', url, '--slot', slot, '--start', '--no-loop', '--endpos', end, '-f', '/dev/null'];
  const result = spawnSync(program, [...args, '-o', 'proto_version=1', '-o', 'publication_names=bench'], {
    encoding: 'utf8',
  });
  if (result.status !== 0) throw new Error(`pg_recvlogical: ${result.stderr}`);
  return (performance.now() - began) / 1000;
}

benchmark(async (atEnd) => {
  const postgres = await startPostgres({
    settings: { max_wal_size: '8GB', checkpoint_timeout: '30min', shared_buffers: '256MB' },
  });
  atEnd(postgres.stop);
  const kafka = await useOrStartKafka({ heap: '-Xmx1g -Xms1g' });
  atEnd(kafka.stop);
  heading(`PostgreSQL → Kafka, a backlog of ${whole(ROWS)} rows`);

  const database = new Client({ connectionString: postgres.url });
  await database.connect();
  atEnd(() => database.end());
  await database.query(`${createSampleTable('backlog')}; CREATE PUBLICATION bench FOR TABLE backlog`);
  for (const slot of ['bench_worker', 'bench_recvlogical'])
    await database.query(`SELECT pg_create_logical_replication_slot('${slot}', 'pgoutput')`);
  for (let id = 0; id < ROWS; id += PER_TRANSACTION)
    await database.query(insertSampleRows('backlog', id, Math.min(id + PER_TRANSACTION, ROWS) - 1));
  const end = (await database.query('SELECT pg_current_wal_lsn() AS lsn')).rows[0].lsn as string;
  await database.query('INSERT INTO backlog VALUES (-1, 0, 0, true, now(), $1)', ['the end']);

  const run = `bench-${randomBytes(3).toString('hex')}`;
  const worker = await startWorker({ bootstrapServers: kafka.bootstrapServers, group: run, nodeFlags: NODE_FLAGS });
  atEnd(() => worker.stop());
  await worker.ready();
  const topic = `${run}.public.backlog`;
  const admin = new Kafka({ brokers: kafka.bootstrapServers.split(','), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  atEnd(() => admin.disconnect());
  await admin.createTopics({
    topics: [{ topic, numPartitions: 1, configEntries: [{ name: 'retention.ms', value: '-1' }] }],
  });
  const inKafka = async () =>
    (await admin.fetchTopicOffsets(topic)).reduce((sum, partition) => sum + Number(partition.high), 0);

  const program = findRecvlogical();
  const recvlogical = program && readWithRecvlogical(program, postgres.url, 'bench_recvlogical', end);

  const usage = measure(worker.pid);
  const brokerCpu = kafka.pid === undefined ? null : cpuSeconds(kafka.pid);
  const machine = machineSeconds();
  const began = performance.now();
  await worker.register({
    name: 'bench',
    config: postgresSource(postgres.url, {
      'topic.prefix': run,
      'slot.name': 'bench_worker',
      'publication.name': 'bench',
      'publication.autocreate.mode': 'disabled',
      'snapshot.mode': 'no_data',
      'table.include.list': 'public.backlog',
      ...EXTRA,
    }),
  });
  let first = 0;
  await waitFor(
    'the backlog to be in Kafka',
    async () => {
      const count = await inKafka();
      if (first === 0 && count > 0) first = performance.now();
      const status = count < ROWS ? await worker.status('bench') : null;
      const failed = [status?.connector, ...(status?.tasks ?? [])].find((part) => part?.state === 'FAILED');
      if (failed) throw new Error(failed.trace);
      return count >= ROWS;
    },
    { timeoutMs: 1_800_000, everyMs: 100, detail: () => worker.process.log().slice(-4000) },
  );
  const seconds = (performance.now() - began) / 1000;
  const used = usage.end();
  const after = machineSeconds();
  const sender = await database.query('SELECT pid FROM pg_stat_activity WHERE backend_type = $1', ['walsender']);
  const senderCpu = sender.rows.reduce((sum: number, row: { pid: number }) => sum + cpuSeconds(row.pid), 0);
  const rate = ROWS / seconds;

  figure('worker, from registration to the last row', `${seconds.toFixed(1)} s`);
  figure('worker', `${whole(rate)} rows/s`);
  figure('worker, after the first rows arrived', `${whole((ROWS / (performance.now() - first)) * 1000)} rows/s`);
  if (recvlogical) {
    figure('pg_recvlogical', `${whole(ROWS / recvlogical)} rows/s`);
    figure('worker : pg_recvlogical', (rate / (ROWS / recvlogical)).toFixed(2), '≥ 0.25');
  } else console.log('  pg_recvlogical is not on PATH: no comparison (Debian: postgresql-client)');
  figure('worker, CPU', `${used.cpu.toFixed(1)} s`);
  figure('worker, CPU per million rows', `${((used.cpu / ROWS) * 1e6).toFixed(1)} s`, '≤ 15 s');
  figure('PostgreSQL wal sender, CPU', `${senderCpu.toFixed(1)} s`);
  if (brokerCpu !== null && kafka.pid !== undefined)
    figure('Kafka broker, CPU', `${(cpuSeconds(kafka.pid) - brokerCpu).toFixed(1)} s`);
  const total = after.total - machine.total;
  figure('machine, CPU available', `${total.toFixed(1)} s`);
  figure('machine, idle', `${(((after.idle - machine.idle) / total) * 100).toFixed(0)} %`);
  figure('worker, peak RSS', `${whole(used.peak)} MiB`, '< 200 MB');
});
