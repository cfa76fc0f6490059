/** Exactly-once source tasks on fake clients. */
import {
  ConnectError,
  type SourceRecord,
  type SourceTask,
  type SourceTaskContext,
  type TransactionContext,
} from '@millrace/sdk';
import { KafkaError } from '../../../src/kafka/errors';
import { TaskMetrics, DEFAULT_SAMPLE_WINDOWS } from '../../../src/metrics/task-metrics';
import { readClocks } from '../../../src/kafka/port';
import type { ExactlyOnceGate } from '../../../src/tasks/host';
import { SessionLease, type LeaseMemory } from '../../../src/tasks/session-lease';
import { TaskRunner } from '../../../src/tasks/task-runner';
import {
  eventually,
  PARTITION,
  record,
  RecordingListener,
  ScriptedSource,
  sourceOf,
  spec,
  world,
  type World,
} from '../fakes';

const EXACTLY_ONCE = { transactionalId: 'g-c-0', generation: 7 };
const ended = new KafkaError('INVALID_PRODUCER_EPOCH', 'a newer producer took over', { fenced: true });
const offset = (n: number): string => JSON.stringify({ n });

interface Started {
  readonly runner: TaskRunner;
  readonly listener: RecordingListener;
  readonly w: World;
  readonly calls: string[];
  readonly metrics: TaskMetrics;
}

function start(
  task: SourceTask,
  config: Record<string, string> = {},
  prepare: (w: World, gate: { -readonly [K in keyof ExactlyOnceGate]: ExactlyOnceGate[K] }) => void = () => undefined,
  worker: Record<string, string> = {},
  lease?: LeaseMemory,
): Started {
  const calls: string[] = [];
  const gate = {
    fence: async (connector: string) => void calls.push(`fence ${connector}`),
    confirm: async (id: { connector: string; task: number }, generation: number) =>
      void calls.push(`confirm ${id.connector}-${id.task} ${generation}`),
  };
  const w = world(sourceOf(task), worker);
  prepare(w, gate);
  const listener = new RecordingListener();
  const memory = TaskMetrics.allocate('source', DEFAULT_SAMPLE_WINDOWS);
  const given = spec('source', config, { exactlyOnce: EXACTLY_ONCE, metrics: memory, lease });
  const runner = new TaskRunner(given, { ...w, gate }, listener);
  runner.start();
  return { runner, listener, w, calls, metrics: TaskMetrics.in(memory) };
}
async function stop({ runner }: Started): Promise<void> {
  runner.stop();
  await runner.done;
}

/** A source that uses its context while it polls. */
class Defining extends ScriptedSource {
  context!: SourceTaskContext;
  readonly delivered: string[] = [];
  override commitRecord = (of: SourceRecord, metadata: unknown): void =>
    void this.delivered.push(`${String(of.value)}${metadata === null ? ' dropped' : ''}`);
  override start: SourceTask['start'] = (_config, context) => void (this.context = context);
  get transaction(): TransactionContext {
    return this.context.transactionContext as TransactionContext;
  }
}

test('connect-runtime §3.9: fences, initializes transactions and confirms its generation before it starts', async () => {
  const task = new ScriptedSource([]);
  const started = start(task, {}, (w, gate) => {
    w.producer.initTransactions = async () => void order.push('init');
    const { fence, confirm } = gate;
    gate.fence = async (connector) => void (order.push('fence'), await fence(connector));
    gate.confirm = async (id, generation) => void (order.push('confirm'), await confirm(id, generation));
    task.start = () => void order.push('start');
  });
  const order: string[] = [];
  await started.listener.until('running c-0');
  await stop(started);
  expect(order).toEqual(['fence', 'init', 'confirm', 'start']);
  expect(started.calls).toEqual(['fence c', 'confirm c-0 7']);
});

test('connect-runtime §3.9: a task that is stopped while it waits for fencing does not fence a newer one', async () => {
  let release: () => void = () => undefined;
  const started = start(new ScriptedSource([]), {}, (_w, gate) => {
    gate.fence = () => new Promise((resolve) => (release = resolve));
  });
  await eventually(() => started.w.clientConfigs.length > 0);
  started.runner.stop();
  release();
  await started.runner.done;
  expect(started.w.producer.transactions).toEqual([]);
  expect(started.listener.events).toEqual(['stopped c-0']);
});

test('connect-runtime 83: an outdated generation fails the start, and nothing is read or written', async () => {
  const task = new ScriptedSource([[record(1)]]);
  const started = start(task, {}, (_w, gate) => {
    gate.confirm = () => Promise.reject(new ConnectError('newer task configs exist', { code: 'OUTDATED' }));
  });
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toContain('newer task configs exist');
  expect(started.listener.retriable).toBe(false);
  expect(task.log).toEqual([]);
  expect(started.w.producer.sent).toEqual([]);
});

test('connect-runtime §4.1: the producer is idempotent and has the transactional id, whatever the user sets', async () => {
  const started = start(new ScriptedSource([]), {
    'producer.override.transactional.id': 'mine',
    'producer.override.enable.idempotence': 'false',
    'producer.override.transaction.timeout.ms': '1234',
  });
  await started.listener.until('running c-0');
  await stop(started);
  expect(started.w.clientConfigs[0]).toMatchObject({
    'enable.idempotence': 'true',
    'transactional.id': 'g-c-0',
    'transaction.timeout.ms': '1234',
  });
  expect(started.w.logger.lines.filter((line) => line.includes('Ignoring'))).toEqual([
    'warn Ignoring transactional.id=mine of the producer: exactly-once delivery requires g-c-0',
    'warn Ignoring enable.idempotence=false of the producer: exactly-once delivery requires true',
  ]);
});

test('connect-runtime §4.8: each poll is a transaction of its records and their newest offset', async () => {
  const task = new ScriptedSource([[record(1), record(2)], null, [record(3)]]);
  const started = start(task);
  await eventually(() => task.commits.length === 2);
  await stop(started);
  const { producer } = started.w;
  expect(producer.transactions).toEqual([
    'init',
    'begin',
    `commit v1,v2,${offset(2)}`,
    'begin',
    `commit v3,${offset(3)}`,
  ]);
  expect(producer.sent.filter((s) => s.topic === 'offsets').map((s) => s.key)).toEqual(
    Array(2).fill(JSON.stringify(PARTITION)),
  );
  expect(started.w.offsets.writes).toEqual([]);
  expect(started.w.offsets.copies).toEqual([[[PARTITION, { n: 2 }]], [[PARTITION, { n: 3 }]]]);
  expect(task.commits.map((commit) => commit.get(PARTITION))).toEqual([{ n: 2 }, { n: 3 }]);
  const { transactions } = started.metrics.source;
  const now = Date.now();
  expect([transactions.minimum(now), transactions.maximum(now), transactions.average(now)]).toEqual([1, 2, 1.5]);
});

test('connect-runtime §4.8: with boundary interval, several polls are a transaction; a stop commits the last one', async () => {
  const task = new ScriptedSource([[record(1)], [record(2)]]);
  const started = start(task, { 'transaction.boundary': 'interval', 'transaction.boundary.interval.ms': '60000' });
  await eventually(() => started.w.producer.sent.length === 2);
  expect(started.w.producer.transactions).toEqual(['init', 'begin']);
  await stop(started);
  expect(started.w.producer.transactions.slice(2)).toEqual([`commit v1,v2,${offset(2)}`]);
});

test('connect-runtime §4.8: with boundary interval, a transaction ends in time although the next poll takes long', async () => {
  const task = new ScriptedSource([[record(1)]]);
  const { poll } = task;
  let polls = 0;
  let release: () => void = () => undefined;
  task.poll = async () => {
    if (++polls > 1) await new Promise<void>((resolve) => (release = resolve));
    return await poll.call(task);
  };
  const started = start(task, { 'transaction.boundary': 'interval', 'transaction.boundary.interval.ms': '50' });
  await eventually(() => started.w.producer.transactions.length === 3);
  expect(started.w.producer.transactions).toEqual(['init', 'begin', `commit v1,${offset(1)}`]);
  release();
  await stop(started);
});

test('connect-runtime §4.8: a pause commits the open transaction', async () => {
  const task = new ScriptedSource([[record(1)]]);
  const started = start(task, { 'transaction.boundary': 'interval' });
  await eventually(() => started.w.producer.sent.length === 1);
  started.runner.pause();
  await started.listener.until('paused c-0');
  expect(started.w.producer.transactions).toEqual(['init', 'begin', `commit v1,${offset(1)}`]);
  await stop(started);
});

test('connect-runtime §4.8: the next batch is polled while Kafka completes a transaction, and sent afterwards', async () => {
  let release: () => void = () => undefined;
  const task = new ScriptedSource([[record(1)], [record(2)]]);
  const started = start(task, {}, (w) => (w.producer.commitHold = new Promise((resolve) => (release = resolve))));
  await eventually(() => (task as unknown as { answers: unknown[] }).answers.length === 0);
  expect(started.w.producer.values()).toEqual(['v1', offset(1)]);
  release();
  await eventually(() => task.commits.length === 2);
  await stop(started);
  expect(started.w.producer.transactions.slice(1)).toEqual([
    'begin',
    `commit v1,${offset(1)}`,
    'begin',
    `commit v2,${offset(2)}`,
  ]);
});

test('connect-runtime §4.8: polls that follow one another at once share a transaction while commits take long', async () => {
  const polls = Array.from({ length: 40 }, (_, n) => [record(n + 1)]);
  const task = new ScriptedSource([...polls]);
  const started = start(task, {}, (w) => {
    const commit = w.producer.commitTransaction.bind(w.producer);
    w.producer.commitTransaction = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      await commit();
    };
  });
  await eventually(() => task.commits.at(-1)?.get(PARTITION)?.n === 40);
  await stop(started);
  const { transactions, sent } = started.w.producer;
  const commits = transactions.filter((line) => line.startsWith('commit'));
  expect(commits[0]).toBe(`commit v1,${offset(1)}`);
  expect(commits.length).toBeLessThan(40);
  // Each has its newest offset last.
  for (const line of commits) expect(line).toMatch(/v(\d+),\{"n":\1\}$/);
  expect(sent.filter((s) => s.topic === 't').map((s) => s.value)).toEqual(polls.map(([only]) => only?.value));
});

describe('boundary connector', () => {
  const connector = { 'transaction.boundary': 'connector' };

  test('connect-runtime §4.8: commits after a record and after a batch, and discards what is open at the end', async () => {
    const [one, two, three, four] = [record(1), record(2), record(3), record(4)] as const;
    const task: Defining = new Defining([
      () => (task.transaction.commitTransaction(one), [one, two]),
      () => (task.transaction.commitTransaction(), [three]),
      [four],
    ]);
    const started = start(task, connector);
    await eventually(() => started.w.producer.values().includes('v4'));
    await stop(started);
    expect(started.w.producer.transactions).toEqual([
      'init',
      'begin',
      `commit v1,${offset(1)}`,
      'begin',
      `commit v2,v3,${offset(3)}`,
      'begin',
    ]);
    expect(task.delivered).toEqual(['v1', 'v2', 'v3']);
  });

  test('connect-runtime 84: an abort hides the records and stores their offsets in another transaction', async () => {
    const [one, two] = [record(1), record(2)] as const;
    const task: Defining = new Defining([() => (task.transaction.abortTransaction(two), [one, two])]);
    const started = start(task, connector);
    await eventually(() => started.w.producer.transactions.length === 5);
    await stop(started);
    expect(started.w.producer.transactions).toEqual(['init', 'begin', 'abort v1,v2', 'begin', `commit ${offset(2)}`]);
    expect(started.metrics.source.transactions.maximum(Date.now())).toBe(0);
  });

  test.each(['record', 'batch'] as const)('connect-runtime 85: both for the same %s fail the task', async (what) => {
    const one = record(1);
    const task: Defining = new Defining([
      () => {
        const of = what === 'record' ? one : undefined;
        task.transaction.commitTransaction(of);
        task.transaction.abortTransaction(of);
        return [one];
      },
    ]);
    const started = start(task, connector);
    await started.listener.until('failed c-0');
    expect(started.listener.trace).toContain('TRANSACTION_REQUESTS_CONFLICT');
    expect(started.w.producer.transactions).toEqual(['init', 'begin']);
  });

  test('an offset without a record is refused inside a transaction of the connector', async () => {
    const task: Defining = new Defining([
      [record(1)],
      () => (void task.context.storeOffset(PARTITION, { n: 9 }).catch((e: ConnectError) => (refused = e.code)), null),
    ]);
    let refused = '';
    const started = start(task, connector);
    await eventually(() => refused !== '');
    await stop(started);
    expect(refused).toBe('TRANSACTION_OPEN');
  });
});

test('the context tells the task that it is exactly-once; its transactions are its own only with boundary connector', async () => {
  const task = new Defining([]);
  const started = start(task);
  await started.listener.until('running c-0');
  await stop(started);
  expect(task.context).toMatchObject({ exactlyOnce: true, transactionContext: null });
});

test('an offset without a record is committed after the records polled before it, in one transaction with them', async () => {
  const task: Defining = new Defining([[record(1)], () => (void task.context.storeOffset(PARTITION, { n: 9 }), null)]);
  const started = start(task, { 'transaction.boundary': 'interval' });
  await eventually(() => started.w.producer.transactions.length === 3);
  await stop(started);
  expect(started.w.producer.transactions).toEqual(['init', 'begin', `commit v1,${offset(9)}`]);
});

test('an offset without a record that cannot be stored fails the task, even if the connector ignores it', async () => {
  const ignored = (): null => {
    task.context.storeOffset(PARTITION, { n: 9 }).catch(() => undefined);
    return null;
  };
  const task: Defining = new Defining([[record(1)], ignored]);
  const started = start(task, { 'transaction.boundary': 'interval' }, (w) => {
    const encode = w.offsets.encode.bind(w.offsets);
    w.offsets.encode = async (connector, offsets) => {
      if (offsets.length > 0) throw new Error('the offsets topic is gone');
      return await encode(connector, offsets);
    };
  });
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toContain('the offsets topic is gone');
  expect(started.w.producer.transactions).toEqual(['init', 'begin']);
});

test('connect-runtime 81: a worker whose session has expired does not fence the task of another one', async () => {
  const session = new SessionLease(60_000);
  session.renew(readClocks());
  const task = new ScriptedSource([]);
  const started = start(
    task,
    {},
    (_w, gate) => {
      gate.fence = async () => session.end();
    },
    {},
    session.forWork(),
  );
  await eventually(() => started.w.clientConfigs.length > 0);
  await new Promise((resolve) => setImmediate(resolve));
  await stop(started);
  expect(started.w.producer.transactions).toEqual([]);
  expect(task.log).toEqual([]);
});

test('connect-runtime §4.8: commitRecord follows the commit, for skipped records without metadata', async () => {
  const task = new Defining([[record(1), record(2, { key: Buffer.from('k') }), record(3)]]);
  const started = start(task, {
    'errors.tolerance': 'all',
    // Keys that are texts are skipped.
    'key.converter': 'org.apache.kafka.connect.converters.ByteArrayConverter',
  });
  await eventually(() => task.delivered.length === 3);
  await stop(started);
  expect(task.delivered).toEqual(['v1 dropped', 'v3 dropped', 'v2']);
  // Java would not commit the offsets of skipped records: docs/compatibility.md.
  expect(started.w.producer.transactions.at(-1)).toBe(`commit v2,${offset(3)}`);
});

test('connect-runtime 86: a task that produces to its own offsets topic fails', async () => {
  const started = start(new ScriptedSource([[record(1, { topic: 'offsets' })]]));
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toContain('OWN_OFFSETS_TOPIC');
  expect(started.w.producer.sent).toEqual([]);
});

test('connect-runtime 87: a transaction that Kafka has aborted fails the task with the cures, and it may restart', async () => {
  const timeout = { 'producer.override.transaction.timeout.ms': '1' };
  const started = start(new ScriptedSource([[record(1)]]), timeout, (w) => {
    w.producer.prepare = () => new Promise((resolve) => setTimeout(resolve, 5));
    w.producer.commitErrors = [ended];
  });
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toMatch(/transaction\.timeout\.ms=1.*transaction\.boundary\.interval\.ms.*poll/);
  expect(started.listener.retriable).toBe(true);
});

test('connect-runtime 87: an idle task notices that its transaction has expired', async () => {
  const config = { 'transaction.boundary': 'connector', 'producer.override.transaction.timeout.ms': '20' };
  const started = start(new ScriptedSource([[record(1)]]), config);
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toContain('TRANSACTION_TIMEOUT');
});

test('connect-runtime 81: a fenced task fails, does not commit, and may restart if it is not outdated', async () => {
  const task = new ScriptedSource([[record(1)]]);
  const started = start(task, {}, (w) => (w.producer.commitErrors = [ended]));
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toContain("a newer task with transactional.id 'g-c-0' has started");
  expect(started.listener.retriable).toBe(true);
  expect(task.commits).toEqual([]);
});

test.each([
  ['INVALID_PRODUCER_ID_MAPPING', 'TRANSACTIONAL_ID_EXPIRED'],
  ['TRANSACTION_ABORTABLE', 'TRANSACTION_ABORTABLE'],
] as const)('a transaction that Kafka ends with %s may be repeated by a restart', async (code, reported) => {
  const started = start(new ScriptedSource([[record(1)]]), {}, (w) => {
    w.producer.commitErrors = [new KafkaError(code, 'ended')];
  });
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toContain(`code: ${reported}`);
  expect(started.listener.retriable).toBe(true);
});

test('offsets stay in the topic that the task has read them from, while a newer config names another one', async () => {
  const started = start(new ScriptedSource([[record(1)]]), {}, (w) => {
    const { encode } = w.offsets;
    let calls = 0;
    w.offsets.encode = async (connector, offsets) => {
      const { topic, records } = await encode.call(w.offsets, connector, offsets);
      return { topic: calls++ === 0 ? topic : 'newer', records };
    };
  });
  await eventually(() => started.w.producer.sent.length === 2);
  await stop(started);
  expect(started.w.producer.sent.map(({ topic }) => topic)).toEqual(['t', 'offsets']);
});

test('connect-runtime §4.3: a record that Kafka refuses fails the task, whatever the tolerance', async () => {
  const tooLarge = new KafkaError('MESSAGE_TOO_LARGE', 'the record is larger than the topic takes');
  const task = new ScriptedSource([[record(1)], [record(2)]]);
  const started = start(task, { 'errors.tolerance': 'all' }, (w) => {
    w.producer.sendErrors = [null, null, tooLarge];
  });
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toContain('MESSAGE_TOO_LARGE');
  expect(started.w.producer.transactions.slice(1)).toEqual(['begin', `commit v1,${offset(1)}`, 'begin']);
});

test('connect-runtime §4.8: a retriable refusal is retried inside the open transaction', async () => {
  const away = new KafkaError('UNKNOWN_TOPIC_OR_PARTITION', 'not known yet', { retriable: true });
  const task = new ScriptedSource([[record(1), record(2)]]);
  const started = start(task, {}, (w) => (w.producer.sendErrors = [null, away]));
  await eventually(() => task.commits.length === 1);
  await stop(started);
  expect(started.w.producer.transactions).toEqual(['init', 'begin', `commit v1,v2,${offset(2)}`]);
});

test('a stop in the middle of a batch commits nothing of it: other records may have the same offset', async () => {
  const away = new KafkaError('UNKNOWN_TOPIC_OR_PARTITION', 'not known yet', { retriable: true });
  const task = new ScriptedSource([[record(1), record(2, { sourceOffset: { n: 1 } })]]);
  const started = start(task, {}, (w) => (w.producer.sendErrors = [null, ...Array<KafkaError>(10_000).fill(away)]));
  await eventually(() => started.w.producer.sent.length === 1);
  await eventually(() => started.w.logger.lines.some((line) => line.includes('Cannot send')));
  await stop(started);
  expect(started.w.producer.transactions).toEqual(['init', 'begin']);
});

test.each([
  ['TRANSACTIONAL_ID_AUTHORIZATION_FAILED', "to use transactional.id 'g-c-0': grant"],
  ['INVALID_TRANSACTION_TIMEOUT', 'transaction.max.timeout.ms'],
] as const)('%s names what to change', async (code, cure) => {
  const started = start(new ScriptedSource([]), {}, (w) => (w.producer.initError = new KafkaError(code, 'no')));
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toContain(cure);
});

test('an offset that cannot be stored fails the task: its records must not be committed without it', async () => {
  const bad = record(1, { sourceOffset: { n: [] } as never });
  const started = start(new ScriptedSource([[bad]]));
  await started.listener.until('failed c-0');
  expect(started.listener.trace).toContain('OFFSET_NOT_PRIMITIVE');
  expect(started.w.producer.transactions).toEqual(['init', 'begin']);
});
