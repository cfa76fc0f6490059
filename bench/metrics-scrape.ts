/**
 * What a scrape of a worker with many tasks costs: half of them are sources that produce nothing, half sinks of one
 * topic. `npm run bench -- metrics-scrape [TASKS,…]` (Default: 1,100,300,1000)
 */
import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { useOrStartKafka } from '../dev/services/kafka';
import { ROOT } from '../dev/services/paths';
import { startWorker, type StartedWorker } from '../dev/services/worker';
import { benchmark, figure, heading, median, whole } from './lib/report';
import { timedGet, type Answered } from './lib/timed-get';
import { cpuSeconds, forgetPeak, peakMegabytes, residentMegabytes } from './lib/usage';

const COUNTS = (process.argv[2] ?? '1,100,300,1000').split(',').map(Number);
const SCRAPES = 10;
const AT_ONCE = 10;
const IDLE_MS = 5_000;

/** Longest time of the small request `GET /` while `work` runs: what the main thread keeps others waiting. */
async function longestWait(agent: Agent, url: string, work: () => Promise<unknown>): Promise<number> {
  let running = true;
  const done = work().finally(() => (running = false));
  let longest = 0;
  while (running) {
    longest = Math.max(longest, (await timedGet(agent, url)).ms);
    await sleep(2);
  }
  await done;
  return longest;
}

async function addTasks(worker: StartedWorker, topic: string, tasks: number, before: number): Promise<void> {
  const sinks = tasks >> 1;
  if (before > 0) for (const name of ['source', 'sink']) await worker.request('DELETE', `/connectors/${name}`);
  const source = { 'connector.class': 'dev.IdleSourceConnector', tasks: String(tasks - sinks) };
  await worker.register({ name: 'source', config: { ...source, 'tasks.max': String(tasks - sinks) } });
  const sink = { 'connector.class': 'FileStreamSink', topics: topic, file: '/dev/null', 'tasks.max': String(sinks) };
  if (sinks > 0) await worker.register({ name: 'sink', config: sink });
  await worker.running('source', tasks - sinks);
  if (sinks > 0) await worker.running('sink', sinks);
}

benchmark(async (atEnd) => {
  const kafka = await useOrStartKafka();
  atEnd(kafka.stop);
  const group = `bench-${randomBytes(3).toString('hex')}`;
  const settings = { 'plugin.path': join(ROOT, 'dev', 'plugins') };
  const worker = await startWorker({ bootstrapServers: kafka.bootstrapServers, group, settings });
  atEnd(worker.stop);
  await worker.ready();
  const agent = new Agent({ keepAlive: true });
  atEnd(async () => await Promise.resolve(agent.destroy()));
  const url = `${worker.url}/metrics`;
  heading('Scrapes of a worker');
  let before = 0;
  for (const tasks of COUNTS) {
    await addTasks(worker, `${group}-topic`, tasks, before);
    before = tasks;
    await timedGet(agent, url);
    let cpu = cpuSeconds(worker.pid);
    const waitIdle = await longestWait(agent, `${worker.url}/`, async () => await sleep(IDLE_MS));
    const idleCpu = (cpuSeconds(worker.pid) - cpu) / IDLE_MS;
    const rss = residentMegabytes(worker.pid);
    forgetPeak(worker.pid);
    const answers: Answered[] = [];
    const scrapes = async (): Promise<void> => {
      for (let i = 0; i < SCRAPES; i++) answers.push(await timedGet(agent, url));
    };
    cpu = cpuSeconds(worker.pid);
    const began = performance.now();
    await scrapes();
    cpu = cpuSeconds(worker.pid) - cpu - idleCpu * (performance.now() - began);
    const took = median(answers.map(({ ms }) => ms));
    const wait = await longestWait(agent, `${worker.url}/`, scrapes);
    const compressed = await timedGet(agent, url, 'gzip');
    const crowd = Array.from({ length: AT_ONCE }, () => new Agent());
    const inCrowd = async (): Promise<unknown> => await Promise.all(crowd.map((one) => timedGet(one, url, 'gzip')));
    const waitInCrowd = await longestWait(agent, `${worker.url}/`, inCrowd);
    figure(`${tasks} tasks: a scrape`, `${whole(took)} ms`);
    figure(`${tasks} tasks: longest wait of GET / without scrapes`, `${whole(waitIdle)} ms`);
    figure(`${tasks} tasks: the same during scrapes`, `${whole(wait)} ms`, '≤ 50 ms');
    figure(`${tasks} tasks: the same, ${AT_ONCE} scrapes at once`, `${whole(waitInCrowd)} ms`, '≤ 50 ms');
    figure(`${tasks} tasks: CPU of the worker per scrape`, `${whole((cpu * 1000) / SCRAPES)} ms`);
    figure(`${tasks} tasks: answer`, `${whole((answers[0]?.bytes ?? 0) / 1024)} KiB`);
    figure(`${tasks} tasks: answer with gzip`, `${whole(compressed.bytes / 1024)} KiB`);
    figure(`${tasks} tasks: RSS, peak`, `${whole(rss)}, ${whole(peakMegabytes(worker.pid))} MiB`);
  }
});
