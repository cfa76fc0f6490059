/** Offsets that a task stores without a record. */
import type { SourceTaskContext } from '@millrace/sdk';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
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

/** The next scheduled commit is a minute away. */
class Storing extends ScriptedSource {
  context!: SourceTaskContext;
  readonly settled: string[] = [];

  override start = (_config: unknown, context: SourceTaskContext): void => {
    this.context = context;
  };

  store(n: number): null {
    this.context.storeOffset(PARTITION, { n }).then(
      () => this.settled.push(`stored ${n}`),
      () => this.settled.push(`gave up ${n}`),
    );
    return null;
  }
}

function started(task: Storing, prepare: (w: World) => void = () => undefined): { runner: TaskRunner; w: World } {
  const w = world(sourceOf(task));
  prepare(w);
  const runner = new TaskRunner(spec('source'), w, new RecordingListener());
  runners.push(runner);
  runner.start();
  return { runner, w };
}

/** What a commit that was begun would have stored by now. */
async function flushed(w: World): Promise<void> {
  await w.producer.flush();
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const runners: TaskRunner[] = [];
/** Also those of a failed test, which would poll on. */
afterEach(async () => {
  for (const runner of runners.splice(0)) await stop(runner);
});

async function stop(runner: TaskRunner): Promise<void> {
  runner.stop();
  await runner.done;
}

test('is stored at once, after the records polled before, and the task is notified', async () => {
  const task: Storing = new Storing([[record(1), record(2)], () => task.store(3), [record(4)]]);
  const { runner, w } = started(task);
  await eventually(() => task.settled.length === 1);
  expect(task.settled).toEqual(['stored 3']);
  expect(task.commits.some((offsets) => offsets.get(PARTITION)?.['n'] === 3)).toBe(true);
  await eventually(() => w.producer.sent.length === 3);
  await stop(runner);
  expect(w.offsets.of(PARTITION)).toEqual({ n: 4 });
});

test('not before Kafka has acknowledged the records before it', async () => {
  const task: Storing = new Storing([[record(1)], () => task.store(2)]);
  const { runner, w } = started(task, ({ producer }) => (producer.autoAck = false));
  await eventually(() => w.producer.sent.length === 1);
  await new Promise((resolve) => setImmediate(resolve));
  expect([task.settled, w.offsets.writes]).toEqual([[], []]);
  w.producer.sent[0]?.ack();
  await eventually(() => task.settled.length === 1);
  expect(w.offsets.of(PARTITION)).toEqual({ n: 2 });
  await stop(runner);
});

test('a store that is unreachable is retried', async () => {
  const task: Storing = new Storing([() => task.store(1)]);
  const { runner, w } = started(task, ({ offsets }) => {
    offsets.errors = [new KafkaError('CONNECTION_FAILED', 'no broker', { retriable: true })];
  });
  await eventually(() => task.settled.length === 1);
  expect(task.settled).toEqual(['stored 1']);
  expect(w.offsets.of(PARTITION)).toEqual({ n: 1 });
  await stop(runner);
});

test('a stop ends the wait', async () => {
  let asked = false;
  const task: Storing = new Storing([
    [record(1)],
    () => {
      asked = true;
      return task.store(2);
    },
  ]);
  const { runner, w } = started(task, ({ producer }) => (producer.autoAck = false));
  await eventually(() => asked);
  w.producer.sent[0]?.fail(new KafkaError('CONNECTION_FAILED', 'no broker', { retriable: true }));
  await stop(runner);
  await eventually(() => task.settled.length === 1);
  expect(task.settled).toEqual(['gave up 2']);
  expect(w.offsets.of(PARTITION)).toBeUndefined();
});

test('amid a batch, it waits for the rest of the batch: nothing is stored that passes a record that was not sent', async () => {
  const second = { ...record(2), sourceOffset: record(1).sourceOffset };
  const shared = [{ ...record(1), sourceOffset: second.sourceOffset }, second, record(3)];
  const task: Storing = new Storing([shared]);
  let opened: () => void = () => undefined;
  const { runner, w } = started(task, ({ producer }) => {
    producer.onSend = () => {
      producer.onSend = null;
      producer.full = new Promise((resolve) => (opened = resolve));
    };
  });
  await eventually(() => w.producer.full !== null);
  task.store(4);
  await flushed(w);
  expect([w.producer.values(), w.offsets.writes, task.settled]).toEqual([['v1'], [], []]);
  w.producer.full = null;
  opened();
  await eventually(() => task.settled.length === 1);
  expect([w.producer.values(), w.offsets.of(PARTITION)]).toEqual([['v1', 'v2', 'v3'], { n: 4 }]);
  await stop(runner);
});

test('while a record waits to be sent again, its offset is not stored', async () => {
  const task: Storing = new Storing([[record(1)]]);
  const { runner, w } = started(task, ({ producer }) => {
    const away = new KafkaError('CONNECTION_FAILED', 'no broker', { retriable: true });
    producer.sendErrors = Array.from({ length: 1_000 }, () => away);
  });
  await eventually(() => w.producer.sendErrors.length < 1_000);
  task.store(2);
  await flushed(w);
  expect([w.producer.sent, w.offsets.writes, task.settled]).toEqual([[], [], []]);
  await stop(runner);
  expect([w.offsets.of(PARTITION), task.settled]).toEqual([undefined, ['gave up 2']]);
});
