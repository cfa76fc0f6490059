/** Task reconfiguration requested by a connector. Source: connect-runtime §3.6. */
import type { SourceConnectorContext } from '@millrace/sdk';
import { waitFor } from '../../helpers/wait-for';
import { createWorker, defaultBehavior, states, type TestWorker } from '../herder-fixtures';
import { serveInternalEndpoint, type Endpoint } from '../internal-endpoint';
import { MemoryKafka } from '../memory-kafka';

const config = { name: 'c', 'connector.class': 'org.example.TickConnector', 'tasks.max': '3' };
let kafka: MemoryKafka;
let workers: TestWorker[];
let endpoints: Endpoint[];
/** How the connector splits its work. */
let parts: string[];
/** How often that was requested. */
let asked: number;
/** By connector, of the newest instance, and where it runs. */
let instances: Map<string, { readonly context: SourceConnectorContext; readonly worker: number }>;

beforeEach(() => {
  kafka = new MemoryKafka();
  workers = [];
  endpoints = [];
  parts = ['a', 'b'];
  asked = 0;
  instances = new Map();
});
afterEach(async () => {
  for (const worker of workers) await worker.herder.stop();
  for (const endpoint of endpoints) endpoint.close();
});

async function start(): Promise<TestWorker> {
  const endpoint = await serveInternalEndpoint();
  endpoints.push(endpoint);
  const number = workers.length;
  const behavior = {
    ...defaultBehavior(),
    onCreate: (context: SourceConnectorContext) => void instances.set(context.connector, { context, worker: number }),
    taskConfigs: () => {
      asked++;
      return parts.map((part) => ({ part }));
    },
  };
  const worker = createWorker(kafka, 'g', { url: endpoint.url, behavior });
  workers.push(worker);
  endpoint.serve(worker.herder);
  await worker.herder.start();
  expect(await worker.herder.health()).toMatchObject({ status: 'healthy' });
  return worker;
}
const ask = (name: string): void => instances.get(name)?.context.requestTaskReconfiguration();
const running = (): string[] =>
  workers.flatMap(({ host }) => [...host.running.values()].map(({ taskConfig }) => taskConfig.part ?? '')).sort();
async function runs(expected: readonly string[]): Promise<void> {
  await waitFor(`tasks ${expected.join()}`, () => running().join() === expected.join(), {
    everyMs: 5,
    detail: () => running().join(),
  });
}
const commits = (): string[] => kafka.texts('g-configs').filter((text) => text.startsWith('commit-'));

test('more, fewer and other tasks; unchanged ones are not written', async () => {
  const worker = await start();
  await worker.herder.writes.createConnector('c', config, null);
  await runs(['a', 'b']);
  for (const next of [['a', 'b', 'c'], ['c'], ['d']]) {
    parts = next;
    ask('c');
    await runs(next);
  }
  await waitFor('one task status', () => states(worker.herder, 'c') === 'RUNNING RUNNING', { everyMs: 5 });
  expect(commits()).toEqual([2, 3, 1, 1].map((tasks) => `commit-c={"tasks":${tasks}}`));
  const before = asked;
  ask('c');
  parts = ['d', 'e'];
  // The next one is requested when the one before is complete, so that its end implies the other's.
  ask('c');
  await runs(['d', 'e']);
  await waitFor('the second answer', () => asked >= before + 2);
  await new Promise((resolve) => setImmediate(resolve));
  await worker.herder.health();
  expect(commits()).toHaveLength(5);
});

test('a follower’s connector sends them to the leader', async () => {
  await start();
  await start();
  const [leader] = workers as [TestWorker];
  const names = ['c', 'd'];
  for (const name of names) {
    await leader.herder.writes.createConnector(name, { ...config, name }, null);
    await waitFor(`${name} to run`, () => states(leader.herder, name) === 'RUNNING RUNNING,RUNNING', { everyMs: 5 });
  }
  await runs(['a', 'a', 'b', 'b']);
  expect([...instances.values()].map(({ worker }) => worker).sort()).toEqual([0, 1]);
  parts = ['x'];
  for (const name of names) ask(name);
  await runs(['x', 'x']);
});

test('connect-runtime 56: a connector that is not running gets no new tasks, and gets them on resume', async () => {
  const worker = await start();
  await worker.herder.writes.createConnector('c', config, null);
  await runs(['a', 'b']);
  await worker.herder.writes.stopConnector('c');
  await runs([]);
  parts = ['c'];
  const before = commits().length;
  ask('c');
  await waitFor('STOPPED', () => states(worker.herder, 'c') === 'STOPPED', { everyMs: 5 });
  expect(commits()).toHaveLength(before);
  await worker.herder.writes.setTargetState('c', 'STARTED');
  await runs(['c']);
});
