/**
 * What the console costs a worker: turned off, unused, and with one viewer, who polls as its page does.
 * `npm run bench -- console [CONNECTORS,…] [ROUNDS]` (Default: 1,200 5). Connectors are sources with an idle task.
 */
import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { useOrStartKafka } from '../dev/services/kafka';
import { ROOT } from '../dev/services/paths';
import { startWorker, type StartedWorker } from '../dev/services/worker';
import { addIdleConnectors } from './lib/idle-connectors';
import { benchmark, figure, heading, median, whole } from './lib/report';
import { timedGet, type Answered } from './lib/timed-get';
import { cpuSeconds, residentMegabytes } from './lib/usage';

const COUNTS = (process.argv[2] ?? '1,200').split(',').map(Number);
const ROUNDS = Number(process.argv[3] ?? '5');
const WARM_UP_MS = 5_000;
const MEASURED_MS = 10_000;
const SAMPLE_MS = 500;
/** Of the page. */
const POLL_MS = 2_000;

interface Usage {
  /** Milliseconds of CPU time per second. */
  readonly cpu: number;
  /** The lowest of all samples, between collections of garbage. MiB. */
  readonly rss: number;
}

async function usage(pid: number, meanwhile: () => Promise<unknown>): Promise<Usage> {
  const cpu = cpuSeconds(pid);
  const began = performance.now();
  let rss = Infinity;
  let isRunning = true;
  const work = meanwhile().finally(() => (isRunning = false));
  while (isRunning) {
    rss = Math.min(rss, residentMegabytes(pid));
    await sleep(SAMPLE_MS);
  }
  await work;
  const seconds = (performance.now() - began) / 1000;
  return { cpu: ((cpuSeconds(pid) - cpu) * 1000) / seconds, rss };
}

benchmark(async (atEnd) => {
  const kafka = await useOrStartKafka();
  atEnd(kafka.stop);
  const agent = new Agent({ keepAlive: true });
  atEnd(async () => await Promise.resolve(agent.destroy()));
  heading('A worker with and without its console');

  for (const connectors of COUNTS) {
    const off: Usage[] = [];
    const unused: Usage[] = [];
    const viewed: Usage[] = [];
    const answers: Answered[] = [];
    const measured = async (
      isOn: boolean,
      viewer: ((worker: StartedWorker) => Promise<void>) | null,
    ): Promise<void> => {
      const group = `bench-${randomBytes(3).toString('hex')}`;
      const settings = { 'plugin.path': join(ROOT, 'dev', 'plugins'), 'console.enabled': String(isOn) };
      const worker = await startWorker({ bootstrapServers: kafka.bootstrapServers, group, settings });
      try {
        await worker.ready();
        await addIdleConnectors(worker, connectors);
        await sleep(WARM_UP_MS);
        (isOn ? unused : off).push(await usage(worker.pid, async () => await sleep(MEASURED_MS)));
        if (viewer) viewed.push(await usage(worker.pid, async () => await viewer(worker)));
      } finally {
        await worker.stop();
      }
    };
    const poll = async ({ url }: StartedWorker): Promise<void> => {
      await timedGet(agent, `${url}/ui/`, 'gzip');
      for (let at = 0; at < MEASURED_MS; at += POLL_MS) {
        answers.push(await timedGet(agent, `${url}/ui/api/overview?history=${at === 0}`, 'gzip'));
        await sleep(POLL_MS);
      }
    };
    for (let round = 0; round < ROUNDS; round++) {
      await measured(false, null);
      await measured(true, poll);
    }
    const shown = (all: readonly Usage[]): string => {
      const rss = all.map((one) => one.rss).sort((a, b) => a - b);
      const range = `${whole(rss[0] ?? NaN)} to ${whole(rss.at(-1) ?? NaN)}`;
      return `${median(rss).toFixed(1)} MiB (${range}), ${median(all.map(({ cpu }) => cpu)).toFixed(1)} ms/s`;
    };
    figure(`${connectors} connectors: RSS and CPU, turned off`, shown(off));
    figure(`${connectors} connectors: the same, unused`, shown(unused), '+0');
    figure(`${connectors} connectors: the same, one viewer`, shown(viewed));
    figure(`${connectors} connectors: an overview`, `${median(answers.map(({ ms }) => ms)).toFixed(1)} ms`);
    figure(
      `${connectors} connectors: the same, with gzip`,
      `${whole(median(answers.map(({ bytes }) => bytes)))} bytes`,
    );
  }
});
