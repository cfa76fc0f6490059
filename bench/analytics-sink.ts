/**
 * How fast the analytics sink delivers a topic to the emulator (a blob and a message per file), how fast the emulator
 * loads it, and the worker's CPU, memory and disk use, beside direct uploads to the emulator's storage.
 * `npm run bench -- analytics-sink [RECORDS] [FLUSH_BYTES]` (Default: 500,000 of 200 B; 4 MiB)
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { remove } from 'fs-extra';
import { Kafka, logLevel } from 'kafkajs';
import { startAnalyticsEmulator, type AnalyticsEmulator } from '../dev/analytics-emulator';
import { useOrStartKafka } from '../dev/services/kafka';
import { waitFor } from '../dev/services/wait-for';
import { startWorker } from '../dev/services/worker';
import { analyticsSink, execute, numberOf } from './lib/analytics-pipeline';
import { benchmark, figure, heading, whole } from './lib/report';
import { measure } from './lib/usage';

const RECORDS = Number(process.argv[2] ?? 500_000);
const FLUSH_BYTES = Number(process.argv[3] ?? 4 * 1024 * 1024);
const BYTES = 200;
const BATCH = 4_000;
/** E.g. `BENCH_NODE_FLAGS="--cpu-prof --cpu-prof-dir=/tmp/profiles"`, one profile per thread. */
const NODE_FLAGS = (process.env.BENCH_NODE_FLAGS ?? '').split(' ').filter(Boolean);

/** Total size of all files in the folder, even while some are being removed. */
function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (found?.isFile() ? found.size : 0);
  }, 0);
}

function value(pool: string, index: number): string {
  const end = `,${index}`;
  const from = (index * 97) % (pool.length - BYTES);
  return pool.slice(from, from + BYTES - end.length) + end;
}

function rowsOfFile(pool: string): string[] {
  return Array.from({ length: Math.ceil(FLUSH_BYTES / (BYTES + 1)) }, (_, i) => value(pool, i));
}

/** Rows per second that the emulator's storage accepts, four files at a time as in a task, compressed beforehand. */
async function directUpload(emulator: AnalyticsEmulator, rows: readonly string[]): Promise<number> {
  const body = gzipSync(`${rows.join('\n')}\n`, { level: constants.Z_BEST_SPEED });
  const resources = (await execute(emulator, 'mgmt', '.get ingestion resources')) as [string, string][];
  const containers = resources.filter(([name]) => name === 'TempStorage').map(([, url]) => url.split('?'));
  const files = Math.ceil(RECORDS / rows.length);
  let next = 0;
  const upload = async (): Promise<void> => {
    while (next < files) {
      const [base, sas] = containers[next % containers.length] as [string, string];
      const url = `${base}/direct-${next++}?${sas}`;
      const headers = { 'x-ms-blob-type': 'BlockBlob', 'x-ms-version': '2021-08-06' };
      const { status } = await fetch(url, { method: 'PUT', headers, body });
      if (status !== 201) throw new Error(`the upload is answered with ${status}`);
    }
  };
  const began = performance.now();
  await Promise.all([upload(), upload(), upload(), upload()]);
  return (files * rows.length) / ((performance.now() - began) / 1000);
}

benchmark(async (atEnd) => {
  const kafka = await useOrStartKafka({});
  atEnd(kafka.stop);
  const emulator = await startAnalyticsEmulator({ database: 'd' });
  atEnd(() => emulator.stop());
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  atEnd(() => remove(folder));
  heading(`Kafka → analytics sink, ${whole(RECORDS)} records of ${BYTES} B, files of ${whole(FLUSH_BYTES)} B`);

  const run = `bench-${randomBytes(3).toString('hex')}`;
  const client = new Kafka({ brokers: kafka.bootstrapServers.split(','), logLevel: logLevel.NOTHING });
  const admin = client.admin();
  await admin.connect();
  atEnd(() => admin.disconnect());
  await admin.createTopics({ topics: [{ topic: run, numPartitions: 1 }], waitForLeaders: true });
  const producer = client.producer();
  await producer.connect();
  const pool = randomBytes(1024 * 1024).toString('hex');
  for (let sent = 0; sent < RECORDS; sent += BATCH) {
    const messages = Array.from({ length: Math.min(BATCH, RECORDS - sent) }, (_, i) => ({
      partition: 0,
      value: value(pool, sent + i),
    }));
    await producer.send({ topic: run, acks: -1, messages });
  }
  await producer.disconnect();
  await execute(emulator, 'mgmt', '.create table T (a:string, b:int)');
  emulator.ingestor.isPaused = true;

  const settings = { 'offset.flush.interval.ms': '100' };
  const worker = await startWorker({
    bootstrapServers: kafka.bootstrapServers,
    group: run,
    settings,
    nodeFlags: NODE_FLAGS,
  });
  atEnd(() => worker.stop());
  await worker.ready();
  const usage = measure(worker.pid);
  await worker.register(analyticsSink(run, emulator, folder, { bytes: FLUSH_BYTES, intervalMs: 1_000 }));
  let largest = 0;
  // Excludes the time to join the consumer group.
  let first: { readonly at: number; readonly offset: number } | null = null;
  await waitFor(
    'everything to be accepted',
    async () => {
      largest = Math.max(largest, bytesBelow(folder));
      const [topic] = await admin.fetchOffsets({ groupId: `connect-${run}`, topics: [run] });
      const offset = Number(topic?.partitions[0]?.offset);
      if (offset > 0) first ??= { at: performance.now(), offset };
      return offset === RECORDS;
    },
    { timeoutMs: 300_000, everyMs: 20, detail: () => worker.process.log().slice(-4_000) },
  );
  const used = usage.end();
  const { at, offset } = first as unknown as { at: number; offset: number };
  const seconds = (performance.now() - at) / 1_000;
  figure('from registration to the last acceptance', `${used.seconds.toFixed(1)} s`);
  figure('rows accepted, after the first', `${whole((RECORDS - offset) / seconds)} /s`);
  figure('', `${(((RECORDS - offset) * BYTES) / seconds / 1e6).toFixed(1)} MB/s`);
  figure('CPU of the worker per million rows', `${((used.cpu / RECORDS) * 1e6).toFixed(1)} s`);
  figure('peak RSS of the worker', `${whole(used.peak)} MiB`);
  figure('most bytes in the folder of files', whole(largest));
  const began = performance.now();
  emulator.ingestor.isPaused = false;
  await emulator.ingestor.flush();
  figure('loaded by the emulator in', `${((performance.now() - began) / 1000).toFixed(1)} s`);
  const rows = await numberOf(emulator, 'T | count');
  figure('rows', whole(rows), whole(RECORDS));
  if (rows < RECORDS) throw new Error('rows were lost');

  const direct = await directUpload(emulator, rowsOfFile(pool));
  figure('limit: the same files uploaded from memory', `${whole(direct)} rows/s`);
  figure('the sink in ratio to it', ((RECORDS - offset) / seconds / direct).toFixed(2));
});
