/**
 * Latency of connector status requests with 50 running connectors at 100 requests per second, on our worker and then on
 * Java's. `npm run bench -- rest-status [SECONDS]` (Default: 15). Java's part needs a JDK, and Maven the first time.
 */
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startJavaConnect } from '../dev/services/java-connect';
import { useOrStartKafka } from '../dev/services/kafka';
import { waitFor } from '../dev/services/wait-for';
import { startWorker, type ConnectorStatus, type StartedWorker } from '../dev/services/worker';
import { benchmark, figure, heading, whole } from './lib/report';
import { cpuSeconds, residentMegabytes } from './lib/usage';

const SECONDS = Number(process.argv[2] ?? 15);
const CONNECTORS = 50;
const POLLS_A_SECOND = 100;
/** Warm-up for both JIT compilers. */
const WARM_UP_SECONDS = 5;

async function createConnectors(worker: StartedWorker, topic: string): Promise<void> {
  for (let i = 0; i < CONNECTORS; i++) {
    const config = { 'connector.class': 'FileStreamSink', topics: topic, file: '/dev/null' };
    await worker.register({ name: `sink-${i}`, config });
  }
  await waitFor(
    'all connectors and tasks to run',
    async () => {
      const { json } = await worker.request('GET', '/connectors?expand=status');
      const all = Object.values((json ?? {}) as Record<string, { status: ConnectorStatus }>);
      const running = all.filter(
        ({ status }) => status.connector.state === 'RUNNING' && status.tasks[0]?.state === 'RUNNING',
      );
      return running.length === CONNECTORS;
    },
    { timeoutMs: 180_000, everyMs: 500 },
  );
}

/** Milliseconds from when each poll was due until its response, so that polls delayed by a slow one count too. */
async function poll(url: string, seconds: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(url);
  const ask = async (path: string): Promise<void> =>
    await new Promise((resolve, reject) => {
      request({ agent, hostname, port, path }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${path} answered ${response.statusCode}`));
        response.resume();
        response.on('end', resolve);
        response.on('error', reject);
      })
        .on('error', reject)
        .end();
    });
  const began = performance.now();
  const asked: Promise<number>[] = [];
  for (let i = 0; i < seconds * POLLS_A_SECOND; i++) {
    const due = began + (i * 1000) / POLLS_A_SECOND;
    const early = due - performance.now();
    if (early > 0) await sleep(early);
    asked.push(ask(`/connectors/sink-${i % CONNECTORS}/status`).then(() => performance.now() - due));
  }
  const took = await Promise.all(asked);
  agent.destroy();
  return took.sort((a, b) => a - b);
}

const at = (sorted: readonly number[], share: number): string =>
  `${(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number).toFixed(1)} ms`;

benchmark(async (atEnd) => {
  const kafka = await useOrStartKafka();
  atEnd(kafka.stop);
  const { bootstrapServers } = kafka;
  heading(`Status of ${CONNECTORS} connectors, ${POLLS_A_SECOND} polls a second for ${SECONDS} s`);
  for (const [name, start] of [
    ['Millrace', startWorker],
    ["Java's Connect", startJavaConnect],
  ] as const) {
    const group = `bench-${randomBytes(3).toString('hex')}`;
    const worker = await start({ bootstrapServers, group });
    try {
      await worker.ready();
      await createConnectors(worker, `${group}-topic`);
      await poll(worker.url, WARM_UP_SECONDS);
      const cpu = cpuSeconds(worker.pid);
      const took = await poll(worker.url, SECONDS);
      figure(`${name}: median`, at(took, 0.5));
      figure(`${name}: p99`, at(took, 0.99));
      figure(`${name}: longest`, at(took, 1));
      figure(`${name}: CPU`, `${(((cpuSeconds(worker.pid) - cpu) / SECONDS) * 100).toFixed(0)} % of a core`);
      figure(`${name}: RSS`, `${whole(residentMegabytes(worker.pid))} MiB`);
    } finally {
      await worker.stop();
    }
  }
});
