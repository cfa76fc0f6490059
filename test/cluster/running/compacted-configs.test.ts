/**
 * The config topic is compacted while some workers run: those that read it before and those that start afterwards must
 * come to the same tasks. Sources: connect-runtime §1.4.4, §3.6.
 */
import type { ConnectorConfig } from '@millrace/sdk';
import { waitFor } from '../../helpers/wait-for';
import { createWorker, defaultBehavior, states, type TestWorker } from '../herder-fixtures';
import { serveInternalEndpoint, type Endpoint } from '../internal-endpoint';
import { MemoryKafka } from '../memory-kafka';

const config = { name: 'c', 'connector.class': 'org.example.TickConnector', 'tasks.max': '4' };
const PARTS = ['0', '1', '2', '3'];
let kafka: MemoryKafka;
let workers: TestWorker[];
let endpoints: Endpoint[];
/** Where connectors run, newest instance, by name. */
let owners: Map<string, TestWorker>;
/** Set: the connectors cannot generate task configs. */
let fault: string | null;

beforeEach(() => {
  kafka = new MemoryKafka();
  [workers, endpoints, owners, fault] = [[], [], new Map(), null];
});
afterEach(async () => {
  for (const worker of workers) await worker.herder.stop();
  for (const endpoint of endpoints) endpoint.close();
});

async function start(): Promise<TestWorker> {
  const endpoint = await serveInternalEndpoint();
  endpoints.push(endpoint);
  const { taskConfigs } = defaultBehavior();
  const worker: TestWorker = createWorker(kafka, 'g', {
    url: endpoint.url,
    config: { restart: { max: 20, backoffMs: 5, maxBackoffMs: 20 } },
    behavior: {
      ...defaultBehavior(),
      onCreate: ({ connector }) => void owners.set(connector, worker),
      taskConfigs: (generated: ConnectorConfig, max: number) => {
        if (fault !== null) throw new Error(fault);
        return taskConfigs(generated, max);
      },
    },
  });
  workers.push(worker);
  endpoint.serve(worker.herder);
  await worker.herder.start();
  expect(await worker.herder.health()).toMatchObject({ status: 'healthy' });
  return worker;
}
async function stop(worker: TestWorker): Promise<void> {
  workers.splice(workers.indexOf(worker), 1);
  await worker.herder.stop();
}
const running = (): string[] =>
  workers.flatMap(({ host }) => [...host.running.values()].map(({ taskConfig }) => taskConfig.part ?? '')).sort();
async function allRun(): Promise<void> {
  const texts = (): string[] => workers.map(({ herder }) => states(herder, 'c'));
  await waitFor(
    'all tasks to run, on each worker’s word',
    () =>
      running().join() === PARTS.join() && texts().every((text) => text === 'RUNNING RUNNING,RUNNING,RUNNING,RUNNING'),
    { everyMs: 5, detail: () => `${running().join()} ${texts().join(' | ')}` },
  );
}
/** Two workers that share the connector `c`; resolves with the one that runs tasks of it only. */
async function share(): Promise<TestWorker> {
  const first = await start();
  await start();
  await first.herder.writes.createConnector('c', config, null);
  await allRun();
  const other = workers.find((worker) => worker !== owners.get('c'));
  expect(other?.host.running.size).toBe(2);
  return other as TestWorker;
}
const starts = (): number =>
  workers.reduce((sum, { host }) => sum + host.log.filter((l) => l.startsWith('start')).length, 0);
const commits = (): string[] => kafka.texts('g-configs').filter((text) => text.startsWith('commit-'));

test('connect-runtime 21: all tasks run after an unchanged PUT, a compaction and the restart of a worker', async () => {
  const other = await share();
  const started = starts();
  await (workers[0] as TestWorker).herder.writes.putConnectorConfig('c', config);
  await allRun();
  expect(starts()).toBe(started);
  kafka.compact('g-configs');
  await stop(other);
  await start();
  await allRun();
});

test('connect-runtime 21: task configs are written again when a Java leader has written the connector’s config unchanged', async () => {
  const other = await share();
  const record = { key: Buffer.from('connector-c'), value: Buffer.from(JSON.stringify({ properties: config })) };
  kafka.append('g-configs', 0, record.key, record.value);
  await waitFor('the second commit', () => commits().length === 2, { everyMs: 5 });
  await allRun();
  kafka.compact('g-configs');
  expect(kafka.texts('g-configs').findIndex((text) => text.startsWith('connector-c='))).toBeLessThan(
    kafka.texts('g-configs').findIndex((text) => text.startsWith('task-c-0=')),
  );
  await stop(other);
  await start();
  await allRun();
});

test('connect-runtime 22: task configs whose commit was never written are replaced before they hide the committed ones', async () => {
  const other = await share();
  kafka.append('g-configs', 0, Buffer.from('task-c-0'), Buffer.from('{"properties":{"part":"lost"}}'));
  await (workers[0] as TestWorker).herder.writes.putConnectorConfig('c', config);
  await waitFor('the second commit', () => commits().length === 2, { everyMs: 5 });
  kafka.compact('g-configs');
  await stop(other);
  await start();
  await allRun();
});

test('a task without a config is FAILED, the connector’s worker is asked for it, and the task runs when it is there', async () => {
  const other = await share();
  fault = 'the source is down';
  const value = Buffer.from(JSON.stringify({ properties: config }));
  kafka.append('g-configs', 0, Buffer.from('connector-c'), value);
  await waitFor('the failed publication', () => owners.get('c')?.host.log.length !== 0);
  kafka.compact('g-configs');
  await stop(other);
  const newcomer = await start();
  const failed = await waitFor(
    'a FAILED task',
    () => newcomer.herder.reads.connectorStatus('c').tasks.find(({ state }) => state === 'FAILED'),
    { everyMs: 5, detail: () => states(newcomer.herder, 'c') },
  );
  expect(failed.trace).toMatch(/The config topic has no config of task c-\d.*code: TASK_CONFIG_MISSING/);
  expect(kafka.texts('g-configs').filter((text) => text.startsWith('restart-connector-c='))).not.toEqual([]);
  fault = null;
  await allRun();
});

test('a task without a config stays FAILED while its connector is paused, and runs once that is resumed', async () => {
  const other = await share();
  await (workers[0] as TestWorker).herder.writes.setTargetState('c', 'PAUSED');
  await waitFor('the pause', () => states(other.herder, 'c') === 'PAUSED PAUSED,PAUSED,PAUSED,PAUSED');
  const value = Buffer.from(JSON.stringify({ properties: { ...config, changed: 'yes' } }));
  kafka.append('g-configs', 0, Buffer.from('connector-c'), value);
  kafka.compact('g-configs');
  await stop(other);
  const newcomer = await start();
  await waitFor('FAILED tasks', () => /^PAUSED .*FAILED/.test(states(newcomer.herder, 'c')), {
    detail: () => states(newcomer.herder, 'c'),
  });
  await newcomer.herder.writes.setTargetState('c', 'STARTED');
  await allRun();
});
