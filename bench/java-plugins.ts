/**
 * The same jars in Millrace and in Java's worker, in turns: how fast they are, and what CPU and memory worker and JVM
 * take. `npm run bench -- java-plugins [TURNS [RECORDS [SCENARIOS]]]` (Default: 3 turns, 500,000 records,
 * `file-source,file-sink,debezium`). Needs a JDK, and Maven the first time. Java's worker has the options of Kafka's
 * scripts. `BENCH_SIDES=ours` runs Millrace alone, and `BENCH_WORKER='{"jvm.options":"…"}'` adds settings of it.
 */
import { randomBytes } from 'node:crypto';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startJavaConnect } from '../dev/services/java-connect';
import { runKafkaTool, useOrStartKafka } from '../dev/services/kafka';
import { pluginPath } from '../dev/services/plugin-jars';
import { startPostgres } from '../dev/services/postgres';
import { postgresSource } from '../dev/services/postgres-source';
import { waitFor } from '../dev/services/wait-for';
import { startWorker, type StartedWorker } from '../dev/services/worker';
import { createAdmin } from '../packages/kafka-client/src/admin/admin';
import { createWire } from '../packages/kafka-client/src/network/network-client';
import { childrenOf } from '../test/helpers/child-processes';
import { benchmark, figure, heading, median, whole } from './lib/report';
import { createSampleSource, insertInTransactions } from './lib/sample-rows';
import { cpuSeconds, peakMegabytes, residentMegabytes, threadSeconds } from './lib/usage';

const TURNS = Number(process.argv[2] ?? 3);
const RECORDS = Number(process.argv[3] ?? 500_000);
const SCENARIOS = (process.argv[4] ?? 'file-source,file-sink,debezium').split(',');
const SIDES = (process.env.BENCH_SIDES ?? 'java,ours').split(',') as Side[];
const SETTINGS = JSON.parse(process.env.BENCH_WORKER ?? '{}') as Record<string, string>;
const NODE_FLAGS = (process.env.BENCH_NODE_FLAGS ?? '').split(' ').filter(Boolean);
const BYTES = 200;
const STRING = 'org.apache.kafka.connect.storage.StringConverter';
const FILE_JAR = { 'connector.plugin.version': '4.3.1', 'key.converter': STRING, 'value.converter': STRING };
/** Of kafka-run-class.sh and connect-distributed.sh. */
const SCRIPTS = ['-Xms256M', '-Xmx2G', '-XX:-UseSerialGC', '-XX:+UseG1GC', '-XX:MaxGCPauseMillis=20'];
const JVM_FLAGS = [...SCRIPTS, '-XX:InitiatingHeapOccupancyPercent=35', '-XX:TieredStopAtLevel=4'];
/** Both: batches that fill during a request. */
const PRODUCER = {
  'producer.batch.size': '524288',
  'producer.linger.ms': '20',
  'producer.buffer.memory': '67108864',
};
const DEBEZIUM = { 'max.batch.size': '8192', 'max.queue.size': '32768', 'poll.interval.ms': '10' };

type Side = 'java' | 'ours';

interface Scenario {
  /** @param run unique for each turn */
  config(run: string, turn: number): Promise<Record<string, string>>;
  /** Records of that turn until now. */
  delivered(run: string): Promise<number>;
  done(run: string): Promise<void>;
}

benchmark(async (atEnd) => {
  const kafka = await useOrStartKafka({ heap: '-Xmx1g -Xms1g' });
  atEnd(kafka.stop);
  const { bootstrapServers } = kafka;
  const admin = createAdmin(createWire({ 'bootstrap.servers': bootstrapServers }), {
    timeoutMs: 30_000,
    retryBackoffMs: 50,
    retryBackoffMaxMs: 500,
  });
  atEnd(() => admin.close());
  const plugins = await pluginPath('file', 'debezium-postgres');
  const create = (name: string) => admin.createTopics([{ name, partitions: 1, replicationFactor: 1, configs: {} }]);
  const end = async (topic: string): Promise<number> =>
    (await admin.listOffsets([{ topic, partition: 0 }], 'latest'))[0]?.offset ?? 0;

  function fileSource(): Scenario {
    const file = join(tmpdir(), `bench-${randomBytes(3).toString('hex')}.txt`);
    writeFileSync(file, `${randomBytes(BYTES / 2 - 1).toString('hex')}x\n`.repeat(RECORDS));
    atEnd(() => Promise.resolve(rmSync(file, { force: true })));
    return {
      config: async (run) => {
        await create(run);
        const connector = 'org.apache.kafka.connect.file.FileStreamSourceConnector';
        return { 'connector.class': connector, topic: run, file, 'batch.size': '2000', ...FILE_JAR };
      },
      delivered: end,
      done: (run) => admin.deleteTopics([run]),
    };
  }

  async function fileSink(): Promise<Scenario> {
    const topic = `bench-${randomBytes(3).toString('hex')}`;
    await create(topic);
    await runKafkaTool('org.apache.kafka.tools.ProducerPerformance', [
      ...['--bootstrap-server', bootstrapServers, '--topic', topic, '--throughput', '-1'],
      ...['--num-records', String(RECORDS), '--record-size', String(BYTES)],
    ]);
    const file = (run: string): string => join(tmpdir(), `${run}.txt`);
    return {
      config: (run) =>
        Promise.resolve({
          'connector.class': 'org.apache.kafka.connect.file.FileStreamSinkConnector',
          topics: topic,
          file: file(run),
          ...FILE_JAR,
        }),
      delivered: (run) =>
        Promise.resolve(Math.floor((statSync(file(run), { throwIfNoEntry: false })?.size ?? 0) / (BYTES + 1))),
      done: (run) => Promise.resolve(rmSync(file(run), { force: true })),
    };
  }

  async function debezium(): Promise<Scenario> {
    const postgres = await startPostgres({
      settings: { max_wal_size: '8GB', checkpoint_timeout: '30min', shared_buffers: '256MB' },
    });
    atEnd(postgres.stop);
    const database = new Client({ connectionString: postgres.url });
    await database.connect();
    atEnd(() => database.end());
    const slots = Array.from({ length: (TURNS + 1) * SIDES.length }, (_, at) => `bench_${at}`);
    await createSampleSource(database, 'backlog', 'bench', slots);
    await insertInTransactions(database, 'backlog', RECORDS, 1000);
    await database.query('INSERT INTO backlog VALUES (-1, 0, 0, true, now(), $1)', ['the end']);
    return {
      config: async (run, turn) => {
        await create(`${run}.public.backlog`);
        return postgresSource(postgres.url, {
          'connector.plugin.version': '3.7.0.Final',
          'topic.prefix': run,
          'slot.name': `bench_${turn}`,
          'publication.name': 'bench',
          'publication.autocreate.mode': 'disabled',
          'snapshot.mode': 'no_data',
          'table.include.list': 'public.backlog',
          ...DEBEZIUM,
        });
      },
      delivered: (run) => end(`${run}.public.backlog`),
      done: (run) => admin.deleteTopics([`${run}.public.backlog`]),
    };
  }

  const scenarios: Record<string, () => Promise<Scenario> | Scenario> = {
    'file-source': fileSource,
    'file-sink': fileSink,
    debezium,
  };
  let turn = 0;
  for (const name of SCENARIOS) {
    const scenario = await (scenarios[name] as () => Promise<Scenario>)();
    heading(`${name}, ${whole(RECORDS)} records: median of ${TURNS} turns`);
    const all: Record<Side, Turn[]> = { java: [], ours: [] };
    for (let i = 0; i < TURNS; i++)
      for (const side of SIDES) {
        const run = `bench-${randomBytes(3).toString('hex')}`;
        const worker = await start(side, bootstrapServers, run, plugins);
        try {
          all[side].push(await measured(side, worker, run, scenario, turn++));
        } finally {
          await worker.stop();
        }
        await scenario.done(run);
      }
    report(all);
    turn = 0;
  }
});

async function start(side: Side, bootstrapServers: string, run: string, plugins: string): Promise<StartedWorker> {
  const settings = { 'plugin.path': plugins, ...PRODUCER };
  const base = { bootstrapServers, group: `${run}-worker` };
  const worker =
    side === 'java'
      ? await startJavaConnect({ ...base, settings, jvmFlags: JVM_FLAGS })
      : await startWorker({ ...base, settings: { ...settings, ...SETTINGS }, nodeFlags: NODE_FLAGS });
  await worker.ready();
  return worker;
}

interface Turn {
  readonly 'records/s': number;
  readonly 'first record, ms': number;
  readonly 'CPU s per million': number;
  readonly 'of it the JVM': number;
  readonly 'RSS, peak, MiB': number;
  readonly 'RSS at the end, MiB': number;
  readonly 'of it the JVM, MiB': number;
}

async function measured(side: Side, worker: StartedWorker, run: string, scenario: Scenario, at: number): Promise<Turn> {
  const config = await scenario.config(run, at);
  const jvms = (): number[] => (side === 'java' ? [] : childrenOf(worker.pid, 'java'));
  const sum = (of: (pid: number) => number, pids: readonly number[]): number =>
    pids.reduce((total, pid) => total + of(pid), 0);
  const cpu = cpuSeconds(worker.pid);
  const began = performance.now();
  await worker.register({ name: run, config });
  const detail = (): string => worker.process.log().slice(-4000);
  await waitFor('the first record', async () => (await scenario.delivered(run)) > 0, {
    everyMs: 5,
    timeoutMs: 60_000,
    detail,
  });
  const first = performance.now();
  const ofFirst = await scenario.delivered(run);
  await waitFor('all records', async () => (await scenario.delivered(run)) >= RECORDS, {
    everyMs: 20,
    timeoutMs: 600_000,
    detail,
  });
  const seconds = (performance.now() - first) / 1000;
  if (process.env.BENCH_THREADS !== undefined) printThreads([worker.pid, ...jvms()]);
  const ofJvm = sum(cpuSeconds, jvms());
  const pids = [worker.pid, ...jvms()];
  return {
    'records/s': (RECORDS - ofFirst) / seconds,
    'first record, ms': first - began,
    'CPU s per million': ((cpuSeconds(worker.pid) - cpu + ofJvm) / RECORDS) * 1e6,
    'of it the JVM': (ofJvm / RECORDS) * 1e6,
    'RSS, peak, MiB': sum(peakMegabytes, pids),
    'RSS at the end, MiB': sum(residentMegabytes, pids),
    'of it the JVM, MiB': sum(residentMegabytes, jvms()),
  };
}

function printThreads(pids: readonly number[]): void {
  const all = pids.flatMap((pid) => threadSeconds(pid)).sort((a, b) => b.seconds - a.seconds);
  for (const { name, seconds } of all.slice(0, 12)) console.log(`    ${seconds.toFixed(2).padStart(7)} s  ${name}`);
}

function report(all: Record<Side, readonly Turn[]>): void {
  const [example] = [...all.java, ...all.ours];
  for (const what of Object.keys(example ?? {}) as (keyof Turn)[]) {
    const values = SIDES.map((side) => all[side].map((turn) => turn[what]));
    for (const [at, side] of SIDES.entries())
      figure(`${side}: ${what}`, `${whole(median(values[at] as number[]))}  (${values[at]?.map(whole).join(' ')})`);
    const [left, right] = values.map((some) => median(some));
    if (left !== undefined && right !== undefined && left > 0) figure(`ours : java`, (right / left).toFixed(2));
  }
}
