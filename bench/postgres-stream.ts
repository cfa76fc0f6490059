/**
 * How fast a worker streams a backlog of inserted rows (about 200 B each, a thousand per transaction) from a
 * replication slot to Kafka, as JSON or Avro, compared with `pg_recvlogical` writing the same backlog to /dev/null.
 * `npm run bench -- postgres-stream [ROWS [ROWS_PER_TRANSACTION [VARIANTS]]]` (Default: 500,000, 1,000 and `schemas`).
 * Variants: `schemas` or `none` for the JSON converter, `avro` with a schema registry in this process; `+lz4` etc. for
 * the producer's compression, e.g. `none,schemas+lz4`, each in a worker of its own; `java:` before one runs it in
 * Java's worker with Debezium, tuned for throughput (needs a JDK, and Maven the first time). `pg_recvlogical` comes
 * with PostgreSQL's client programs.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Kafka, logLevel, type Admin } from 'kafkajs';
import { Client } from 'pg';
import { startSchemaRegistry } from '@millrace/schema-registry';
import { avroConverterClasses } from '../dev/services/avro-converter-classes';
import { debeziumPluginPath } from '../dev/services/debezium-jars';
import { startJavaConnect } from '../dev/services/java-connect';
import { useOrStartKafka, type RunningKafka } from '../dev/services/kafka';
import { startPostgres } from '../dev/services/postgres';
import { postgresSource } from '../dev/services/postgres-source';
import { waitFor } from '../dev/services/wait-for';
import { startWorker } from '../dev/services/worker';
import { findPostgresProgram } from './lib/postgres-programs';
import { recordBytes } from './lib/record-bytes';
import { benchmark, figure, heading, whole } from './lib/report';
import { createSampleSource, insertInTransactions } from './lib/sample-rows';
import { cpuSeconds, machineSeconds, measure } from './lib/usage';

const ROWS = Number(process.argv[2] ?? 500_000);
const PER_TRANSACTION = Number(process.argv[3] ?? 1000);
const VARIANTS = (process.argv[4] ?? 'schemas').split(',');
/** E.g. `BENCH_NODE_FLAGS="--cpu-prof --cpu-prof-dir=/tmp/profiles"`, one profile per thread. */
const NODE_FLAGS = (process.env.BENCH_NODE_FLAGS ?? '').split(' ').filter(Boolean);
/** E.g. `BENCH_CONNECTOR='{"max.batch.size":"512"}'`, which override the settings below. */
const EXTRA = JSON.parse(process.env.BENCH_CONNECTOR ?? '{}') as Record<string, string>;

/** What Java's users set for throughput: the server compiler, G1, and batches that fill during a request. */
const TUNED_JVM = ['-Xms1g', '-Xmx1g', '-XX:-UseSerialGC', '-XX:+UseG1GC', '-XX:TieredStopAtLevel=4'];
const TUNED_PRODUCER = {
  'producer.batch.size': '524288',
  'producer.linger.ms': '20',
  'producer.buffer.memory': '67108864',
};
const TUNED_DEBEZIUM = { 'max.batch.size': '8192', 'max.queue.size': '32768', 'poll.interval.ms': '10' };

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
  const slots = [...VARIANTS.map((_, at) => `bench_${at}`), 'bench_recvlogical'];
  await createSampleSource(database, 'backlog', 'bench', slots);
  await insertInTransactions(database, 'backlog', ROWS, PER_TRANSACTION);
  const end = (await database.query('SELECT pg_current_wal_lsn() AS lsn')).rows[0].lsn as string;
  await database.query('INSERT INTO backlog VALUES (-1, 0, 0, true, now(), $1)', ['the end']);

  const admin = new Kafka({ brokers: kafka.bootstrapServers.split(','), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  atEnd(() => admin.disconnect());
  const program = findPostgresProgram('pg_recvlogical');
  const limit =
    program === undefined ? null : ROWS / readWithRecvlogical(program, postgres.url, 'bench_recvlogical', end);
  if (limit === null) console.log('  pg_recvlogical is not on PATH: no comparison (Debian: postgresql-client)');
  else figure('pg_recvlogical', `${whole(limit)} rows/s`);
  for (const [at, variant] of VARIANTS.entries())
    await stream({ variant, slot: `bench_${at}`, url: postgres.url, kafka, admin, database, limit });
});

interface Streaming {
  readonly variant: string;
  readonly slot: string;
  readonly url: string;
  readonly kafka: RunningKafka;
  readonly admin: Admin;
  readonly database: Client;
  /** Rows per second of `pg_recvlogical`; null: it is not installed. */
  readonly limit: number | null;
}

async function stream({ variant, slot, url, kafka, admin, database, limit }: Streaming): Promise<void> {
  const run = `bench-${randomBytes(3).toString('hex')}`;
  const isJava = variant.startsWith('java:');
  const [converter, compression = 'none'] = variant.replace('java:', '').split('+');
  const show = (name: string, value: string, aim?: string): void =>
    figure(VARIANTS.length === 1 ? name : `${variant}: ${name}`, value, aim);
  const registry = converter === 'avro' ? await startSchemaRegistry({ port: 0 }) : null;
  const settings = { ...converterSettings(converter, registry?.url), 'producer.compression.type': compression };
  const base = { bootstrapServers: kafka.bootstrapServers, group: run };
  const worker = isJava
    ? await startJavaConnect({
        ...base,
        jvmFlags: TUNED_JVM,
        classes: registry === null ? [] : [await avroConverterClasses()],
        settings: { ...settings, ...TUNED_PRODUCER, 'plugin.path': await debeziumPluginPath() },
      })
    : await startWorker({ ...base, settings, nodeFlags: NODE_FLAGS });
  try {
    await worker.ready();
    const topic = `${run}.public.backlog`;
    await admin.createTopics({
      topics: [{ topic, numPartitions: 1, configEntries: [{ name: 'retention.ms', value: '-1' }] }],
    });
    const inKafka = async () =>
      (await admin.fetchTopicOffsets(topic)).reduce((sum, partition) => sum + Number(partition.high), 0);

    const usage = measure(worker.pid);
    const brokerCpu = kafka.pid === undefined ? null : cpuSeconds(kafka.pid);
    const machine = machineSeconds();
    const began = performance.now();
    await worker.register({
      name: 'bench',
      config: postgresSource(url, {
        'topic.prefix': run,
        'slot.name': slot,
        'publication.name': 'bench',
        'publication.autocreate.mode': 'disabled',
        'snapshot.mode': 'no_data',
        'table.include.list': 'public.backlog',
        ...(isJava ? TUNED_DEBEZIUM : EXTRA),
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

    show('worker, from registration to the last row', `${seconds.toFixed(1)} s`);
    show('worker', `${whole(rate)} rows/s`);
    show('worker, after the first rows arrived', `${whole((ROWS / (performance.now() - first)) * 1000)} rows/s`);
    if (limit !== null) show('worker : pg_recvlogical', (rate / limit).toFixed(2), '≥ 0.25');
    show('worker, CPU', `${used.cpu.toFixed(1)} s`);
    show('worker, CPU per million rows', `${((used.cpu / ROWS) * 1e6).toFixed(1)} s`, '≤ 15 s');
    show('PostgreSQL wal sender, CPU', `${senderCpu.toFixed(1)} s`);
    if (brokerCpu !== null && kafka.pid !== undefined)
      show('Kafka broker, CPU', `${(cpuSeconds(kafka.pid) - brokerCpu).toFixed(1)} s`);
    const total = after.total - machine.total;
    show('machine, CPU available', `${total.toFixed(1)} s`);
    show('machine, idle', `${(((after.idle - machine.idle) / total) * 100).toFixed(0)} %`);
    show('worker, peak RSS', `${whole(used.peak)} MiB`, '< 200 MB');
    show('bytes a record', whole(await recordBytes(kafka.bootstrapServers, topic)));
  } finally {
    await worker.stop();
    await registry?.close();
  }
}

function converterSettings(converter: string | undefined, registry: string | undefined): Record<string, string> {
  return Object.fromEntries(
    ['key.converter', 'value.converter'].flatMap((key) =>
      registry === undefined
        ? [[`${key}.schemas.enable`, String(converter !== 'none')]]
        : [
            [key, 'io.confluent.connect.avro.AvroConverter'],
            [`${key}.schema.registry.url`, registry],
          ],
    ),
  );
}
