import { ConfigError, DataError, RetriableError, type SinkRecord } from '@millrace/sdk';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import { TaskMetrics } from '../../../src/metrics/task-metrics';
import type { PluginDescription } from '../../../src/plugins/registry';
import { TaskRunner } from '../../../src/tasks/task-runner';
import { batch, eventually, RecordingListener, sinkOf, spec, world } from '../fakes';
import { ScriptedSink, start, stop, T0, type Running } from './sink-fixture';

const DLQ = { 'errors.deadletterqueue.topic.name': 'dead', 'errors.deadletterqueue.topic.replication.factor': '1' };
const ALL = { 'errors.tolerance': 'all' };
const values = (n: number, bad: readonly number[] = []): string[] =>
  Array.from({ length: n }, (_, i) => (bad.includes(i) ? `bad${i}` : `v${i}`));

/** Rejects every part with a record whose value starts with `bad`. */
class PickySink extends ScriptedSink {
  down = false;
  override async put(records: readonly SinkRecord[]): Promise<void> {
    if (records.length > 0) this.calls++;
    const bad = records.find(({ value }) => this.down || String(value).startsWith('bad'));
    if (bad) {
      this.puts.push(records.map((r) => String(r.value)));
      throw new DataError(`cannot store ${String(bad.value)}`);
    }
    await super.put(records);
  }
  calls = 0;
}

/** The offset committed last for partition 0. */
const committed = ({ consumer }: Running): number | undefined => consumer.commits.at(-1)?.[0]?.offset;

test('the record that fails goes to the dead letter topic like an errant record; the others are delivered in order', async () => {
  const task = new PickySink();
  const running = await start(task, {
    ...DLQ,
    ...ALL,
    'errors.log.enable': 'true',
    'errors.deadletterqueue.context.headers.enable': 'true',
  });
  const { consumer, w } = running;
  consumer.next([batch('t', 0, 100, values(50, [17]))]);
  await eventually(() => task.records.length === 49 && w.deadLetters.sent.length === 1);
  await stop(running);
  expect(task.values()).toEqual(values(50).filter((_, i) => i !== 17));
  expect(task.calls).toBeLessThanOrEqual(1 + Math.ceil(Math.log2(50)) + 1);
  expect(w.deadLetters.values()).toEqual(['bad17']);
  const headers = new Map(
    w.deadLetters.sent[0]?.headers.map(([key, value]) => [key.replace('__connect.errors.', ''), value]),
  );
  expect([...headers.values()].slice(0, 9)).toEqual([
    't',
    '0',
    '117',
    'c',
    '0',
    'TASK_PUT',
    'org.apache.kafka.connect.sink.SinkTask',
    'org.apache.kafka.connect.errors.DataException',
    'cannot store bad17',
  ]);
  expect(w.logger.lines).toContain(
    "error Error encountered in task c-0. Executing stage 'TASK_PUT' with class 'org.apache.kafka.connect.sink.SinkTask'.",
  );
  expect(committed(running)).toBe(150);
});

test('a dead letter topic suffices, without tolerance', async () => {
  const task = new PickySink();
  const running = await start(task, DLQ);
  running.consumer.next([batch('t', 0, 0, values(3, [1]))]);
  await eventually(() => task.records.length === 2 && running.w.deadLetters.sent.length === 1);
  await stop(running);
  expect(committed(running)).toBe(3);
  expect(running.listener.events).toEqual(['running c-0', 'stopped c-0']);
});

test.each([
  ['without tolerance and dead letter topic', {}, true, new DataError('no')],
  ['with errors.bisect=false', { ...ALL, ...DLQ, 'errors.bisect': 'false' }, true, new DataError('no')],
  ['of a sink whose put is not repeatable', { ...ALL, ...DLQ }, false, new DataError('no')],
  ['because of a setting', { ...ALL, ...DLQ }, true, new ConfigError('no')],
])('a batch that fails %s fails the task', async (_case, config, putIsRepeatable, error) => {
  const task = new ScriptedSink();
  task.putErrors = [error, error];
  const running = await start(task, config, {}, (w) => {
    const { find } = w.registry;
    Object.assign(w.registry, {
      find: (name: string, type: 'sink') => {
        const found = find(name, type);
        return found && Object.assign(found, { putIsRepeatable });
      },
    });
  });
  running.consumer.next([batch('t', 0, 0, values(4))]);
  await running.listener.until('failed c-0');
  expect(task.puts).toEqual([values(4)]);
  expect(running.w.deadLetters.sent).toEqual([]);
  expect(running.consumer.commits).toEqual([]);
});

test('errors.bisect=true on a sink whose put is not repeatable is reported', async () => {
  const running = await start(new ScriptedSink(), { ...ALL, 'errors.bisect': 'true' }, {}, (w) => {
    const { find, load } = w.registry;
    Object.assign(w.registry, {
      find: (name: string, type: 'sink') => {
        const found = find(name, type);
        return found?.type === 'sink' ? { ...found, putIsRepeatable: false } : found;
      },
      load: async (found: PluginDescription) =>
        found.type === 'sink' ? sinkOf(new ScriptedSink()) : await load(found),
    });
  });
  await stop(running);
  expect(running.w.logger.lines).toContain(
    'warn With errors.bisect=true, a record may be written twice when put() rejects a batch: com.acme.Test does not state that its put() can be repeated',
  );
});

test('a part that fails with a retriable error is put again, the same one', async () => {
  const task = new PickySink();
  const running = await start(task, { ...ALL, ...DLQ });
  const { consumer, w } = running;
  task.onPut = (records) => {
    if (records.length === 2 && task.putErrors.length === 0 && task.puts.length === 2)
      throw new RetriableError('later');
  };
  consumer.next([batch('t', 0, 0, values(4, [3]))]);
  await eventually(() => w.deadLetters.sent.length === 1);
  await stop(running);
  expect(task.puts.slice(0, 3)).toEqual([values(4, [3]), ['v0', 'v1'], ['v0', 'v1']]);
  expect(task.values()).toEqual(['v0', 'v1', 'v2']);
  expect(consumer.pollTimeouts).toContain(1000);
  expect(committed(running)).toBe(4);
});

test('paused in the middle: nothing is put, and the task waits instead of polling at once, until it is resumed', async () => {
  const task = new PickySink();
  const running = await start(task, { ...ALL, ...DLQ });
  const { consumer, runner, w } = running;
  task.onPut = (records) => {
    if (records.length === 4) runner.pause();
  };
  consumer.next([batch('t', 0, 0, values(8, [5]))]);
  await running.listener.until('paused c-0');
  const puts = task.calls;
  const polls = consumer.pollTimeouts.length;
  await eventually(() => consumer.pollTimeouts.length >= polls + 3);
  expect(consumer.pollTimeouts.slice(polls + 1).every((ms) => ms > 0)).toBe(true);
  expect(task.calls).toBe(puts);
  task.onPut = null;
  runner.resume();
  await eventually(() => task.records.length === 7 && w.deadLetters.sent.length === 1);
  await stop(running);
  expect(committed(running)).toBe(8);
});

describe('offsets', () => {
  test('do not pass a record before its dead letter is acknowledged', async () => {
    const task = new PickySink();
    const running = await start(task, { ...ALL, ...DLQ }, { 'offset.flush.interval.ms': '5' });
    const { consumer, w } = running;
    w.deadLetters.autoAck = false;
    consumer.next([batch('t', 0, 0, values(8, [2]))]);
    await eventually(() => task.records.length === 7 && w.deadLetters.sent.length === 1);
    await eventually(() => committed(running) === 2);
    expect(consumer.commits.flat().some(({ partition, offset }) => partition === 0 && offset > 2)).toBe(false);
    w.deadLetters.sent[0]?.ack();
    await eventually(() => committed(running) === 8);
    await stop(running);
  });

  test('a dead letter that Kafka refuses fails the task at the record', async () => {
    const task = new PickySink();
    const running = await start(task, { ...ALL, ...DLQ });
    running.w.deadLetters.autoAck = false;
    running.w.deadLetters.onSend = (sent) =>
      setImmediate(() => sent.fail(new KafkaError('MESSAGE_TOO_LARGE', 'too large')));
    running.consumer.next([batch('t', 0, 0, values(8, [2]))]);
    await running.listener.until('failed c-0');
    expect(running.listener.trace).toContain('code: DLQ_WRITE');
    expect(committed(running) ?? 0).toBeLessThanOrEqual(2);
  });

  test('a stop in the middle commits what is delivered, and nothing beyond it', async () => {
    const task = new PickySink();
    const running = await start(task, { ...ALL, ...DLQ });
    const { consumer } = running;
    task.onPut = (records) => {
      if (records.length === 2) running.runner.stop();
    };
    consumer.next([batch('t', 0, 10, values(16, [6]))]);
    await running.runner.done;
    // 8 fail, 4 are delivered, then 2, then the stop.
    expect(task.values()).toEqual(values(6));
    expect(committed(running)).toBe(16);
    expect(running.w.deadLetters.sent).toEqual([]);
  });

  test('a partition that is revoked in the middle: its records are left to the next owner, the others are put again', async () => {
    const task = new PickySink();
    const running = await start(task, { ...ALL, ...DLQ });
    const { consumer, w } = running;
    task.onPut = () => {
      if (task.records.length === 0) consumer.take('onRevoked', T0);
    };
    consumer.next([batch('t', 0, 0, values(8, [5])), batch('t', 1, 0, ['bad', 'w1', 'w2'])]);
    await eventually(() => task.values().includes('w2') && w.deadLetters.sent.length === 1);
    await stop(running);
    expect(w.deadLetters.values()).toEqual(['bad']);
    expect(task.values().slice(-2)).toEqual(['w1', 'w2']);
    const ofRevoked = consumer.commits.flat().filter(({ partition }) => partition === 0);
    expect(ofRevoked.map(({ offset }) => offset)).toEqual([
      task.values().filter((v) => String(v).startsWith('v')).length,
    ]);
  });
});

describe('a sink that accepts nothing', () => {
  test('fails the task after eleven records of a batch, none of which is reported', async () => {
    const task = new PickySink();
    const running = await start(task, { ...ALL, ...DLQ });
    task.down = true;
    running.consumer.next([batch('t', 0, 0, values(2000))]);
    await running.listener.until('failed c-0');
    expect(running.listener.trace).toContain('put() has rejected 11 records in a row');
    expect(running.listener.trace).toContain('code: PUT_REJECTS_ALL');
    expect(running.w.deadLetters.sent).toEqual([]);
    expect(running.consumer.commits).toEqual([]);
    expect(task.calls).toBeLessThanOrEqual(1 + 11 * (Math.ceil(Math.log2(2000)) + 2));
  });

  test('one record at a time: at most ten become dead letters', async () => {
    const task = new PickySink();
    const running = await start(task, { ...ALL, ...DLQ });
    task.down = true;
    for (let i = 0; i < 15; i++) {
      running.consumer.next([batch('t', 0, i, [`v${i}`])]);
      await eventually(() => running.w.deadLetters.sent.length === Math.min(10, i + 1));
    }
    await running.listener.until('failed c-0');
    expect(running.w.deadLetters.values()).toEqual(values(10));
    expect(committed(running)).toBe(10);
  });

  test('without a dead letter topic, a record is dropped only once a later one is accepted', async () => {
    const task = new PickySink();
    const running = await start(task, ALL, { 'offset.flush.interval.ms': '5' });
    const { consumer } = running;
    consumer.next([batch('t', 0, 0, ['v0'])]);
    await eventually(() => committed(running) === 1);
    task.down = true;
    consumer.next([batch('t', 0, 1, ['v1'])]);
    await eventually(() => task.calls === 3);
    consumer.next([batch('t', 1, 0, [])]);
    await eventually(() => task.log.filter((line) => line === 'flush').length > 5);
    expect(consumer.commits.flat().some(({ offset }) => offset > 1)).toBe(false);
    task.down = false;
    consumer.next([batch('t', 0, 2, ['v2'])]);
    await eventually(() => committed(running) === 3);
    await stop(running);
    expect(task.values()).toEqual(['v0', 'v2']);
  });

  test('stopped before that, the record is delivered again', async () => {
    const task = new PickySink();
    const running = await start(task, ALL);
    running.consumer.next([batch('t', 0, 0, ['v0', 'bad'])]);
    await eventually(() => task.calls === 3);
    running.consumer.next([batch('t', 0, 2, ['bad2'])]);
    await eventually(() => task.calls === 5);
    await stop(running);
    expect(committed(running)).toBe(2);
    expect(task.values()).toEqual(['v0']);
  });
});

test('connect-runtime §9: each such record is one failure, one error and one skip; a dead letter each', async () => {
  const task = new PickySink();
  const w = world(sinkOf(task));
  const memory = TaskMetrics.allocate('sink', { sampleMs: 30_000, samples: 2 });
  const listener = new RecordingListener();
  const runner = new TaskRunner(spec('sink', { ...ALL, ...DLQ }, { metrics: memory }), w, listener);
  w.consumer.positions.set('t-0', 0);
  w.consumer.assign(T0);
  runner.start();
  await listener.until('running c-0');
  w.consumer.next([batch('t', 0, 0, values(30, [3, 4, 29]))]);
  await eventually(() => w.deadLetters.sent.length === 3);
  runner.stop();
  await runner.done;
  const { errors, sink } = TaskMetrics.in(memory);
  const counts = [errors.failures, errors.errors, errors.skipped, errors.deadLetterRequests].map(({ value }) => value);
  expect(counts).toEqual([3, 3, 3, 3]);
  expect(sink.sent.value).toBe(27);
});
