/**
 * Kills a worker with the analytics sink repeatedly while it delivers records to the emulator, then counts lost and
 * duplicate rows. `npm run bench -- analytics-kill [KILLS] [RECORDS_PER_ROUND]` (Default: 30 kills, 5,000 records
 * before each)
 */
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { remove } from 'fs-extra';
import { Kafka, logLevel, type Producer } from 'kafkajs';
import { startAnalyticsEmulator, type AnalyticsEmulator } from '../dev/analytics-emulator';
import { useOrStartKafka } from '../dev/services/kafka';
import { waitFor } from '../dev/services/wait-for';
import type { StartedWorker } from '../dev/services/worker';
import { analyticsSink, execute, numberOf } from './lib/analytics-pipeline';
import { startKillable } from './lib/killable-worker';
import { benchmark, figure, heading, whole } from './lib/report';

const KILLS = Number(process.argv[2] ?? 30);
const RECORDS = Number(process.argv[3] ?? 5_000);
const PARTITIONS = 3;

benchmark(async (atEnd) => {
  const kafka = await useOrStartKafka({});
  atEnd(kafka.stop);
  const emulator = await startAnalyticsEmulator({ database: 'd' });
  atEnd(() => emulator.stop());
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  atEnd(() => remove(folder));
  heading(`Kafka → analytics sink, killed ${KILLS} times, ${whole(RECORDS)} records in between`);

  const run = `bench-${randomBytes(3).toString('hex')}`;
  const client = new Kafka({ brokers: kafka.bootstrapServers.split(','), logLevel: logLevel.NOTHING });
  const admin = client.admin();
  await admin.connect();
  atEnd(() => admin.disconnect());
  await admin.createTopics({ topics: [{ topic: run, numPartitions: PARTITIONS }], waitForLeaders: true });
  const producer = client.producer();
  await producer.connect();
  atEnd(() => producer.disconnect());
  await execute(emulator, 'mgmt', '.create table T (a:string, b:int)');
  // Files are in every state when the worker is killed.
  emulator.faults.add({ target: 'queue', delayMs: 60 });

  const start = (): Promise<StartedWorker> =>
    startKillable(kafka.bootstrapServers, run, {
      'offset.flush.interval.ms': '100',
      'consumer.session.timeout.ms': '6000',
      'consumer.heartbeat.interval.ms': '1000',
    });
  let worker = await start();
  atEnd(async () => await worker.stop());
  await worker.register(analyticsSink(run, emulator, folder, { bytes: 500, intervalMs: 500 }));

  let sent = 0;
  for (let kill = 0; kill <= KILLS; kill++) {
    const before = await rows(emulator);
    await send(producer, run, sent, RECORDS);
    sent += RECORDS;
    if (kill === KILLS) break;
    const target = before + Math.floor(Math.random() * RECORDS * 0.8);
    await waitFor('rows to arrive', async () => (await rows(emulator)) >= target, { timeoutMs: 120_000 });
    await worker.crash();
    worker = await start();
  }
  let distinct = 0;
  await waitFor('the last rows', async () => (distinct = await numberOf(emulator, 'T | distinct b | count')) === sent, {
    timeoutMs: 120_000,
  }).catch(() => undefined);
  const total = await rows(emulator);
  figure('records', whole(sent));
  figure('rows lost', whole(sent - distinct), '0');
  figure('duplicate rows', whole(total - distinct));
  figure('folders left by killed workers', whole(readdirSync(folder).length - 1), '0');
  if (distinct !== sent) throw new Error('rows were lost');
});

async function send(producer: Producer, topic: string, from: number, count: number): Promise<void> {
  const messages = Array.from({ length: count }, (_, i) => ({
    partition: i % PARTITIONS,
    value: `row,${from + i}`,
  }));
  await producer.send({ topic, acks: -1, messages });
}

async function rows(emulator: AnalyticsEmulator): Promise<number> {
  return await numberOf(emulator, 'T | count');
}
