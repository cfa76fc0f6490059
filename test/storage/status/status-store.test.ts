import { silentLogger } from '../../../src/logging/logger';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import type { LogEntry } from '../../../src/storage/log/compacted-log';
import {
  readStatusRecord,
  statusRecord,
  type EntityStatus,
  type State,
} from '../../../src/storage/status/status-records';
import { StatusStore } from '../../../src/storage/status/status-store';
import { MemoryLog, MemoryTopic } from '../log/memory-log';

function status(state: State, generation = 1, workerId = 'us:8083'): EntityStatus {
  return { state, trace: null, workerId, generation, version: '1.0' };
}
const connector = { kind: 'connector', connector: 'c' } as const;
const task = { kind: 'task', connector: 'c', task: 0 } as const;
const text = ([key, value]: LogEntry): string => `${Buffer.from(key)}=${value ? Buffer.from(value) : '∅'}`;

async function started(topic = new MemoryTopic()): Promise<{ topic: MemoryTopic; log: MemoryLog; store: StatusStore }> {
  const log = new MemoryLog(topic);
  const store = new StatusStore(log, silentLogger);
  await store.start();
  return { topic, log, store };
}

describe('connect-runtime 10: bytes of the status topic', () => {
  test('connector, task and topic', () => {
    expect(text(statusRecord(connector, { ...status('RUNNING', 7, '10.0.0.5:8083'), version: '4.3.1' }))).toBe(
      'status-connector-c={"state":"RUNNING","trace":null,"worker_id":"10.0.0.5:8083","generation":7,"version":"4.3.1"}',
    );
    expect(text(statusRecord(task, { ...status('FAILED'), trace: 'x: boom\n\tat y\n', version: null }))).toBe(
      'status-task-c-0={"state":"FAILED","trace":"x: boom\\n\\tat y\\n","worker_id":"us:8083","generation":1,"version":null}',
    );
    expect(
      text(
        statusRecord(
          { kind: 'topic', connector: 'my-sink', topic: 'orders' },
          { topic: 'orders', connector: 'my-sink', task: 0, discoveredAt: 1700000000000 },
        ),
      ),
    ).toBe(
      'status-topic-orders:connector-my-sink={"topic":{"name":"orders","connector":"my-sink","task":0,"discoverTimestamp":1700000000000}}',
    );
  });

  test('connect-runtime 27: names are parsed to the last dash, topics to the first colon', () => {
    expect(readStatusRecord('status-task-a-b--3', null)).toEqual({
      kind: 'task',
      connector: 'a-b-',
      task: 3,
      status: null,
    });
    expect(readStatusRecord('status-topic-t:connector-a:connector-b', null)).toMatchObject({
      topic: 't',
      connector: 'a:connector-b',
    });
    for (const key of ['status-connector-', 'status-task-a', 'status-task--1', 'other'])
      expect(readStatusRecord(key, null)).toMatchObject({ kind: 'ignored' });
    expect(
      readStatusRecord('status-task-a-0', Buffer.from('{"state":"RUNNING","worker_id":"w","generation":"7"}')),
    ).toMatchObject({ kind: 'ignored' });
    expect(
      readStatusRecord(
        'status-connector-a',
        Buffer.from('{"state":"RUNNING","trace":null,"worker_id":"w","generation":7}'),
      ),
    ).toMatchObject({ status: { state: 'RUNNING', version: null } });
  });
});

test('connect-runtime 11: UNASSIGNED does not hide a RUNNING of the same or a newer generation', async () => {
  const { store } = await started();
  store.put(task, status('RUNNING', 5));
  store.put(task, status('UNASSIGNED', 5, 'other:8083'));
  expect(store.cache.task('c', 0)?.state).toBe('RUNNING');
  store.put(task, status('UNASSIGNED', 6, 'other:8083'));
  expect(store.cache.task('c', 0)?.state).toBe('UNASSIGNED');
});

test('connect-runtime 11: a late UNASSIGNED of a former owner does not hide the RUNNING of a connector’s new owner', async () => {
  const { store } = await started();
  store.put(connector, status('RUNNING', 8));
  store.put(connector, status('UNASSIGNED', 7, 'other:8083'));
  expect(store.cache.connector('c')).toMatchObject({ state: 'RUNNING', workerId: 'us:8083' });
  // The owner itself stops, and a later generation assigns the connector elsewhere.
  store.put(connector, status('UNASSIGNED', 8));
  expect(store.cache.connector('c')).toMatchObject({ state: 'UNASSIGNED', workerId: 'us:8083' });
  store.put(connector, status('RUNNING', 9));
  store.put(connector, status('UNASSIGNED', 10, 'other:8083'));
  expect(store.cache.connector('c')).toMatchObject({ state: 'UNASSIGNED', workerId: 'other:8083' });
});

test('connect-runtime 11: a task that has stopped on its own worker is UNASSIGNED, and its RUNNING is not shown any longer', async () => {
  const { store } = await started();
  store.put(task, status('RUNNING', 5));
  store.putSafe(task, status('UNASSIGNED', 5));
  expect(store.cache.task('c', 0)?.state).toBe('UNASSIGNED');
});

test.each([
  ['task', task],
  ['connector', connector],
])(
  'connect-runtime 11: the owner of a %s repeats its status after a late UNASSIGNED, which would be the last one in a compacted topic',
  async (_, entity) => {
    const { topic, store } = await started();
    store.put(entity, status('RUNNING', 8));
    new StatusStore(new MemoryLog(topic), silentLogger).put(entity, status('UNASSIGNED', 7, 'other:8083'));
    expect(topic.records).toHaveLength(3);
    const { store: newcomer } = await started(topic);
    expect(newcomer.cache[entity.kind]('c', 0)).toMatchObject({ state: 'RUNNING', workerId: 'us:8083' });
    // What has failed in the meantime is not RUNNING again.
    store.put(entity, status('FAILED', 8));
    new StatusStore(new MemoryLog(topic), silentLogger).put(entity, status('UNASSIGNED', 7, 'other:8083'));
    expect(topic.records).toHaveLength(5);
  },
);

test('a connector that was deleted and created again keeps the statuses of its new tasks, in whatever order partitions are read', async () => {
  const { store, topic } = await started();
  store.delete(connector);
  store.put(connector, status('RUNNING'));
  store.put(task, status('RUNNING'));
  const [tombstone, ...later] = topic.records.map((record, i) => ({ ...record, timestamp: 1_000 + i }));
  topic.records.splice(0, 3, ...later, tombstone as (typeof later)[0]);
  const { store: newcomer } = await started(topic);
  expect(newcomer.cache.task('c', 0)).toMatchObject({ state: 'RUNNING' });
});

test('connect-runtime 12: a safe put yields to a newer generation of another worker, a plain one does not', async () => {
  const { topic, store } = await started();
  store.put(connector, status('RUNNING', 9, 'other:8083'));
  store.putSafe(connector, status('FAILED', 8));
  expect(topic.records).toHaveLength(1);
  store.putSafe(connector, status('FAILED', 9));
  expect(store.cache.connector('c')?.state).toBe('FAILED');
  store.put(connector, status('RUNNING', 20, 'us:8083'));
  store.putSafe(connector, status('UNASSIGNED', 3));
  expect(store.cache.connector('c')?.state).toBe('UNASSIGNED');
});

test('deleting a connector deletes its tasks', async () => {
  const { store } = await started();
  store.put(connector, status('RUNNING'));
  store.put({ ...task, task: 1 }, status('RUNNING'));
  store.put(task, status('RUNNING'));
  expect(store.cache.tasksOf('c').map(([number]) => number)).toEqual([0, 1]);
  store.delete(task);
  expect(store.cache.tasksOf('c').map(([number]) => number)).toEqual([1]);
  store.delete(connector);
  expect(store.cache.connectorNames()).toEqual([]);
  expect(store.cache.connectorsWithTasks()).toEqual([]);
});

test('topics are remembered per connector', async () => {
  const { store } = await started();
  store.putTopic({ topic: 't', connector: 'c', task: 0, discoveredAt: 5 });
  expect(store.cache.topic('c', 't')).toMatchObject({ discoveredAt: 5 });
  store.deleteTopic('c', 't');
  expect(store.cache.topicsOf('c')).toEqual([]);
});

describe('retries', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  async function failOnce(retriable: boolean): Promise<{ topic: MemoryTopic; store: StatusStore }> {
    const { topic, store } = await started();
    topic.beforeWrite = () => {
      topic.beforeWrite = () => undefined;
      throw new KafkaError('DELIVERY_TIMEOUT', 'no answer', { retriable });
    };
    return { topic, store };
  }

  test('a retriable error is retried', async () => {
    const { topic, store } = await failOnce(true);
    store.put(task, status('RUNNING'));
    expect(topic.records).toHaveLength(0);
    await jest.advanceTimersByTimeAsync(300);
    expect(topic.records).toHaveLength(1);
  });

  test('but not when a newer status of the same task was sent, or one of a newer generation', async () => {
    const { topic, store } = await failOnce(true);
    store.put(task, status('RUNNING'));
    store.put(task, status('PAUSED'));
    await jest.advanceTimersByTimeAsync(1000);
    expect(topic.records).toHaveLength(1);
    expect(store.cache.task('c', 0)?.state).toBe('PAUSED');

    const again = await failOnce(true);
    again.store.put(task, status('RUNNING', 1));
    again.store.put(connector, status('RUNNING', 2));
    await jest.advanceTimersByTimeAsync(1000);
    expect(again.topic.texts()).toHaveLength(1);
  });

  test('other errors are logged and dropped', async () => {
    const { topic, store } = await failOnce(false);
    store.put(task, status('RUNNING'));
    await jest.advanceTimersByTimeAsync(1000);
    expect(topic.records).toHaveLength(0);
  });
});
