/**
 * Updates a group as Kubernetes does, and measures how often tasks start and how long they do not run.
 * `npm run bench -- rolling-update [KIND [DELAY_MS]]`: `deployment` (default; delay 0) starts a worker under a new
 * address before it stops an old one, `statefulset` (delay 300000) stops one and starts it again under its address.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { useOrStartKafka } from '../dev/services/kafka';
import { freePorts } from '../dev/services/free-port';
import { ROOT } from '../dev/services/paths';
import { waitFor } from '../dev/services/wait-for';
import { startWorker, type StartedWorker } from '../dev/services/worker';
import { benchmark, figure, heading, median, whole } from './lib/report';
import { StatusHistory, type StatusEvent } from './lib/status-history';

const KIND = process.argv[2] ?? 'deployment';
const DELAY_MS = process.argv[3] ?? (KIND === 'deployment' ? '0' : '300000');
const WORKERS = 3;
const CONNECTORS = 30;
const TASKS = 2;
/** `minReadySeconds` of the chart. */
const MIN_READY_MS = 10_000;
/** For a pod to be replaced. */
const AWAY_MS = 4_000;

/** Milliseconds in which each task did not run. */
function idleTimes(events: readonly StatusEvent[]): number[] {
  const since = new Map<string, number>();
  const idle = new Map<string, number>();
  for (const { item, state, at, isTask } of events) {
    if (!isTask) continue;
    const began = since.get(item);
    if (state !== 'RUNNING') since.set(item, began ?? at);
    else if (began !== undefined) {
      idle.set(item, (idle.get(item) ?? 0) + at - began);
      since.delete(item);
    } else idle.set(item, idle.get(item) ?? 0);
  }
  return [...idle.values(), ...Array<number>(CONNECTORS * TASKS - idle.size).fill(0)];
}

benchmark(async (atEnd) => {
  const kafka = await useOrStartKafka({});
  atEnd(kafka.stop);
  heading(`Rolling update of a ${KIND}, delay ${DELAY_MS} ms: ${WORKERS} workers, ${CONNECTORS} × ${TASKS} tasks`);
  const group = `update-${randomBytes(3).toString('hex')}`;
  const workers: StartedWorker[] = [];
  atEnd(async () => await Promise.all(workers.map((worker) => worker.stop())));
  const start = async (port: number): Promise<StartedWorker> => {
    const settings = {
      'plugin.path': join(ROOT, 'dev', 'plugins'),
      'scheduled.rebalance.max.delay.ms': DELAY_MS,
      'rest.advertised.host.name': '127.0.0.1',
    };
    const worker = await startWorker({ bootstrapServers: kafka.bootstrapServers, group, port, settings });
    await worker.ready();
    return worker;
  };
  const ports = await freePorts(2 * WORKERS);
  for (const port of ports.slice(0, WORKERS)) workers.push(await start(port));
  const history = await StatusHistory.follow(kafka.bootstrapServers, group, atEnd);
  for (let i = 0; i < CONNECTORS; i++)
    await (workers[0] as StartedWorker).register({
      name: `c${i}`,
      config: { 'connector.class': 'dev.IdleSourceConnector', tasks: String(TASKS), 'tasks.max': String(TASKS) },
    });
  const calm = async (): Promise<unknown> =>
    await waitFor('everything to run', () => history.runs(CONNECTORS * (1 + TASKS)) && history.quietMs > MIN_READY_MS, {
      timeoutMs: 600_000,
    });
  await calm();

  const before = history.events.length;
  const began = Date.now();
  for (let i = 0; i < WORKERS; i++) {
    if (KIND === 'deployment') {
      const added = await start(ports[WORKERS + i] as number);
      await sleep(MIN_READY_MS);
      await (workers.shift() as StartedWorker).stop();
      workers.push(added);
    } else {
      await (workers.shift() as StartedWorker).stop();
      await sleep(AWAY_MS);
      workers.push(await start(ports[i] as number));
      await sleep(MIN_READY_MS);
    }
  }
  await calm();
  const events = history.events.slice(before);
  const idle = idleTimes(events);
  const starts = events.filter(({ isTask, state }) => isTask && state === 'RUNNING').length;
  figure('time until all runs again', `${whole((Math.max(...events.map(({ at }) => at)) - began) / 1000)} s`);
  figure('starts of tasks', whole(starts), whole(CONNECTORS * TASKS));
  figure('a task does not run, median', `${whole(median(idle))} ms`, '0 ms');
  figure('a task does not run, most', `${whole(Math.max(...idle))} ms`, '0 ms');
});
