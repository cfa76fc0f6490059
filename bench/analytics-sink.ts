/**
 * How fast the analytics sink delivers a topic to the emulator (a blob and a message per file), how fast the emulator
 * loads it, and the worker's CPU, memory and disk use. `npm run bench -- analytics-sink [RECORDS] [FLUSH_BYTES]`
 * (Default: 500,000 of 200 B; 4 MiB)
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { remove } from 'fs-extra';
import { Kafka, logLevel } from 'kafkajs';
import { startAnalyticsEmulator } from '../dev/analytics-emulator';
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

/** Total size of all files in the folder, even while some are being removed. */
function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (found?.isFile() ? found.size : 0);
  }, 0);
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
    const messages = Array.from({ length: Math.min(BATCH, RECORDS - sent) }, (_, i) => {
      const end = `,${sent + i}`;
      const from = ((sent + i) * 97) % (pool.length - BYTES);
      return { partition: 0, value: pool.slice(from, from + BYTES - end.length) + end };
    });
    await producer.send({ topic: run, acks: -1, messages });
  }
  await producer.disconnect();
  await execute(emulator, 'mgmt', '.create table T (a:string, b:int)');
  emulator.ingestor.isPaused = true;

  const settings = { 'offset.flush.interval.ms': '100' };
  const worker = await startWorker({ bootstrapServers: kafka.bootstrapServers, group: run, settings });
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
});
