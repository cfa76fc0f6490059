import { type Outcome, waitUntilRunning } from '../../../packages/cli/src/connectors/await-state';
import { ConnectClient } from '../../../packages/cli/src/rest/connect-client';
import { ScriptedCluster } from './scripted-cluster';

const worker = { worker_id: 'w:1' };
const status = (state: string, ...tasks: string[]): unknown => ({
  connector: { state, ...worker },
  tasks: tasks.map((task, id) => ({ id, state: task, ...worker })),
});
let cluster: ScriptedCluster;
let client: ConnectClient;
beforeEach(async () => {
  cluster = new ScriptedCluster();
  await cluster.start();
  cluster.configs.set('a', {});
  client = new ConnectClient({ urls: [cluster.url], timeoutMs: 10_000 });
});
afterEach(() => {
  client.close();
  cluster.stop();
});

let shown: string[];
const show = (text: () => string): unknown => shown.push(text());
beforeEach(() => (shown = []));

async function outcome(timeoutMs: number, withoutTasksMs: number): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  const onSettled = (name: string, found: Outcome): unknown => outcomes.push(found);
  await waitUntilRunning(client, ['a'], { before: new Map(), timeoutMs, withoutTasksMs, onSettled, show });
  expect(outcomes).toHaveLength(1);
  return outcomes[0] as Outcome;
}

/** @param tasks answer of `GET /connectors/a/tasks`; a number: its status */
function configured(tasks: unknown): void {
  cluster.script = (request) =>
    request === 'GET /connectors/a/tasks'
      ? { status: typeof tasks === 'number' ? tasks : 200, body: tasks }
      : undefined;
}

test('a connector that has no tasks and keeps none counts as running', async () => {
  cluster.status = () => status('RUNNING');
  configured([]);
  expect(await outcome(60_000, 1)).toEqual({ isReached: true, text: 'running, without tasks' });
});

test.each([
  ['has configs of tasks', [{ id: { connector: 'a', task: 0 }, config: {} }]],
  ['answers nonsense', { error: 'x' }],
  ['does not know it any more', 404],
  ['fails', 500],
])('a connector without the status of a task, when the worker %s, is waited for', async (_, tasks) => {
  cluster.status = () => status('RUNNING');
  configured(tasks);
  expect(await outcome(1200, 1)).toEqual({ isReached: false, text: 'the connector is RUNNING, but has no tasks' });
});

test('a connector whose first tasks appear late', async () => {
  let polls = 0;
  cluster.status = () => (polls++ < 2 ? status('RUNNING') : status('RUNNING', 'RUNNING'));
  configured([]);
  expect(await outcome(60_000, 30_000)).toEqual({ isReached: true, text: 'running' });
  expect(shown).toEqual(['Waiting for 1 of 1 connector: a', 'Waiting for 1 of 1 connector: a']);
});

test('a connector that is listed late', async () => {
  cluster.configs.clear();
  const listed = setTimeout(() => cluster.configs.set('a', {}), 700);
  expect(await outcome(60_000, 1)).toEqual({ isReached: true, text: 'running' });
  clearTimeout(listed);
});

test.each([
  ['PAUSED', [], 'paused'],
  ['PAUSED', ['PAUSED'], 'paused'],
  ['STOPPED', [], 'stopped'],
])('a connector that is %s, with tasks %j', async (state, tasks, text) => {
  cluster.status = () => status(state, ...tasks);
  expect(await outcome(60_000, 30_000)).toEqual({ isReached: true, text });
});
