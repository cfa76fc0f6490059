/**
 * What a worker costs that has nothing to do: memory, CPU and wake-ups without connectors, with one sink, with one
 * PostgreSQL source, and with many connectors; also what registering those costs, and a restart with them.
 * `npm run bench -- idle-worker [PARTS [SECONDS [CONNECTORS]]]` (Default: none,sink,postgres,sources,sinks, 20 and 200)
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { useOrStartKafka } from '../dev/services/kafka';
import { ROOT } from '../dev/services/paths';
import { startPostgres } from '../dev/services/postgres';
import { postgresSource } from '../dev/services/postgres-source';
import { waitFor } from '../dev/services/wait-for';
import { startWorker, type StartedWorker } from '../dev/services/worker';
import { addIdleConnectors, allRunning } from './lib/idle-connectors';
import { reportIdle } from './lib/idle-usage';
import { benchmark, figure, heading, whole } from './lib/report';
import { cpuSeconds } from './lib/usage';

const PARTS = (process.argv[2] ?? 'none,sink,postgres,sources,sinks').split(',');
const SECONDS = Number(process.argv[3] ?? 20);
const CONNECTORS = Number(process.argv[4] ?? 200);
/** Until start-up is over and its garbage collected. */
const SETTLE_MS = Number(process.env.BENCH_SETTLE_MS ?? 30_000);
/** E.g. `BENCH_NODE_FLAGS="--cpu-prof --cpu-prof-dir=/tmp/profiles"`, one profile per thread. */
const NODE_FLAGS = (process.env.BENCH_NODE_FLAGS ?? '').split(' ').filter(Boolean);
const SINK = { 'connector.class': 'FileStreamSink', file: '/dev/null', 'tasks.max': '1' };

benchmark(async (atEnd) => {
  const kafka = await useOrStartKafka();
  atEnd(kafka.stop);
  heading('A worker with nothing to do');
  let settings: Record<string, string> = { 'plugin.path': join(ROOT, 'dev', 'plugins') };

  async function withWorker(
    part: string,
    work: (worker: StartedWorker, start: () => Promise<StartedWorker>) => Promise<void>,
  ): Promise<void> {
    if (!PARTS.includes(part)) return;
    const group = `bench-${randomBytes(3).toString('hex')}`;
    const running: StartedWorker[] = [];
    const start = async (): Promise<StartedWorker> => {
      const options = { bootstrapServers: kafka.bootstrapServers, group, settings, nodeFlags: NODE_FLAGS };
      const worker = await startWorker(options);
      running.push(worker);
      await worker.ready();
      return worker;
    };
    try {
      await work(await start(), start);
    } finally {
      for (const worker of running) await worker.stop();
    }
  }

  async function settled(label: string, worker: StartedWorker): Promise<void> {
    await sleep(SETTLE_MS);
    await reportIdle(label, worker.pid, SECONDS);
  }

  await withWorker('none', async (worker) => await settled('no connector', worker));

  await withWorker('sink', async (worker) => {
    await worker.register({ name: 'sink', config: { ...SINK, topics: `idle-${randomBytes(3).toString('hex')}` } });
    await worker.running('sink');
    await settled('one file sink', worker);
  });

  await withWorker('postgres', async (worker) => {
    const postgres = await startPostgres();
    try {
      const config = postgresSource(postgres.url, { 'topic.prefix': 'idle' });
      await worker.register({ name: 'source', config });
      await worker.running('source');
      await settled('one PostgreSQL source', worker);
    } finally {
      await worker.stop();
      await postgres.stop();
    }
  });

  async function many(label: string, worker: StartedWorker, config?: Record<string, string>): Promise<void> {
    const cpu = cpuSeconds(worker.pid);
    const began = performance.now();
    await addIdleConnectors(worker, CONNECTORS, config);
    figure(`${label}: CPU s to register`, (cpuSeconds(worker.pid) - cpu).toFixed(2));
    figure(`${label}: s to register`, ((performance.now() - began) / 1000).toFixed(2));
    await settled(label, worker);
  }

  async function restarted(label: string, worker: StartedWorker, start: () => Promise<StartedWorker>): Promise<void> {
    await worker.stop();
    const began = performance.now();
    const next = await start();
    const ready = performance.now() - began;
    await waitFor('all tasks to run', async () => await allRunning(next, CONNECTORS), { everyMs: 20 });
    const running = performance.now() - began;
    figure(`${label}: start → ready, all running`, `${whole(ready)}, ${whole(running)} ms`);
    figure(`${label}: CPU s until then`, cpuSeconds(next.pid).toFixed(2));
  }

  await withWorker('sources', async (worker, start) => {
    const label = `${CONNECTORS} idle sources`;
    await many(label, worker);
    await restarted(label, worker, start);
  });

  settings = {};
  await withWorker('sinks', async (worker, start) => {
    const label = `${CONNECTORS} file sinks`;
    await many(label, worker, { ...SINK, topics: `idle-${randomBytes(3).toString('hex')}` });
    await restarted(label, worker, start);
  });
});
