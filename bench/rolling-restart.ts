/**
 * Restarts each worker of a group in turn and counts what that moves. `npm run bench -- rolling-restart [SIGNAL [ORDER
 * [WORKERS [CONNECTORS]]]]` (Default: TERM, leader-first, 3 workers, 60 connectors of 2 tasks; SIGNAL may be KILL,
 * ORDER leader-last.) A worker is back 4 s after it has ended, and the next one follows when all is running and quiet.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { useOrStartKafka } from '../dev/services/kafka';
import { ROOT } from '../dev/services/paths';
import { freePorts } from '../dev/services/free-port';
import { waitFor } from '../dev/services/wait-for';
import { startWorker, type StartedWorker } from '../dev/services/worker';
import { benchmark, figure, heading, median, whole } from './lib/report';
import { StatusHistory, type StatusEvent } from './lib/status-history';

const SIGNAL = process.argv[2] ?? 'TERM';
const ORDER = process.argv[3] ?? 'leader-first';
const WORKERS = Number(process.argv[4] ?? 3);
const CONNECTORS = Number(process.argv[5] ?? 60);
const TASKS = 2;
const AWAY_MS = 4_000;
const DELAY_MS = 20_000;
/** Longer than any pause between two rebalances that belong together. */
const QUIET_MS = 9_000;

interface Restart {
  /** `host:port`. */
  readonly worker: string;
  /** When the signal was sent and when the worker was healthy again; milliseconds since the epoch. */
  readonly began: number;
  readonly ready: number;
  readonly before: ReadonlyMap<string, string>;
}

/** What a restart did to the tasks; times in milliseconds. */
interface Effect {
  /** Stops of tasks on workers that were not restarted. */
  readonly needlessStops: number;
  /** Starts of tasks anywhere. */
  readonly starts: number;
  /** Tasks of the restarted worker that ran elsewhere meanwhile or in the end. */
  readonly elsewhere: number;
  /** For each task of the restarted worker: until it ran again, wherever. */
  readonly away: readonly number[];
  readonly downtime: number;
}

function effectOf({ worker, began, ready, before }: Restart, events: readonly StatusEvent[]): Effect {
  const ofTasks = events.filter(({ at, isTask }) => at >= began && isTask);
  const starts = ofTasks.filter(({ state }) => state === 'RUNNING');
  const own = [...before].filter(([item, owner]) => owner === worker && /-\d+$/.test(item)).map(([item]) => item);
  const away = own.map((item) => (starts.find((start) => start.item === item)?.at ?? Infinity) - began);
  return {
    needlessStops: ofTasks.filter((event) => event.state === 'UNASSIGNED' && event.worker !== worker).length,
    starts: starts.length,
    elsewhere: own.filter((item) => starts.some((start) => start.item === item && start.worker !== worker)).length,
    away,
    downtime: ready - began,
  };
}

async function leads(worker: StartedWorker): Promise<boolean> {
  return (await worker.request('DELETE', '/connectors/none?forward=false')).status === 404;
}

benchmark(async (atEnd) => {
  const kafka = await useOrStartKafka({});
  atEnd(kafka.stop);
  heading(`Rolling restart with SIG${SIGNAL}, ${ORDER}: ${WORKERS} workers, ${CONNECTORS} × ${TASKS} tasks`);
  const group = `rolling-${randomBytes(3).toString('hex')}`;
  const start = async (port: number): Promise<StartedWorker> => {
    const worker = await startWorker({
      bootstrapServers: kafka.bootstrapServers,
      group,
      port,
      settings: {
        'plugin.path': join(ROOT, 'dev', 'plugins'),
        'scheduled.rebalance.max.delay.ms': String(DELAY_MS),
        'rest.advertised.host.name': '127.0.0.1',
        ...(SIGNAL === 'KILL' ? { 'session.timeout.ms': '6000', 'heartbeat.interval.ms': '2000' } : {}),
      },
    });
    await worker.ready();
    return worker;
  };
  const workers = new Map<number, StartedWorker>();
  atEnd(async () => await Promise.all([...workers.values()].map((worker) => worker.stop())));
  for (const port of await freePorts(WORKERS)) workers.set(port, await start(port));
  const history = await StatusHistory.follow(kafka.bootstrapServers, group, atEnd);
  const [first] = [...workers.values()] as [StartedWorker];
  for (let i = 0; i < CONNECTORS; i++)
    await first.register({
      name: `c${i}`,
      config: { 'connector.class': 'dev.IdleSourceConnector', tasks: String(TASKS), 'tasks.max': String(TASKS) },
    });
  /** The last statuses of a killed worker say RUNNING, so its work must have started since. */
  const calm = async (since = 0, restarted = ''): Promise<unknown> =>
    await waitFor(
      'everything to run and nothing to move',
      () =>
        history.runs(CONNECTORS * (1 + TASKS)) &&
        history.quietMs > QUIET_MS &&
        history.latest().every(({ worker, at }) => worker !== restarted || at >= since),
      { timeoutMs: 120_000, detail: () => `${history.events.length} events, quiet for ${history.quietMs} ms` },
    );
  await calm();

  const leading = new Map<number, boolean>();
  for (const [port, worker] of workers) leading.set(port, await leads(worker));
  const rank = (port: number): number => Number(leading.get(port)) * (ORDER === 'leader-last' ? 1 : -1);
  const ports = [...workers.keys()].sort((a, b) => rank(a) - rank(b));
  const effects: Effect[] = [];
  for (const port of ports) {
    const id = `127.0.0.1:${port}`;
    const before = history.owners();
    const worker = workers.get(port) as StartedWorker;
    const began = Date.now();
    await (SIGNAL === 'KILL' ? worker.crash() : worker.stop());
    await sleep(AWAY_MS);
    workers.set(port, await start(port));
    const ready = Date.now();
    await calm(began, id);
    const effect = effectOf({ worker: id, began, ready, before }, history.events);
    effects.push(effect);
    const { needlessStops, starts, elsewhere, away, downtime } = effect;
    console.log(
      `  ${port}${leading.get(port) ? ' (leader at first)' : ''}: ${starts} starts for ${away.length} tasks, ` +
        `${elsewhere} elsewhere, ${needlessStops} needless stops; down ${whole(downtime)} ms, ` +
        `tasks away ${whole(Math.min(...away))} to ${whole(Math.max(...away))} ms`,
    );
  }
  const sum = (of: (effect: Effect) => number): number => effects.reduce((total, effect) => total + of(effect), 0);
  figure('tasks of the restarted workers', whole(sum(({ away }) => away.length)));
  figure('starts of tasks', whole(sum(({ starts }) => starts)), whole(sum(({ away }) => away.length)));
  figure('needless stops of tasks', whole(sum(({ needlessStops }) => needlessStops)), '0');
  figure('tasks that ran elsewhere', whole(sum(({ elsewhere }) => elsewhere)), '0');
  const beyond = effects.flatMap(({ away, downtime }) => away.map((time) => time - downtime));
  figure('away beyond the downtime, median', `${whole(median(beyond))} ms`, '0 ms');
  figure('away beyond the downtime, most', `${whole(Math.max(...beyond))} ms`, '0 ms');
  const loads = ports.map((port) => [...history.owners().values()].filter((at) => at.endsWith(`:${port}`)).length);
  figure('loads in the end', loads.join(' '));
});
