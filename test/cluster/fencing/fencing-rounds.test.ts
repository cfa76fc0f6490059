import { FencingRounds } from '../../../src/cluster/fencing/fencing-rounds';
import { NotHereError } from '../../../src/cluster/errors';
import { silentLogger } from '../../../src/logging/logger';
import { ConfigStore } from '../../../src/storage/config/config-store';
import { MemoryLog, MemoryTopic } from '../../storage/log/memory-log';

interface Group {
  readonly rounds: FencingRounds;
  readonly configs: ConfigStore;
  readonly topic: MemoryTopic;
  /** The transactional ids of each request, and task count records, in order. */
  readonly done: string[];
  isLeader: boolean;
  /** What Kafka answers. */
  fencing: Promise<void>;
}

/** The connector's tasks of an earlier generation were `recorded`; it has `tasks` now. */
async function group({ recorded = 3, tasks = 2 }: { recorded?: number | null; tasks?: number } = {}): Promise<Group> {
  const topic = new MemoryTopic();
  const done: string[] = [];
  topic.append('connector-c', '{"properties":{"name":"c"}}');
  topic.append('connector-sink', '{"properties":{"name":"sink"}}');
  if (recorded !== null) topic.append('tasks-fencing-c', `{"task-count":${recorded}}`);
  const created: Group = {
    topic,
    done,
    isLeader: true,
    fencing: Promise.resolve(),
    configs: new ConfigStore(new MemoryLog(topic), silentLogger, (event) => {
      if (event.type === 'tasks-committed') created.rounds.onTasksCommitted(event.connector);
    }),
    rounds: new FencingRounds({
      groupId: 'g',
      configs: {
        snapshot: () => created.configs.snapshot(),
        readToEnd: async (timeoutMs) => await created.configs.readToEnd(timeoutMs),
        putTaskCountRecord: async (connector, count) => {
          done.push(`${connector}=${count}`);
          await created.configs.putTaskCountRecord(connector, count);
        },
      },
      runAsLeader: async (_, run) => {
        if (!created.isLeader) throw new NotHereError('http://leader/');
        return await run();
      },
      isSink: (connector) => connector === 'sink',
      fenceProducers: async (_, lists) => {
        for (const ids of lists) done.push(ids.join());
        await created.fencing;
      },
      readTimeoutMs: 1_000,
      logger: silentLogger,
    }),
  };
  await created.configs.start();
  await created.configs.putTaskConfigs(
    'c',
    Array.from({ length: tasks }, () => ({})),
  );
  return created;
}

/** Kafka's answer, when the test decides. */
function answer(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((resolvePromise) => (resolve = resolvePromise));
  return { promise, resolve };
}

test('connect-runtime 82: the task count record follows the fencing of the earlier tasks', async () => {
  const { rounds, done, configs } = await group();
  await rounds.fence('c');
  expect(done).toEqual(['g-c-0,g-c-1,g-c-2', 'c=2']);
  expect(configs.snapshot().isPendingFencing('c')).toBe(false);
  await rounds.fence('c');
  expect(done).toHaveLength(2);
});

test('connect-runtime 82: the first generation needs no fencing, but a task count record', async () => {
  const { rounds, done } = await group({ recorded: null });
  await rounds.fence('c');
  expect(done).toEqual(['c=2']);
});

test('connect-runtime §3.9: concurrent requests share one round', async () => {
  const created = await group();
  const kafka = answer();
  created.fencing = kafka.promise;
  const requests = [created.rounds.fence('c'), created.rounds.fence('c')];
  await Promise.resolve();
  kafka.resolve();
  await Promise.all(requests);
  expect(created.done).toEqual(['g-c-0,g-c-1,g-c-2', 'c=2']);
});

test.each([
  ['tasks', [{}]],
  ['a stop', []],
])('connect-runtime 82: %s during the round fail it with 409, and nothing is recorded', async (_, configs) => {
  const created = await group();
  const kafka = answer();
  created.fencing = kafka.promise;
  const round = created.rounds.fence('c');
  const rejected = expect(round).rejects.toMatchObject({
    status: 409,
    message: 'Failed to complete zombie fencing because a new set of task configs was generated',
  });
  await new Promise(setImmediate);
  await created.configs.putTaskConfigs('c', configs);
  await rejected;
  kafka.resolve();
  await new Promise(setImmediate);
  expect(created.done).toEqual(['g-c-0,g-c-1,g-c-2']);
  created.fencing = Promise.resolve();
  await created.rounds.fence('c');
  expect(created.done.slice(1)).toEqual(['g-c-0,g-c-1,g-c-2', `c=${configs.length}`]);
});

test('a worker that lost the leadership during the round records nothing', async () => {
  const created = await group();
  const kafka = answer();
  created.fencing = kafka.promise;
  const round = created.rounds.fence('c');
  await new Promise(setImmediate);
  created.isLeader = false;
  kafka.resolve();
  await expect(round).rejects.toThrow(NotHereError);
  expect(created.done).toEqual(['g-c-0,g-c-1,g-c-2']);
});

test("connect-rest §1.22: a failure has Java's text, and the next request starts another round", async () => {
  const created = await group();
  created.fencing = Promise.reject(new Error('not authorized'));
  await expect(created.rounds.fence('c')).rejects.toMatchObject({
    status: 500,
    message: 'Failed to perform zombie fencing',
    cause: { message: 'not authorized' },
  });
  created.fencing = Promise.resolve();
  await created.rounds.fence('c');
  expect(created.done.at(-1)).toBe('c=2');
});

test('connect-rest §1.22: unknown connectors and sinks are rejected', async () => {
  const { rounds } = await group();
  await expect(rounds.fence('none')).rejects.toMatchObject({ status: 404, message: 'Connector none not found' });
  await expect(rounds.fence('sink')).rejects.toMatchObject({
    status: 400,
    message: 'Connector sink is not a source connector',
  });
});

test('a record that names many tasks is fenced in lists of limited length', async () => {
  const { rounds, done } = await group({ recorded: 250 });
  await rounds.fence('c');
  expect(done.map((ids) => ids.split(',').length)).toEqual([100, 100, 50, 1]);
});
