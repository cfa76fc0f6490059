import { silentLogger } from '../../../src/logging/logger';
import type { ConfigEvent } from '../../../src/storage/config/config-state';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import type { ChangePermission, Decider } from '../../../src/storage/config/change-permission';
import { isOvertaken } from '../../../src/storage/config/config-change';
import { ConfigStore, type LeaderWriter } from '../../../src/storage/config/config-store';
import type { KeyValue } from '../../../src/storage/log/compacted-log';
import { UNKNOWN_CAUSE } from '../../../src/storage/log/cause';
import { MemoryLog, MemoryTopic } from '../log/memory-log';

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

test('task configs precede their commit record, and none are needed for an empty set', async () => {
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

test('connect-runtime 22, 111: a write that fails before the commit record leaves the old set in force', async () => {
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

test('connect-runtime 1: the bytes of a task count record', async () => {
  const topic = new MemoryTopic();
  const { store: configs } = await store(topic);
  await configs.putTaskCountRecord('a', 3);
  expect(topic.texts()).toEqual(['tasks-fencing-a={"task-count":3}']);
});

describe('connect-runtime §1.4.7: a leader that writes in transactions', () => {
  /** Records each transaction, and fails as told. */
  class Transactions implements LeaderWriter {
    isClaimed = false;
    readonly written: string[][] = [];
    failure: unknown = null;
    constructor(private readonly topic: MemoryTopic) {}
    async claim(): Promise<void> {
      this.isClaimed = true;
    }
    async write(records: readonly KeyValue[]): Promise<void> {
      if (!this.isClaimed) throw new KafkaError('PRODUCER_FENCED', 'a newer leader', { fenced: true });
      if (this.failure !== null) {
        this.isClaimed = false;
        throw this.failure;
      }
      this.written.push(records.map(([key]) => Buffer.from(key).toString()));
      for (const [key, value] of records) this.topic.append(key, value);
    }
    async relinquish(): Promise<void> {
      this.isClaimed = false;
    }
    async close(): Promise<void> {
      await this.relinquish();
    }
  }

  async function leader(): Promise<{ configs: ConfigStore; transactions: Transactions; topic: MemoryTopic }> {
    const topic = new MemoryTopic();
    const transactions = new Transactions(topic);
    const configs = new ConfigStore(new MemoryLog(topic), silentLogger, () => undefined, null, transactions);
    await configs.start();
    await configs.claimTransactions(1_000);
    return { configs, transactions, topic };
  }

  test('writes each step in one transaction, and what every worker may write without one', async () => {
    const { configs, transactions, topic } = await leader();
    await configs.putConnector('c', { name: 'c' }, 'PAUSED');
    await configs.putTaskConfigs('c', [{ a: '1' }, { a: '2' }]);
    await configs.putTaskCountRecord('c', 2);
    await configs.putTargetState('c', 'STARTED');
    await configs.putLoggerLevel('org', 'DEBUG');
    await configs.removeConnector('c');
    expect(transactions.written).toEqual([
      ['target-state-c', 'connector-c'],
      ['task-c-0', 'task-c-1'],
      ['commit-c'],
      ['tasks-fencing-c'],
      ['connector-c', 'target-state-c'],
    ]);
    expect(topic.records).toHaveLength(10);
  });

  test('connect-runtime 88: reports a failed write as retriable, and cannot write until it has claimed again', async () => {
    const { configs, transactions } = await leader();
    transactions.failure = new KafkaError('PRODUCER_FENCED', 'a newer leader', { fenced: true });
    const error: unknown = await configs.putConnector('c', { name: 'c' }, null).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: 'CONFIG_WRITE_FENCED',
      message:
        'Failed to write to config topic; this may be due to a transient error and the request can be safely retried',
    });
    expect(isOvertaken(error)).toBe(false);
    expect(configs.canWriteAsLeader).toBe(false);
    transactions.failure = null;
    await expect(configs.putSessionKey({ key: Buffer.alloc(1), algorithm: 'a', createdAt: 1 })).rejects.toThrow(
      'Failed to write to config topic',
    );
    await configs.claimTransactions(1_000);
    await configs.putConnector('c', { name: 'c' }, null);
    expect(configs.snapshot().contains('c')).toBe(true);
  });

  test('may decide a change again whose transaction was not committed because the session was lost', async () => {
    const { configs, transactions } = await leader();
    transactions.failure = new KafkaError('SESSION_LOST', 'lost its place in the group', { inDoubt: true });
    const error: unknown = await configs.putConnector('c', { name: 'c' }, null).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'CONFIG_WRITE_DROPPED' });
    expect(isOvertaken(error)).toBe(true);
  });
});

test('connect-runtime 24: records in the log at startup are not replayed as events', async () => {
  const topic = new MemoryTopic();
  topic.append('connector-c', '{"properties":{}}');
  topic.append('restart-connector-c', '{"include-tasks":true,"only-failed":false}');
  topic.append('logger-cluster-x', '{"level":"TRACE"}');
  const { store: configs, events } = await store(topic);
  expect(events).toEqual([]);
  await configs.putRestartRequest('c', false, true);
  expect(events).toEqual([
    { type: 'restart-requested', connector: 'c', includeTasks: false, onlyFailed: true, cause: UNKNOWN_CAUSE },
  ]);
});

test('a change does not continue after its timeout', async () => {
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

describe('a change whose worker loses its membership', () => {
  /** Changes that were decided before `lose` are not written any more. */
  class Epochs implements ChangePermission {
    readonly epoch = 0;
    private last = 0;
    private readonly open = new Map<number, Decider>();
    readonly begun: Decider[] = [];
    begin(decider: Decider): number {
      this.open.set(++this.last, decider);
      this.begun.push(decider);
      return this.last;
    }
    end(epoch: number): void {
      this.open.delete(epoch);
    }
    check(epoch: number): 'now' | 'never' {
      return this.open.has(epoch) ? 'now' : 'never';
    }
    lose(): void {
      this.open.clear();
    }
  }
  const lost = (inDoubt = false): KafkaError => new KafkaError('SESSION_LOST', 'lost its place', { inDoubt });

  async function guarded(): Promise<{ topic: MemoryTopic; log: MemoryLog; epochs: Epochs; configs: ConfigStore }> {
    const topic = new MemoryTopic();
    const log = new MemoryLog(topic);
    const epochs = new Epochs();
    const write = log.write.bind(log);
    log.write = async (records, epoch = 0) => {
      if (epochs.check(epoch) === 'never') throw lost();
      await write(records);
    };
    const configs = new ConfigStore(log, silentLogger, () => undefined, epochs);
    await configs.start();
    await configs.putConnector('c', { name: 'c' }, null);
    await configs.putTaskConfigs('c', [{ v: 'old' }]);
    return { topic, log, epochs, configs };
  }

  test('task configs that were decided before are not written, although the worker has rejoined when their turn comes', async () => {
    const { topic, log, epochs, configs } = await guarded();
    const before = topic.texts();
    const readToEnd = log.readToEnd.bind(log);
    log.readToEnd = async () => {
      epochs.lose();
      await readToEnd();
    };
    await expect(configs.putTaskConfigs('c', [{ v: 'outdated' }])).rejects.toMatchObject({
      code: 'CONFIG_WRITE_DROPPED',
      message: 'Error writing task configurations to Kafka',
    });
    expect(topic.texts()).toEqual(before);
  });

  test('the commit record is not written either: the task configs have no effect, and are reported as not written', async () => {
    const { topic, log, epochs, configs } = await guarded();
    const write = log.write.bind(log);
    log.write = async (...of) => {
      await write(...of);
      epochs.lose();
    };
    await expect(configs.putTaskConfigs('c', [{ v: 'outdated' }])).rejects.toMatchObject({
      code: 'CONFIG_WRITE_DROPPED',
    });
    expect(topic.texts().at(-1)).toBe('task-c-0={"properties":{"v":"outdated"}}');
    expect((await store(topic)).store.snapshot().taskConfigs('c')).toEqual([{ v: 'old' }]);
  });

  test('a change that Kafka may have accepted is reported with an unknown outcome', async () => {
    const { log, configs } = await guarded();
    log.write = async () => {
      throw lost(true);
    };
    await expect(configs.putConnector('c', { name: 'c', v: 'new' }, null)).rejects.toMatchObject({
      code: 'CONFIG_WRITE_IN_DOUBT',
      message:
        'Error writing connector configuration to Kafka. It may have been written nevertheless: check before you retry.',
    });
  });

  test('a change that was written and not read back is reported with an unknown outcome; one that Kafka rejected is not', async () => {
    const { log, configs } = await guarded();
    log.readToEnd = async () => {
      throw new KafkaError('NETWORK_EXCEPTION', 'gone');
    };
    await expect(configs.removeConnector('c')).rejects.toMatchObject({ code: 'CONFIG_WRITE_IN_DOUBT' });
    log.write = async () => {
      throw new KafkaError('TOPIC_AUTHORIZATION_FAILED', 'no');
    };
    await expect(configs.removeConnector('c')).rejects.toMatchObject({
      code: 'CONFIG_WRITE_FAILED',
      message: 'Error removing connector configuration from Kafka',
    });
  });

  test('a change after its timeout is not sent later', async () => {
    jest.useFakeTimers();
    try {
      const { log, epochs, configs } = await guarded();
      let waiting = 0;
      log.write = async (_, epoch = 0) => {
        waiting = epoch;
        await new Promise(() => undefined);
      };
      const late = expect(configs.putTargetState('c', 'PAUSED')).rejects.toMatchObject({
        code: 'CONFIG_WRITE_IN_DOUBT',
      });
      expect(epochs.check(waiting)).toBe('now');
      await jest.advanceTimersByTimeAsync(30_000);
      await late;
      expect(epochs.check(waiting)).toBe('never');
    } finally {
      jest.useRealTimers();
    }
  });

  test('target states and log levels may be written by every worker, except that the leader stops connectors', async () => {
    const { topic, epochs, configs } = await guarded();
    epochs.begun.length = 0;
    await configs.putTargetState('c', 'PAUSED');
    await configs.putLoggerLevel('x', 'TRACE');
    expect(epochs.begun.splice(0)).toEqual(['any', 'any']);
    const before = topic.texts().length;
    await configs.stopConnector('c');
    expect(topic.texts().slice(before)).toEqual([
      'commit-c={"tasks":0}',
      'target-state-c={"state":"PAUSED","state.v2":"STOPPED"}',
    ]);
    await configs.putSessionKey({ key: Buffer.alloc(1), algorithm: 'HmacSHA256', createdAt: 1 });
    await configs.putRestartRequest('c', true, false);
    await configs.removeConnector('c');
    expect(epochs.begun).toEqual(['leader', 'leader', 'leader', 'leader']);
  });
});
