import { silentLogger } from '../../src/logging/logger';
import type { ConfigEvent } from '../../src/storage/config-state';
import { ConfigStore } from '../../src/storage/config-store';
import { MemoryLog, MemoryTopic } from './memory-log';

async function store(topic: MemoryTopic): Promise<{ store: ConfigStore; events: ConfigEvent[] }> {
  const events: ConfigEvent[] = [];
  const created = new ConfigStore(new MemoryLog(topic), silentLogger, (event) => events.push(event));
  await created.start();
  return { store: created, events };
}

test('connect-runtime 4 and 5: order of the records of a creation and of a deletion', async () => {
  const topic = new MemoryTopic();
  const { store: configs } = await store(topic);
  await configs.putConnector('c', { name: 'c' }, 'STOPPED');
  await configs.removeConnector('c');
  expect(topic.texts()).toEqual([
    'target-state-c={"state":"PAUSED","state.v2":"STOPPED"}',
    'connector-c={"properties":{"name":"c"}}',
    'connector-c=∅',
    'target-state-c=∅',
  ]);
});

test('task configurations come before their commit record, and none are needed for an empty set', async () => {
  const topic = new MemoryTopic();
  const { store: configs } = await store(topic);
  await configs.putConnector('c', { name: 'c' }, null);
  await configs.putTaskConfigs('c', [{ a: '1' }, { a: '2' }]);
  await configs.putTaskConfigs('c', []);
  expect(topic.texts().slice(1)).toEqual([
    'task-c-0={"properties":{"a":"1"}}',
    'task-c-1={"properties":{"a":"2"}}',
    'commit-c={"tasks":2}',
    'commit-c={"tasks":0}',
  ]);
});

test('connect-runtime 22: a write that fails before the commit record leaves the old set in force', async () => {
  const topic = new MemoryTopic();
  const { store: configs } = await store(topic);
  await configs.putConnector('c', { name: 'c' }, null);
  await configs.putTaskConfigs('c', [{ v: 'old' }]);
  topic.beforeWrite = ([key]) => {
    if (Buffer.from(key).toString().startsWith('commit-')) throw new Error('killed');
  };
  await expect(configs.putTaskConfigs('c', [{ v: 'new' }, { v: 'new' }])).rejects.toThrow(
    'Error writing task configurations to Kafka',
  );
  const { store: restarted } = await store(topic);
  expect(restarted.snapshot().taskConfigs('c')).toEqual([{ v: 'old' }]);
});

test('connect-runtime 24: what is in the log at start-up is not replayed as events', async () => {
  const topic = new MemoryTopic();
  topic.append('connector-c', '{"properties":{}}');
  topic.append('restart-connector-c', '{"include-tasks":true,"only-failed":false}');
  topic.append('logger-cluster-x', '{"level":"TRACE"}');
  const { store: configs, events } = await store(topic);
  expect(events).toEqual([]);
  await configs.putRestartRequest('c', false, true);
  expect(events).toEqual([{ type: 'restart-requested', connector: 'c', includeTasks: false, onlyFailed: true }]);
});

test('after its time is over a change takes no further step', async () => {
  jest.useFakeTimers();
  try {
    const topic = new MemoryTopic();
    const log = new MemoryLog(topic);
    const configs = new ConfigStore(log, silentLogger, () => undefined);
    await configs.start();
    await configs.putConnector('c', { name: 'c' }, null);
    let acknowledge: () => void = () => undefined;
    const write = log.write.bind(log);
    log.write = async (records) => {
      await write(records);
      await new Promise<void>((resolve) => (acknowledge = resolve));
    };
    const late = expect(configs.putTaskConfigs('c', [{ v: '1' }])).rejects.toThrow('Error writing task configurations');
    await jest.advanceTimersByTimeAsync(30_000);
    await late;
    acknowledge();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(topic.texts().filter((text) => text.startsWith('commit-'))).toEqual([]);
  } finally {
    jest.useRealTimers();
  }
});
