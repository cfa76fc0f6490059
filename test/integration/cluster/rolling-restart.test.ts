/** Workers that are restarted under their address: only their own tasks stop, and they get exactly these back. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../../dev/services/free-port';
import { ROOT } from '../../../dev/services/paths';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { leaderOf } from '../../helpers/leader';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const CONNECTORS = Array.from({ length: 6 }, (_, i) => `c${i}`);
const TASKS = 2;
const group = uniqueName('rolling');
let folder: string;
/** By port. */
const workers = new Map<number, StartedWorker>();

const journal = (): string => join(folder, 'journal');
/** Process id → how many tasks it has started. */
function starts(): Map<number, number> {
  const counts = new Map<number, number>();
  for (const line of readFileSync(journal(), 'utf8').split('\n').filter(Boolean))
    counts.set(Number(line), (counts.get(Number(line)) ?? 0) + 1);
  return counts;
}

async function start(port: number): Promise<void> {
  const worker = await startWorker({
    group,
    port,
    settings: {
      'plugin.path': join(ROOT, 'dev', 'plugins'),
      'session.timeout.ms': '6000',
      'heartbeat.interval.ms': '500',
      // Longer than this test: what comes back at once did not wait for it.
      'scheduled.rebalance.max.delay.ms': '600000',
    },
  });
  workers.set(port, worker);
  await worker.ready();
}

/** Connector or task → its worker, once all are RUNNING. */
async function owners(): Promise<Record<string, string>> {
  const [worker] = workers.values();
  const found: Record<string, string> = {};
  for (const name of CONNECTORS) {
    const { connector, tasks } = await (worker as StartedWorker).running(name, TASKS);
    found[name] = connector.worker_id;
    for (const { id, worker_id } of tasks) found[`${name}-${id}`] = worker_id;
  }
  return found;
}

/** Ends these workers and starts them again. Resolves with the tasks that were started meanwhile, by port. */
async function restart(ports: readonly number[], end: 'stop' | 'crash'): Promise<Map<number, number>> {
  const before = starts();
  await Promise.all(ports.map(async (port) => await workers.get(port)?.[end]()));
  await Promise.all(ports.map(start));
  const after = await waitFor('as many starts of tasks', () => {
    const now = starts();
    const sum = (of: Map<number, number>): number => [...of.values()].reduce((a, b) => a + b, 0);
    return sum(now) - sum(before) >= ports.length * 4 && now;
  });
  return new Map(
    [...workers].map(([port, { pid }]) => [port, (after.get(pid) ?? 0) - (before.get(pid) ?? 0)] as const),
  );
}

/** The workers' ports. */
async function leaderFirst(): Promise<number[]> {
  const leader = await leaderOf([...workers.values()]);
  return [...workers].sort(([, a], [, b]) => Number(b === leader) - Number(a === leader)).map(([port]) => port);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-rolling-'));
  await Promise.all((await freePorts(3)).map(start));
  const [first] = workers.values();
  for (const name of CONNECTORS)
    await (first as StartedWorker).register({
      name,
      config: {
        'connector.class': 'dev.IdleSourceConnector',
        'tasks.max': String(TASKS),
        tasks: String(TASKS),
        journal: journal(),
      },
    });
  await owners();
});
afterAll(async () => {
  await Promise.all([...workers.values()].map(async (worker) => await worker.stop()));
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  ['a follower', 1, 'stop'],
  ['the leader', 0, 'stop'],
  ['the leader, killed', 0, 'crash'],
] as const)('%s gets its tasks back at once, and no other task stops', async (_, rank, end) => {
  const before = await owners();
  const port = (await leaderFirst())[rank] as number;
  expect(await restart([port], end)).toEqual(new Map([...workers.keys()].map((one) => [one, one === port ? 4 : 0])));
  expect(await owners()).toEqual(before);
});

test('the leader and a follower get their tasks back, although they are away at the same time', async () => {
  const before = await owners();
  const [leader, follower, third] = (await leaderFirst()) as [number, number, number];
  const started = await restart([leader, follower], 'stop');
  expect([leader, follower, third].map((port) => started.get(port))).toEqual([4, 4, 0]);
  expect(await owners()).toEqual(before);
});
