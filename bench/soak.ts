/**
 * A worker that streams rows of about 200 B at a steady rate for a long time: the slope of its memory, its latency in
 * the first and the last tenth, its descriptors and CPU. `npm run bench -- soak [MINUTES [RATE]]` (Default: 60 minutes
 * at 20,000 rows/s; BENCH_CONNECTOR as for postgres-stream). The latency is from the COMMIT of a row to its offset in
 * the topic, which is read every 5 ms.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { useOrStartKafka } from '../dev/services/kafka';
import { startPostgres } from '../dev/services/postgres';
import { postgresSource } from '../dev/services/postgres-source';
import { waitFor } from '../dev/services/wait-for';
import { startWorker } from '../dev/services/worker';
import { benchmark, figure, heading, median, whole } from './lib/report';
import { createSampleTable, insertSampleRows } from './lib/sample-rows';
import { slope } from './lib/slope';
import { TopicSize } from './lib/topic-size';
import { cpuSeconds, residentMegabytes } from './lib/usage';

const MINUTES = Number(process.argv[2] ?? 60);
const RATE = Number(process.argv[3] ?? 20_000);
const EXTRA = JSON.parse(process.env.BENCH_CONNECTOR ?? '{}') as Record<string, string>;
const PER_TRANSACTION = 200;
const SAMPLES = 200;
/** The heap grows to its usual size in this share of the time; it does not count. */
const WARM_UP = 0.1;
/** The topic and the table keep only the newest rows, so that a disk holds the run. */
const RETENTION = { 'retention.bytes': '268435456', 'segment.bytes': '67108864', 'retention.ms': '60000' };

interface Sample {
  readonly hours: number;
  readonly rss: number;
  readonly descriptors: number;
  /** Milliseconds. */
  readonly latency: number;
}

benchmark(async (atEnd) => {
  const postgres = await startPostgres({ settings: { max_wal_size: '2GB', shared_buffers: '256MB' } });
  atEnd(postgres.stop);
  const kafka = await useOrStartKafka({ heap: '-Xmx1g -Xms1g' });
  atEnd(kafka.stop);
  const database = new Client({ connectionString: postgres.url });
  await database.connect();
  atEnd(() => database.end());
  await database.query(createSampleTable('rows'));
  heading(`PostgreSQL → Kafka, ${whole(RATE)} rows/s for ${MINUTES} minutes`);
  const id = `soak_${randomBytes(3).toString('hex')}`;
  const topic = new TopicSize(kafka.bootstrapServers, `${id}.public.rows`);
  await topic.create(1, RETENTION);
  atEnd(() => topic.close());
  const worker = await startWorker({ bootstrapServers: kafka.bootstrapServers, group: id });
  atEnd(() => worker.stop());
  await worker.ready();
  await worker.register({
    name: id,
    config: postgresSource(postgres.url, {
      'topic.prefix': id,
      'slot.name': id,
      'publication.name': id,
      'publication.autocreate.mode': 'filtered',
      'table.include.list': 'public.rows',
      'snapshot.mode': 'no_data',
      ...EXTRA,
    }),
  });
  const active = 'SELECT FROM pg_replication_slots WHERE slot_name = $1 AND active';
  const streams = async (): Promise<boolean> => (await database.query(active, [id])).rowCount === 1;
  await waitFor('the stream', streams, { detail: () => worker.process.log().slice(-4000) });

  const began = performance.now();
  const cpu = cpuSeconds(worker.pid);
  const total = MINUTES * 60_000;
  const samples: Sample[] = [];
  let rows = 0;
  let late = 0;
  const arrival = async (count: number, committed: number): Promise<void> => {
    await waitFor(`row ${count}`, async () => (await topic.records()) >= count, {
      everyMs: 5,
      timeoutMs: 60_000,
      detail: () => worker.process.log().slice(-4000),
    });
    samples.push({
      hours: (performance.now() - began) / 3_600_000,
      rss: residentMegabytes(worker.pid),
      descriptors: readdirSync(`/proc/${worker.pid}/fd`).length,
      latency: performance.now() - committed,
    });
  };
  let sampling: Promise<void> | null = null;
  let nextSample = 0;
  while (performance.now() - began < total) {
    await database.query(insertSampleRows('rows', rows, rows + PER_TRANSACTION - 1));
    rows += PER_TRANSACTION;
    const elapsed = performance.now() - began;
    if (elapsed >= nextSample && sampling === null) {
      nextSample = elapsed + total / SAMPLES;
      sampling = arrival(rows, performance.now()).finally(() => (sampling = null));
      sampling.catch(() => undefined);
    }
    if (rows % (RATE * 60) < PER_TRANSACTION) await database.query('TRUNCATE rows');
    const ahead = (rows / RATE) * 1000 - elapsed;
    if (ahead > 1) await sleep(ahead);
    else late = Math.max(late, -ahead);
  }
  await topic.reaches(rows, worker, id);
  const used = cpuSeconds(worker.pid) - cpu;

  const settled = samples.slice(Math.floor(samples.length * WARM_UP));
  const tenth = Math.max(1, Math.floor(settled.length / 10));
  const ends = { 'first tenth': settled.slice(0, tenth), 'last tenth': settled.slice(-tenth) };
  figure('rows', whole(rows));
  figure('most that the writer was late', `${whole(late)} ms`);
  figure('CPU per million rows', `${((used / rows) * 1e6).toFixed(1)} s`);
  figure('RSS slope', `${slope(settled.map(({ hours, rss }) => [hours, rss])).toFixed(2)} MiB/h`, '0');
  for (const [name, part] of Object.entries(ends)) {
    figure(`RSS, ${name}`, `${whole(median(part.map(({ rss }) => rss)))} MiB`);
    figure(`descriptors, ${name}`, whole(median(part.map(({ descriptors }) => descriptors))));
    figure(`latency p50, ${name}`, `${median(part.map(({ latency }) => latency)).toFixed(1)} ms`);
  }
  const latencies = settled.map(({ latency }) => latency).sort((a, b) => a - b);
  figure('latency p99', `${(latencies[Math.floor(latencies.length * 0.99)] as number).toFixed(1)} ms`);
});
