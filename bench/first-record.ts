/**
 * What a worker's start costs with Kafka running, its topics existing and a connector registered: time and CPU until
 * its first REST response and until the first record is delivered, by a file sink and a PostgreSQL source.
 * `npm run bench -- first-record [RUNS [sink|source]]` (Default: 5 of both). `BOOTSTRAP_SERVERS` names a broker to use,
 * and `BENCH_NODE_FLAGS` flags for Node, e.g. `--cpu-prof`.
 */
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { Client } from 'pg';
import { useOrStartBroker } from '../dev/services/broker';
import { freePort } from '../dev/services/free-port';
import { startPostgres } from '../dev/services/postgres';
import { postgresSource } from '../dev/services/postgres-source';
import { waitFor } from '../dev/services/wait-for';
import { startWorker, type StartedWorker } from '../dev/services/worker';
import { benchmark, figure, heading, median, whole } from './lib/report';
import { cpuSeconds, threadSeconds } from './lib/usage';

const RUNS = Number(process.argv[2] ?? 5);
const ONLY = process.argv[3];
const NODE_FLAGS = (process.env.BENCH_NODE_FLAGS ?? '').split(' ').filter(Boolean);
const POLL = { everyMs: 2 };

interface Scenario {
  readonly config: Record<string, string>;
  /** Writes what the worker reads first after its start. */
  write(): Promise<void>;
  /** Resolves with the number of records that the connector has delivered. */
  delivered(): Promise<number>;
}

benchmark(async (atEnd) => {
  const broker = await useOrStartBroker();
  atEnd(broker.stop);
  const { bootstrapServers } = broker;
  const kafka = new Kafka({ brokers: bootstrapServers.split(','), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  atEnd(() => admin.disconnect());

  async function createTopic(topic: string): Promise<void> {
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
  }

  async function sink(run: string): Promise<Scenario> {
    const file = join(tmpdir(), `${run}.txt`);
    atEnd(() => rm(file, { force: true }));
    const producer = kafka.producer();
    await producer.connect();
    atEnd(() => producer.disconnect());
    await createTopic(run);
    return {
      config: {
        'connector.class': 'org.apache.kafka.connect.file.FileStreamSinkConnector',
        topics: run,
        file,
        'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
      },
      write: async () => void (await producer.send({ topic: run, messages: [{ value: 'a line' }] })),
      delivered: () => Promise.resolve(statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    };
  }

  async function source(run: string): Promise<Scenario> {
    const postgres = await startPostgres();
    atEnd(postgres.stop);
    const database = new Client({ connectionString: postgres.url });
    await database.connect();
    atEnd(() => database.end());
    await database.query('CREATE TABLE todos (id bigserial PRIMARY KEY, title text)');
    const topic = `${run}.public.todos`;
    await createTopic(topic);
    return {
      config: postgresSource(postgres.url, { 'topic.prefix': run, 'table.include.list': 'public.todos' }),
      write: async () => void (await database.query("INSERT INTO todos (title) VALUES ('a title')")),
      delivered: async () => Number((await admin.fetchTopicOffsets(topic))[0]?.high ?? 0),
    };
  }

  async function measure(name: string, scenarioOf: (run: string) => Promise<Scenario>): Promise<void> {
    const run = `bench-${randomBytes(3).toString('hex')}`;
    const { config, write, delivered } = await scenarioOf(run);
    // Members that return to their address get their work back, as after any restart.
    const port = await freePort();
    const start = (): Promise<StartedWorker> =>
      startWorker({ bootstrapServers, group: run, port, nodeFlags: NODE_FLAGS });
    const first = await start();
    await first.ready();
    await first.register({ name: run, config });
    await write();
    await waitFor('a first record', async () => (await delivered()) > 0, { detail: () => first.process.log() });
    await first.stop();

    const runs: Record<string, number[]> = {};
    const add = (what: string, value: number): void => void (runs[what] ??= []).push(value);
    for (let i = 0; i < RUNS; i++) {
      await write();
      const before = await delivered();
      const began = performance.now();
      const worker = await start();
      const detail = { ...POLL, detail: () => worker.process.log() };
      await waitFor('an answer', async () => (await worker.request('GET', '/').catch(() => null)) !== null, detail);
      add('first answer, ms', performance.now() - began);
      add('CPU to the first answer, ms', cpuSeconds(worker.pid) * 1000);
      await waitFor('a record', async () => (await delivered()) > before, detail);
      add('first record, ms', performance.now() - began);
      add('CPU to the first record, ms', cpuSeconds(worker.pid) * 1000);
      const threads = new Map<string, number>();
      for (const { name: thread, seconds } of threadSeconds(worker.pid))
        threads.set(thread, (threads.get(thread) ?? 0) + seconds);
      for (const [thread, seconds] of threads) add(`  of these, threads ${thread}, ms`, seconds * 1000);
      await worker.stop();
    }
    heading(`${name}: median of ${RUNS} starts`);
    for (const [what, values] of Object.entries(runs))
      figure(what, `${whole(median(values))}  (${values.map(whole).join(' ')})`);
  }

  if (ONLY !== 'source') await measure('File sink', sink);
  if (ONLY !== 'sink') await measure('PostgreSQL source', source);
});
