import { NotHereError } from '../../src/cluster/errors';
import type { KafkaClients } from '../../packages/kafka-client/src/port';
import { silentLogger, type Logger } from '../../src/logging/logger';
import { waitFor } from '../helpers/wait-for';
import { createWorker, defaultBehavior, states, type TestWorker } from './herder-fixtures';
import { serveInternalEndpoint, type Endpoint } from './internal-endpoint';
import { MemoryKafka, type MemoryMember } from './memory-kafka';

const GROUP = 'g';
const CONFIGS = 'g-configs';
const source = (config: Record<string, string> = {}): Record<string, string> => ({
  name: 'c',
  'connector.class': 'org.example.TickConnector',
  'tasks.max': '2',
  ...config,
});

let kafka: MemoryKafka;
let workers: TestWorker[];
let endpoints: Endpoint[];
beforeEach(() => {
  kafka = new MemoryKafka();
  workers = [];
  endpoints = [];
});
afterEach(async () => {
  for (const worker of workers) await worker.herder.stop();
  for (const endpoint of endpoints) endpoint.close();
});

async function start(
  options: Parameters<typeof createWorker>[2] = {},
  clients: KafkaClients = kafka,
): Promise<TestWorker> {
  const worker = createWorker(clients, GROUP, options);
  workers.push(worker);
  await worker.herder.start();
  expect(await worker.herder.health()).toMatchObject({ status: 'healthy' });
  return worker;
}
/** A worker whose URL answers the internal endpoint. */
async function startReachable(
  options: Parameters<typeof createWorker>[2] = {},
  clients: KafkaClients = kafka,
): Promise<TestWorker> {
  const endpoint = await serveInternalEndpoint();
  endpoints.push(endpoint);
  const worker = await start({ ...options, url: endpoint.url }, clients);
  endpoint.serve(worker.herder);
  return worker;
}
/** While they are held, the config topic is not read to its end. */
function readingOnDemand(): { slow: KafkaClients; hold: () => void; isWaiting: () => boolean; release: () => void } {
  let held: Promise<void> | null = null;
  let open: () => void = () => undefined;
  let waiting = false;
  const admin = kafka.admin();
  const listOffsets: typeof admin.listOffsets = async (partitions, ...rest) => {
    if (held && partitions[0]?.topic === CONFIGS) {
      waiting = true;
      await held;
    }
    return await admin.listOffsets(partitions, ...rest);
  };
  return {
    slow: Object.assign(Object.create(kafka) as KafkaClients, { admin: () => ({ ...admin, listOffsets }) }),
    hold: () => (held = new Promise((resolve) => (open = resolve))),
    isWaiting: () => waiting,
    release: () => {
      held = null;
      open();
    },
  };
}
/** A logger that keeps the lines of level info and above. */
function plainLines(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const keep = (line: string): void => void lines.push(line);
  const logger: Logger = { ...silentLogger, error: keep, warn: keep, info: keep, child: () => logger };
  return { logger, lines };
}
const until = async (what: string, probe: () => unknown): Promise<void> => {
  await waitFor(what, () => Boolean(probe()), { everyMs: 5 });
};
const reaches = async (worker: TestWorker, name: string, expected: string): Promise<void> =>
  await waitFor(`${name} to be ${expected}`, () => states(worker.herder, name) === expected, {
    everyMs: 5,
    detail: () => states(worker.herder, name),
  }).then(() => undefined);

describe('one worker', () => {
  test('creates a connector, runs its tasks, answers reads, deletes it', async () => {
    const worker = await start();
    const { herder, host } = worker;
    expect(herder.workerId).toBe('w1:8083');
    expect(herder.kafkaClusterId()).toBe('memory');
    const info = await herder.writes.createConnector('c', source(), null);
    expect(info).toEqual({ name: 'c', config: source(), tasks: [], type: 'source' });
    expect(herder.reads.connectors()).toEqual(['c']);
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
    expect(herder.reads.taskInfos('c')).toEqual(
      [0, 1].map((task) => ({
        id: { connector: 'c', task },
        config: { part: String(task), value: '', 'task.class': 'org.example.TickTask' },
      })),
    );
    expect(herder.reads.taskStatus('c', 1)).toEqual({
      ...{ id: 1, state: 'RUNNING', worker_id: 'w1:8083', version: '1.2.3' },
      since: expect.any(Number),
    });
    expect(host.running.get('c-0')).toMatchObject({ type: 'source', consumerGroup: null, targetState: 'STARTED' });
    expect(kafka.texts(CONFIGS).filter((text) => !text.startsWith('session-key'))).toEqual([
      `connector-c=${JSON.stringify({ properties: source() })}`,
      'task-c-0={"properties":{"part":"0","value":"","task.class":"org.example.TickTask"}}',
      'task-c-1={"properties":{"part":"1","value":"","task.class":"org.example.TickTask"}}',
      'commit-c={"tasks":2}',
    ]);
    await herder.writes.deleteConnector('c');
    expect(herder.reads.connectors()).toEqual([]);
    await until('the tasks to stop', () => host.running.size === 0);
    await until('the statuses to go', () => states(herder, 'c') === '');
    expect(() => herder.reads.connectorStatus('c')).toThrow('No status found for connector c');
  });

  test("connect-runtime 54: Java's errors", async () => {
    const { herder } = await start();
    await herder.writes.createConnector('c', source(), 'PAUSED');
    await expect(herder.writes.createConnector('c', source(), null)).rejects.toMatchObject({
      status: 409,
      message: 'Connector c already exists',
    });
    await expect(
      herder.writes.createConnector('d', source({ name: 'd', fault: 'bad key' }), null),
    ).rejects.toMatchObject({
      status: 400,
      message:
        'Connector configuration is invalid and contains the following 1 error(s):\nbad key\n' +
        'You can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`',
    });
    const gone = { status: 404 };
    await expect(herder.writes.deleteConnector('x')).rejects.toMatchObject({
      ...gone,
      message: 'Connector x not found',
    });
    await expect(herder.writes.setTargetState('x', 'PAUSED')).rejects.toMatchObject({
      ...gone,
      message: 'Unknown connector x',
    });
    await expect(herder.writes.stopConnector('x')).rejects.toMatchObject({ ...gone, message: 'Unknown connector x' });
    await expect(herder.restarts.restartConnector('x')).rejects.toMatchObject({
      ...gone,
      message: 'Unknown connector: x',
    });
    await expect(herder.restarts.restartTask('x', 0)).rejects.toMatchObject({
      ...gone,
      message: 'Unknown connector: x',
    });
    await expect(herder.restarts.restartTask('c', 7)).rejects.toMatchObject({ ...gone, message: 'Unknown task: c-7' });
    const flags = { includeTasks: true, onlyFailed: false };
    await expect(herder.restarts.requestRestart('x', flags)).rejects.toMatchObject({
      ...gone,
      message: 'Unknown connector: x',
    });
    expect(() => herder.reads.connectorInfo('x')).toThrow('Connector x not found');
    expect(() => herder.reads.taskInfos('x')).toThrow('Connector x not found');
    expect(() => herder.reads.taskStatus('c', 7)).toThrow('No status found for task c-7');
  });

  test('connect-runtime 5: with initial state STOPPED the state is written first and no task starts', async () => {
    const worker = await start();
    await worker.herder.writes.createConnector('c', source(), 'STOPPED');
    await reaches(worker, 'c', 'STOPPED');
    expect(worker.host.log).toEqual([]);
    expect(kafka.texts(CONFIGS).filter((text) => !text.startsWith('session'))[0]).toMatch(/^target-state-c=/);
    await worker.herder.writes.setTargetState('c', 'STARTED');
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
  });

  test('connect-runtime 55 and 56: pause, resume, stop, resume', async () => {
    const worker = await start();
    const { herder, host } = worker;
    await herder.writes.createConnector('c', source(), null);
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
    await herder.writes.setTargetState('c', 'PAUSED');
    await reaches(worker, 'c', 'PAUSED PAUSED,PAUSED');
    await herder.writes.setTargetState('c', 'STARTED');
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
    expect(host.log).toEqual(['start c-0', 'start c-1']);
    await herder.writes.stopConnector('c');
    expect(herder.reads.connectorInfo('c').tasks).toEqual([]);
    await reaches(worker, 'c', 'STOPPED');
    expect(host.running.size).toBe(0);
    await expect(
      herder.writes.submitTaskConfigs('c', { raw: Buffer.alloc(0), signature: null, algorithm: null }, () => []),
    ).rejects.toMatchObject({ status: 400, message: 'Internal request missing required signature' });
    await herder.writes.putConnectorConfig('c', source({ value: 'new', 'tasks.max': '1' }));
    await herder.writes.setTargetState('c', 'STARTED');
    await reaches(worker, 'c', 'RUNNING RUNNING');
    expect(host.running.get('c-0')?.taskConfig.value).toBe('new');
  });

  test('connect-runtime 49 and 60: a config update restarts connector and tasks without moving other work', async () => {
    const worker = await start();
    const { herder, host } = worker;
    await herder.writes.createConnector('other', source({ name: 'other' }), null);
    await reaches(worker, 'other', 'RUNNING RUNNING,RUNNING');
    expect((await herder.writes.putConnectorConfig('c', source())).created).toBe(true);
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
    host.log.length = 0;
    const { created, info } = await herder.writes.putConnectorConfig('c', source({ value: 'v2' }));
    expect(created).toBe(false);
    expect(info.tasks).toHaveLength(2);
    await until('new tasks', () => host.running.get('c-1')?.taskConfig.value === 'v2');
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
    expect(host.log).toEqual(['stop c-0', 'stop c-1', 'start c-0', 'start c-1']);
    const commits = (): number => kafka.texts(CONFIGS).filter((text) => text.startsWith('commit-c=')).length;
    expect(commits()).toBe(2);
    // Same tasks from another configuration: written again, because compaction may forget the earlier commit.
    await herder.writes.putConnectorConfig('c', source({ value: 'v2', unrelated: 'x' }));
    await until('another commit', () => commits() === 3);
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
    // A restart changes nothing: its task configs are requested, and what would be written is written before the
    // next request.
    const asked = jest.spyOn(worker.behavior, 'taskConfigs');
    await herder.restarts.restartConnector('c');
    await until('the task configurations to be asked for', () => asked.mock.calls.length > 0);
    await new Promise((resolve) => setImmediate(resolve));
    await herder.health();
    expect(commits()).toBe(3);
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
  });

  test('fewer tasks: surplus tasks stop and their statuses are removed', async () => {
    const worker = await start();
    await worker.herder.writes.createConnector('c', source({ 'tasks.max': '3' }), null);
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING,RUNNING');
    await worker.herder.writes.putConnectorConfig('c', source({ 'tasks.max': '1' }));
    await reaches(worker, 'c', 'RUNNING RUNNING');
    expect([...worker.host.running.keys()]).toEqual(['c-0']);
  });

  test('connect-runtime 57: restarts of failed tasks, of all, of one', async () => {
    const worker = await start();
    const { herder, host } = worker;
    await herder.writes.createConnector('c', source(), null);
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
    host.fail({ connector: 'c', task: 1 });
    await reaches(worker, 'c', 'RUNNING RUNNING,FAILED');
    expect(herder.reads.taskStatus('c', 1).trace).toBe('java.lang.Exception: boom\n');
    host.log.length = 0;
    const plan = await herder.restarts.requestRestart('c', { includeTasks: true, onlyFailed: true });
    expect([plan.connector.state, ...plan.tasks.map((task) => task.state)]).toEqual([
      'RUNNING',
      'RUNNING',
      'RESTARTING',
    ]);
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
    expect(host.log).toEqual(['stop c-1', 'start c-1']);
    host.log.length = 0;
    await herder.restarts.requestRestart('c', { includeTasks: true, onlyFailed: false });
    await until('both tasks', () => host.log.length === 4);
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
    host.log.length = 0;
    await herder.restarts.restartTask('c', 0);
    expect(host.log).toEqual(['stop c-0', 'start c-0']);
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
    host.log.length = 0;
    const signal = { id: 's', type: 'log', data: {} };
    await herder.restarts.signalTask('c', 1, signal);
    expect(host.log).toEqual(['signal log c-1']);
    await expect(herder.restarts.signalTask('c', 7, signal)).rejects.toMatchObject({ status: 404 });
    host.fail({ connector: 'c', task: 1 });
    await expect(herder.restarts.signalTask('c', 1, signal)).rejects.toMatchObject({
      status: 409,
      message: 'Task c-1 is not running, so it accepts no signals',
    });
  });

  test('connect-rest 52: a connector that cannot start is FAILED with a trace, and recovers when its config changes', async () => {
    const behavior = defaultBehavior();
    behavior.start = (config) => {
      if (config.value !== 'good') throw new Error('no such database');
    };
    const worker = await start({ behavior });
    await worker.herder.writes.createConnector('c', source(), null);
    await reaches(worker, 'c', 'FAILED');
    expect(worker.herder.reads.connectorStatus('c').connector.trace).toMatch(/^org\.apache.*: no such database\n\tat /);
    await expect(worker.herder.restarts.restartConnector('c')).rejects.toMatchObject({
      status: 500,
      message: 'Failed to start connector: c',
    });
    await worker.herder.writes.putConnectorConfig('c', source({ value: 'good' }));
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
  });

  test('connect-runtime 58, connect-rest 98: more tasks than allowed', async () => {
    const behavior = defaultBehavior();
    behavior.taskConfigs = () => [{}, {}, {}];
    const worker = await start({ behavior });
    await worker.herder.writes.createConnector('c', source(), null);
    await reaches(worker, 'c', 'FAILED');
    expect(worker.herder.reads.connectorStatus('c').connector.trace).toContain(
      'The connector c has generated 3 tasks, which is greater than 2',
    );
    await worker.herder.writes.createConnector('d', source({ name: 'd', 'tasks.max.enforce': 'false' }), null);
    await reaches(worker, 'd', 'RUNNING RUNNING,RUNNING,RUNNING');
  });

  test('a connector that returns no list of task configs is FAILED, and is not asked again', async () => {
    const behavior = defaultBehavior();
    let calls = 0;
    behavior.taskConfigs = () => {
      calls++;
      return [{ part: 1 as never }];
    };
    const worker = await start({ behavior });
    await worker.herder.writes.createConnector('c', source(), null);
    await reaches(worker, 'c', 'FAILED');
    expect(worker.herder.reads.connectorStatus('c').connector.trace).toContain(
      'returned a number as "part" in the config of task 0: expected a string. [code: TASK_CONFIGS_RESULT]',
    );
    expect(calls).toBe(1);
    behavior.taskConfigs = () => [{ part: '1' }];
    await worker.herder.restarts.restartConnector('c');
    await reaches(worker, 'c', 'RUNNING RUNNING');
  });

  test('a sink with a huge tasks.max fails alone, a source that creates few tasks runs', async () => {
    const behavior = defaultBehavior();
    const asked: number[] = [];
    behavior.taskConfigs = ({ name }, max) => {
      asked.push(max);
      return name === 'few' ? [{}] : Array.from({ length: max }, () => ({}));
    };
    const worker = await start({ behavior });
    const most = { 'tasks.max': '2147483647' };
    await worker.herder.writes.createConnector('c', source({ ...most, 'tasks.max.enforce': 'false' }), null);
    await reaches(worker, 'c', 'FAILED');
    expect(worker.herder.reads.connectorStatus('c').connector.trace).toMatch(
      /more than 5000 tasks.*TASKS_BEYOND_LIMIT/s,
    );
    await worker.herder.writes.createConnector('few', source({ ...most, name: 'few' }), null);
    await reaches(worker, 'few', 'RUNNING RUNNING');
    expect(Math.max(...asked)).toBe(5_001);
  });

  test('connect-runtime 59: failed task configs are requested again', async () => {
    const behavior = defaultBehavior();
    let calls = 0;
    behavior.taskConfigs = () => {
      if (++calls < 3) throw new Error('not yet');
      return [{ n: '1' }];
    };
    const worker = await start({ behavior });
    await worker.herder.writes.createConnector('c', source(), null);
    await reaches(worker, 'c', 'RUNNING RUNNING');
    expect(calls).toBe(3);
  });

  test('a plugin that hangs does not block the tick', async () => {
    const behavior = defaultBehavior();
    let release: () => void = () => undefined;
    behavior.start = async (config) => {
      if (config.name === 'hangs') await new Promise<void>((resolve) => (release = resolve));
    };
    const worker = await start({ behavior });
    await worker.herder.writes.createConnector('hangs', source({ name: 'hangs' }), null);
    await worker.herder.writes.createConnector('c', source(), null);
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
    expect(states(worker.herder, 'hangs')).toBe('');
    release();
    await reaches(worker, 'hangs', 'RUNNING RUNNING,RUNNING');
  });

  test('connect-runtime 24: a restart request that is already in the log is not replayed', async () => {
    const first = await start();
    await first.herder.writes.createConnector('c', source(), null);
    await reaches(first, 'c', 'RUNNING RUNNING,RUNNING');
    await first.herder.restarts.requestRestart('c', { includeTasks: true, onlyFailed: false });
    await first.herder.stop();
    const second = await start();
    await reaches(second, 'c', 'RUNNING RUNNING,RUNNING');
    await second.herder.health();
    expect(second.host.log).toEqual(['start c-0', 'start c-1']);
  });

  test('connect-runtime 22: a crash between task records and commit leaves the old tasks', async () => {
    const first = await start();
    await first.herder.writes.createConnector('c', source({ value: 'old' }), null);
    await reaches(first, 'c', 'RUNNING RUNNING,RUNNING');
    await first.herder.stop();
    const half = Buffer.from('{"properties":{"part":"0","value":"half"}}');
    kafka.append(CONFIGS, 0, Buffer.from('task-c-0'), half);
    const second = await start();
    await reaches(second, 'c', 'RUNNING RUNNING,RUNNING');
    expect(second.host.running.get('c-0')?.taskConfig.value).toBe('old');
  });

  test('connect-runtime 25: a config log that ends in a marker does not hang the start', async () => {
    kafka.createTopic(CONFIGS);
    kafka.append(CONFIGS, 0, Buffer.from('connector-c'), Buffer.from(JSON.stringify({ properties: source() })));
    kafka.appendHole(CONFIGS);
    const worker = await start();
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
  });

  test('shutdown stops the work and writes its statuses', async () => {
    const worker = await start();
    await worker.herder.writes.createConnector('c', source(), null);
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
    const late = worker.herder.stop();
    await expect(worker.herder.writes.createConnector('d', source(), null)).rejects.toMatchObject({
      status: 500,
      message: 'Worker is shutting down',
    });
    await late;
    expect(worker.host.running.size).toBe(0);
    const last = kafka.texts('g-status').filter((text) => text.startsWith('status-'));
    expect(last.filter((text) => text.includes('"UNASSIGNED"'))).toHaveLength(3);
    expect(kafka.groups.get(GROUP)?.members.size).toBe(0);
  });

  test('until the storage topics are read, no request is answered with an empty list of connectors', async () => {
    const worker = createWorker(kafka, GROUP);
    workers.push(worker);
    const starting = { status: 404, message: 'Worker is still starting up.' };
    expect(() => worker.herder.reads.connectors()).toThrow(expect.objectContaining(starting));
    await expect(worker.herder.writes.setTargetState('c', 'PAUSED')).rejects.toMatchObject(starting);
    await worker.herder.start();
    expect(worker.herder.reads.connectors()).toEqual([]);
  });

  test('connect-runtime 13: a wrong storage topic is rejected and everything is closed', async () => {
    kafka.createTopic(CONFIGS, 1, { 'cleanup.policy': 'delete' });
    const worker = createWorker(kafka, GROUP);
    await expect(worker.herder.start()).rejects.toThrow(
      "Topic 'g-configs' supplied via the 'config.storage.topic' property",
    );
    await worker.herder.stop();
  });

  test('topics that a task uses are recorded once', async () => {
    const { herder, host } = await start();
    await herder.writes.createConnector('c', source(), null);
    host.listener.onTopicActive({ connector: 'c', task: 1 }, 'orders');
    await until('the topic status', () =>
      kafka.texts('g-status').some((text) => text.startsWith('status-topic-orders')),
    );
    await until('it to be read back', () => herder.topics.list('c').includes('orders'));
    host.listener.onTopicActive({ connector: 'c', task: 0 }, 'orders');
    expect(kafka.texts('g-status').filter((text) => text.includes('status-topic-orders:connector-c'))).toHaveLength(1);
  });
});

describe('two workers', () => {
  test('share connectors and tasks; the follower publishes through the leader, signed', async () => {
    const one = await startReachable();
    const two = await startReachable();
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) await one.herder.writes.createConnector(name, source({ name }), null);
    for (const name of names) await reaches(two, name, 'RUNNING RUNNING,RUNNING');
    const all = [...one.host.running.keys(), ...two.host.running.keys()].sort();
    expect(all).toEqual(names.flatMap((name) => [`${name}-0`, `${name}-1`]));
    expect(one.host.running.size).toBe(4);
    const owners = new Set(names.map((name) => two.herder.reads.connectorStatus(name).connector.worker_id));
    expect(owners.size).toBe(2);
    const keys = kafka.texts(CONFIGS).filter((text) => text.startsWith('session-key='));
    expect(keys).toHaveLength(1);
  });

  test('writes on a follower name the leader; restarts name the owner', async () => {
    const one = await startReachable();
    const two = await startReachable();
    await expect(two.herder.writes.createConnector('c', source(), null)).rejects.toMatchObject({ url: one.url });
    await expect(two.herder.writes.deleteConnector('c')).rejects.toBeInstanceOf(NotHereError);
    for (const name of ['a', 'b']) await one.herder.writes.createConnector(name, source({ name }), null);
    for (const name of ['a', 'b']) await reaches(one, name, 'RUNNING RUNNING,RUNNING');
    const of = (name: string): TestWorker =>
      one.herder.reads.connectorStatus(name).connector.worker_id === one.herder.workerId ? one : two;
    const remote = ['a', 'b'].find((name) => of(name) === two) as string;
    await expect(one.herder.restarts.restartConnector(remote)).rejects.toMatchObject({ url: two.url });
    await two.herder.restarts.restartConnector(remote);
    const local = ['a', 'b'].find((name) => of(name) === one) as string;
    await expect(two.herder.restarts.restartConnector(local)).rejects.toMatchObject({ url: one.url });
  });

  test('work of a worker that leaves moves, at once without a delay', async () => {
    const one = await startReachable();
    const two = await startReachable();
    for (const name of ['a', 'b']) await one.herder.writes.createConnector(name, source({ name }), null);
    for (const name of ['a', 'b']) await reaches(one, name, 'RUNNING RUNNING,RUNNING');
    await two.herder.stop();
    await until('all tasks on one worker', () => one.host.running.size === 4);
    for (const name of ['a', 'b']) await reaches(one, name, 'RUNNING RUNNING,RUNNING');
  });

  test('connect-runtime 40: with a delay the work stays unassigned until it expires', async () => {
    const config = { scheduledRebalanceMaxDelayMs: 400 };
    const one = await startReachable({ config });
    const two = await startReachable({ config });
    for (const name of ['a', 'b']) await one.herder.writes.createConnector(name, source({ name }), null);
    for (const name of ['a', 'b']) await reaches(one, name, 'RUNNING RUNNING,RUNNING');
    await until('work on both', () => one.host.running.size === 2 && two.host.running.size === 2);
    const taken: number[] = [];
    const startTask = one.host.start.bind(one.host);
    one.host.start = async (spec) => {
      taken.push(performance.now());
      await startTask(spec);
    };
    const left = performance.now();
    await two.herder.stop();
    await until('all tasks on one worker', () => one.host.running.size === 4);
    expect(taken).toHaveLength(2);
    expect(Math.min(...taken) - left).toBeGreaterThanOrEqual(config.scheduledRebalanceMaxDelayMs);
  });

  test('connect-runtime 46: a worker that lost its membership cancels its work before it rejoins', async () => {
    const one = await startReachable();
    const two = await startReachable();
    for (const name of ['a', 'b']) await one.herder.writes.createConnector(name, source({ name }), null);
    for (const name of ['a', 'b']) await reaches(one, name, 'RUNNING RUNNING,RUNNING');
    await until('work on both', () => one.host.running.size === 2 && two.host.running.size === 2);
    const before = two.host.log.length;
    const held = [...two.host.running.keys()];
    (kafka.members[1] as MemoryMember).expire();
    await until(
      'it to have ended',
      () => two.host.log.slice(before).filter((line) => line.startsWith('cancel')).length >= 2,
    );
    expect(two.host.log.slice(before, before + 2).sort()).toEqual(held.map((name) => `cancel ${name}`).sort());
    await until('everything to run once', () => {
      const all = [...one.host.running.keys(), ...two.host.running.keys()].sort();
      return all.join() === 'a-0,a-1,b-0,b-1';
    });
  });

  test('connect-runtime 46: pending writes do not keep a worker from stopping the work it lost', async () => {
    const events: string[] = [];
    let finish: () => void = () => undefined;
    let held: Promise<void> | null = null;
    const slow: KafkaClients = Object.assign(Object.create(kafka) as KafkaClients, {
      producer: () => {
        const producer = kafka.producer();
        const send: typeof producer.send = (record, onDelivery, token) => {
          if (record.topic === CONFIGS) events.push(`write ${record.key?.toString()}`);
          producer.send(
            record,
            (...delivered) => void (held ?? Promise.resolve()).then(() => onDelivery?.(...delivered)),
            token,
          );
        };
        return { ...producer, send };
      },
    });
    const one = await startReachable({}, slow);
    await one.herder.writes.createConnector('a', source({ name: 'a' }), null);
    await reaches(one, 'a', 'RUNNING RUNNING,RUNNING');
    one.host.beforeStop = async () => void events.push('stop');
    held = new Promise<void>((resolve) => (finish = resolve));
    events.length = 0;
    const writes = ['b', 'c', 'd'].map(
      async (name) => await one.herder.writes.createConnector(name, source({ name }), null),
    );
    await until('the first to be written', () => events.includes('write connector-b'));
    (kafka.members[0] as MemoryMember).expire();
    held = null;
    finish();
    await Promise.all(writes);
    const order = events.filter((event) => /^(stop|write connector-.)$/.test(event));
    expect(order.slice(0, 2)).toEqual(['write connector-b', 'stop']);
    await reaches(one, 'd', 'RUNNING RUNNING,RUNNING');
  });

  test('connect-runtime 46: the only worker lost its membership and rejoins before the delay expires: its work resumes at once', async () => {
    const one = await startReachable({ config: { scheduledRebalanceMaxDelayMs: 300_000 } });
    await one.herder.writes.createConnector('a', source({ name: 'a' }), null);
    await reaches(one, 'a', 'RUNNING RUNNING,RUNNING');
    const before = one.host.log.length;
    (kafka.members[0] as MemoryMember).expire();
    await until('it to stop and start', () => one.host.log.length >= before + 4);
    expect(one.host.log.slice(before).sort()).toEqual(['cancel a-0', 'cancel a-1', 'start a-0', 'start a-1']);
    await reaches(one, 'a', 'RUNNING RUNNING,RUNNING');
  });

  test('connect-runtime 46: a follower that rejoins before the delay expires gets its own work again, and no other', async () => {
    const config = { scheduledRebalanceMaxDelayMs: 300_000 };
    const one = await startReachable({ config });
    const two = await startReachable({ config });
    for (const name of ['a', 'b']) await one.herder.writes.createConnector(name, source({ name }), null);
    for (const name of ['a', 'b']) await reaches(one, name, 'RUNNING RUNNING,RUNNING');
    await until('work on both', () => one.host.running.size === 2 && two.host.running.size === 2);
    const held = [...two.host.running.keys()].sort();
    const [mine, others] = [two.host.log.length, one.host.log.length];
    (kafka.members[1] as MemoryMember).expire();
    await until('it to stop and start', () => two.host.log.length >= mine + 4);
    expect([...two.host.running.keys()].sort()).toEqual(held);
    expect(one.host.log.slice(others)).toEqual([]);
  });

  test('connect-runtime 46: work deleted while a worker was away is not started when it rejoins', async () => {
    const config = { scheduledRebalanceMaxDelayMs: 300_000 };
    const one = await startReachable({ config });
    const two = await startReachable({ config });
    for (const name of ['a', 'b']) await one.herder.writes.createConnector(name, source({ name }), null);
    for (const name of ['a', 'b']) await reaches(one, name, 'RUNNING RUNNING,RUNNING');
    await until('work on both', () => one.host.running.size === 2 && two.host.running.size === 2);
    const before = two.host.log.length;
    const member = kafka.members[1] as MemoryMember;
    const gone = new Set([...two.host.running.keys()].map((name) => name.slice(0, 1)));
    member.hold();
    member.expire();
    await until('it to have stopped', () => two.host.running.size === 0);
    for (const name of gone) await one.herder.writes.deleteConnector(name);
    await until('the rest to run once', () => one.host.running.size === 4 - 2 * gone.size);
    member.release();
    await until('it to be back', () => member.current !== null);
    await one.herder.writes.createConnector('c', source({ name: 'c' }), null);
    await reaches(one, 'c', 'RUNNING RUNNING,RUNNING');
    expect(two.host.log.slice(before).filter((line) => /^start [ab]/.test(line) && gone.has(line.charAt(6)))).toEqual(
      [],
    );
  });

  test('connect-runtime 46: task configs that were about to be written when the membership was lost are published after the rejoin', async () => {
    const { slow, hold, isWaiting, release } = readingOnDemand();
    const worker = await startReachable({}, slow);
    await worker.herder.writes.createConnector('c', source(), null);
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
    const { taskConfigs } = worker.behavior;
    worker.behavior.taskConfigs = (...of) => {
      hold();
      worker.behavior.taskConfigs = taskConfigs;
      return taskConfigs(...of);
    };
    await worker.herder.writes.putConnectorConfig('c', source({ value: 'new' }));
    await until('the leader to read before it writes', isWaiting);
    (kafka.members[0] as MemoryMember).expire();
    release();
    await until('the new tasks', () => worker.host.running.get('c-1')?.taskConfig.value === 'new');
    expect(kafka.texts(CONFIGS).filter((text) => text.startsWith('commit-c'))).toHaveLength(2);
  });

  test('connect-runtime 46: a change that was about to be written when the membership was lost is written after the rejoin', async () => {
    const { slow, hold, isWaiting, release } = readingOnDemand();
    const worker = await startReachable({}, slow);
    await worker.herder.writes.createConnector('c', source(), null);
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
    hold();
    const stopped = worker.herder.writes.stopConnector('c');
    await until('the leader to read before it writes', isWaiting);
    (kafka.members[0] as MemoryMember).expire();
    release();
    await stopped;
    await reaches(worker, 'c', 'STOPPED');
  });

  test('connect-runtime 46: writes that any worker may do are done between two memberships as well', async () => {
    const worker = await startReachable();
    await worker.herder.writes.createConnector('c', source(), null);
    await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
    const member = kafka.members[0] as MemoryMember;
    member.hold();
    member.expire();
    const before = kafka.texts(CONFIGS).length;
    await worker.herder.writes.setTargetState('c', 'PAUSED');
    await worker.herder.writes.setLoggerLevel('x', 'TRACE');
    expect(kafka.texts(CONFIGS).slice(before)).toEqual([
      'target-state-c={"state":"PAUSED","state.v2":"PAUSED"}',
      expect.stringMatching(/^logger-cluster-x=/),
    ]);
    member.release();
    await reaches(worker, 'c', 'PAUSED PAUSED,PAUSED');
  });

  test('connect-runtime 12: a worker that was suspended writes no final statuses for work that others run by now', async () => {
    const one = await startReachable();
    let asleep = false;
    const slow: KafkaClients = Object.assign(Object.create(kafka) as KafkaClients, {
      assignedConsumer: () => {
        const consumer = kafka.assignedConsumer();
        return {
          ...consumer,
          poll: async (timeoutMs: number) => {
            await new Promise((resolve) => setTimeout(resolve, 20));
            return asleep ? [] : await consumer.poll(Math.min(timeoutMs, 20));
          },
        };
      },
    });
    const two = await startReachable({}, slow);
    for (const name of ['a', 'b']) await one.herder.writes.createConnector(name, source({ name }), null);
    for (const name of ['a', 'b']) await reaches(two, name, 'RUNNING RUNNING,RUNNING');
    const held =
      ['a', 'b'].find((name) => two.herder.reads.connectorStatus(name).connector.worker_id === two.herder.workerId) ??
      '';
    expect(held).not.toBe('');
    asleep = true;
    const status = { state: 'RUNNING', trace: null, worker_id: 'w9:8083', generation: 1_000, version: '1.2.3' };
    const before = kafka.texts('g-status').length;
    kafka.append('g-status', 0, Buffer.from(`status-connector-${held}`), Buffer.from(JSON.stringify(status)));
    asleep = false;
    (kafka.members[1] as MemoryMember).expire();
    await until('it to be back', () => two.host.log.some((line) => line.startsWith('cancel')));
    await until('everything to run once', () => one.host.running.size + two.host.running.size === 4);
    const unassigned = new RegExp(`^status-connector-${held}=.*UNASSIGNED`);
    expect(
      kafka
        .texts('g-status')
        .slice(before)
        .filter((text) => unassigned.test(text)),
    ).toEqual([]);
  });

  test('connect-runtime 44: a worker that cannot read the config topic leaves, stops its work, and rejoins', async () => {
    const config = { scheduledRebalanceMaxDelayMs: 500, workerSyncTimeoutMs: 50 };
    const one = await startReachable({ config });
    let stalled = false;
    const slow: KafkaClients = Object.assign(Object.create(kafka) as KafkaClients, {
      assignedConsumer: () => {
        const consumer = kafka.assignedConsumer();
        return {
          ...consumer,
          poll: async (timeoutMs: number) => {
            if (stalled) await new Promise((resolve) => setTimeout(resolve, 5));
            return stalled ? [] : await consumer.poll(Math.min(timeoutMs, 20));
          },
        };
      },
    });
    const two = await startReachable({ config }, slow);
    for (const name of ['a', 'b']) await one.herder.writes.createConnector(name, source({ name }), null);
    for (const name of ['a', 'b']) await reaches(one, name, 'RUNNING RUNNING,RUNNING');
    await until('work on both', () => one.host.running.size === 2 && two.host.running.size === 2);
    stalled = true;
    await one.herder.writes.createConnector('c', source(), null);
    await until('it to have left', () => kafka.groups.get(GROUP)?.members.size === 1);
    await until('it to have stopped its work', () => two.host.running.size === 0);
    await until('the other one to have taken over', () => one.host.running.size === 6);
    stalled = false;
    await until('an even share', () => one.host.running.size === 3 && two.host.running.size === 3);
    for (const name of ['a', 'b', 'c']) await reaches(two, name, 'RUNNING RUNNING,RUNNING');
  });

  test('connect-runtime 38: an eager member switches the group to eager, and signatures are off', async () => {
    const one = await startReachable();
    const two = await startReachable({ config: { connectProtocol: 'eager' } });
    for (const name of ['a', 'b']) await one.herder.writes.createConnector(name, source({ name }), null);
    for (const name of ['a', 'b']) await reaches(one, name, 'RUNNING RUNNING,RUNNING');
    expect(one.host.running.size + two.host.running.size).toBe(4);
    await one.herder.writes.putConnectorConfig('a', source({ name: 'a', value: 'x' }));
    await until('new tasks', () => [one, two].some(({ host }) => host.running.get('a-0')?.taskConfig.value === 'x'));
    const unsigned = { raw: Buffer.alloc(0), signature: null, algorithm: null };
    await one.herder.writes.submitTaskConfigs('a', unsigned, () => [{ k: 'v' }]);
    expect(kafka.texts(CONFIGS)).toContain('commit-a={"tasks":1}');
  });

  test('connect-rest §1.22: task configs of unknown connectors are rejected, and of stopped ones unless the list is empty', async () => {
    const one = await startReachable({ config: { connectProtocol: 'eager' } });
    const unsigned = { raw: Buffer.alloc(0), signature: null, algorithm: null };
    const submit = async (name: string, configs: Record<string, string>[]): Promise<void> =>
      await one.herder.writes.submitTaskConfigs(name, unsigned, () => configs);
    await one.herder.writes.createConnector('c', source(), 'STOPPED');
    const message = 'Cannot submit non-empty set of task configs for stopped connector c';
    await expect(submit('c', [{}])).rejects.toMatchObject({ status: 400, message });
    await expect(submit('none', [])).rejects.toMatchObject({ status: 404, message: 'Connector none not found' });
    await submit('c', []);
    expect(kafka.texts(CONFIGS).filter((text) => text.startsWith('task-'))).toEqual([]);
  });

  test('connect-rest §1.22: fencing is for sources, and a leader without exactly-once sources records the tasks, too', async () => {
    const one = await startReachable();
    await startReachable({ config: { connectProtocol: 'eager' } });
    const unsigned = { raw: Buffer.alloc(0), signature: null, algorithm: null };
    await one.herder.writes.createConnector('a', source({ name: 'a' }), null);
    await reaches(one, 'a', 'RUNNING RUNNING,RUNNING');
    await one.herder.writes.createConnector(
      'b',
      source({ name: 'b', 'connector.class': 'Drain', topics: 't' }),
      'STOPPED',
    );
    for (const [name, status, message] of [
      ['none', 404, 'Connector none not found'],
      ['b', 400, 'Connector b is not a source connector'],
    ] as const)
      await expect(one.herder.writes.fenceTasks(name, unsigned)).rejects.toMatchObject({ status, message });
    await one.herder.writes.fenceTasks('a', unsigned);
    await one.herder.writes.fenceTasks('a', unsigned);
    const written = kafka.texts(CONFIGS).filter((text) => text.startsWith('tasks-fencing-'));
    expect(written).toEqual(['tasks-fencing-a={"task-count":2}']);
  });

  test('connect-runtime 65: statuses and topics of a deleted connector are removed', async () => {
    const one = await startReachable();
    const two = await startReachable();
    for (const name of ['a', 'b']) await one.herder.writes.createConnector(name, source({ name }), null);
    for (const name of ['a', 'b']) await reaches(one, name, 'RUNNING RUNNING,RUNNING');
    one.host.listener.onTopicActive({ connector: 'a', task: 0 }, 't');
    await one.herder.writes.deleteConnector('a');
    await until('the status to go', () => states(one.herder, 'a') === '' && states(two.herder, 'a') === '');
    const topic = (): string | undefined =>
      kafka
        .texts('g-status')
        .filter((text) => text.startsWith('status-topic-t:'))
        .at(-1);
    await until('the topic to go', () => topic() === 'status-topic-t:connector-a=∅');
    expect(() => one.herder.reads.taskStatus('a', 0)).toThrow('No status found for task a-0');
  });
});

test('a connector’s start and end, and a worker that joins or is lost, are one plain line each; protocol details are not logged', async () => {
  const { logger, lines } = plainLines();
  const worker = await start({ logger });
  await worker.herder.writes.createConnector('c', source(), null);
  await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
  await worker.herder.writes.setTargetState('c', 'PAUSED');
  await reaches(worker, 'c', 'PAUSED PAUSED,PAUSED');
  await worker.herder.writes.setTargetState('c', 'STARTED');
  await reaches(worker, 'c', 'RUNNING RUNNING,RUNNING');
  await worker.herder.writes.deleteConnector('c');
  await until('c to end', () => lines.some((line) => line.includes('deleted')));
  const other = createWorker(kafka, GROUP, { url: 'http://w2:8083/' });
  await other.herder.start();
  await until('w2 to join', () => lines.some((line) => line.includes('has joined')));
  await other.herder.stop();
  await until('w2 to leave', () => lines.some((line) => line.includes('w2:8083 has stopped')));
  expect(lines.filter((line) => !line.startsWith('Created storage topic'))).toEqual([
    "Joined the group 'g'",
    'Connector c is RUNNING',
    'Connector c is PAUSED',
    'Connector c is RUNNING',
    'Connector c was deleted and has ended',
    'Worker http://w2:8083 has joined the group (now 2 workers)',
    'Worker http://w2:8083 has stopped or was lost (1 worker left); the others run its connectors and tasks',
  ]);
});
