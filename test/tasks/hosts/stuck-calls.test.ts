/** `watchdog.task.action=restart`: what a call that does not return, and its task, may still do. */
import { join } from 'node:path';
import type { SourceRecord } from '@millrace/sdk';
import { DEFAULT_SAMPLE_WINDOWS, TaskMetrics } from '../../../src/metrics/task-metrics';
import type { ConnectorTaskId } from '../../../src/connector-task-id';
import { CallClock } from '../../../src/tasks/call-clock';
import type { TaskHost } from '../../../src/tasks/host';
import { InlineTaskHost } from '../../../src/tasks/hosts/inline-task-host';
import type { ThreadHandle } from '../../../src/tasks/hosts/thread-handle';
import { ThreadTaskHost } from '../../../src/tasks/hosts/thread-task-host';
import { TaskRunner } from '../../../src/tasks/task-runner';
import { ScriptedSink } from '../sink/sink-fixture';
import {
  batch,
  eventually,
  MemoryOffsets,
  record,
  RecordingListener,
  RecordingLogger,
  ScriptedSource,
  sinkOf,
  sourceOf,
  spec,
  world,
  type World,
} from '../fakes';

const RESTART = { 'watchdog.task.ms': '40', 'watchdog.task.action': 'restart' };

let open: TaskHost[] = [];
afterEach(async () => {
  await Promise.all(open.map((host) => host.close()));
  open = [];
});

async function runs(
  w: World,
  type: 'source' | 'sink',
  config: Record<string, string> = {},
): Promise<{ host: InlineTaskHost; listener: RecordingListener }> {
  const listener = new RecordingListener();
  const host = new InlineTaskHost(w, listener);
  open.push(host);
  const metrics = TaskMetrics.allocate(type, DEFAULT_SAMPLE_WINDOWS);
  await host.start(spec(type, config, { metrics }));
  await listener.until('running c-0');
  return { host, listener };
}

describe('a call that returns after its task was ended', () => {
  test('poll: nothing of it is sent, no offset is stored', async () => {
    let answer = (_records: SourceRecord[]): void => undefined;
    const task = new ScriptedSource([]);
    const late = new Promise<SourceRecord[]>((resolve) => (answer = resolve));
    task.poll = () => late;
    const w = world(sourceOf(task), RESTART);
    const { host, listener } = await runs(w, 'source');
    await listener.until('failed c-0');
    expect(listener.retriable).toBe(true);
    expect(listener.trace).toContain('with task.host=inline nothing can terminate it. [code: TASK_STUCK]');
    expect([host.has(spec('source').id), host.watch()(spec('source').id).restarts]).toEqual([false, 1]);
    answer([record(1)]);
    await eventually(() => task.log.includes('stop'));
    expect([w.producer.sent, w.offsets.writes]).toEqual([[], []]);
    expect(listener.events).toEqual(['running c-0', 'failed c-0']);
  });

  test.each([
    ['put', (task: ScriptedSink, late: Promise<void>) => (task.onPut = () => late)],
    ['preCommit', (task: ScriptedSink, late: Promise<void>) => (task.preCommit = (o) => late.then(() => o))],
  ])('%s: no offset is committed', async (_call, hang) => {
    let end = (): void => undefined;
    const task = new ScriptedSink();
    hang(task, new Promise<void>((resolve) => (end = resolve)));
    const w = world(sinkOf(task), { ...RESTART, 'offset.flush.interval.ms': '5' });
    w.consumer.positions.set('t-0', 0);
    w.consumer.assign({ topic: 't', partition: 0 });
    const { listener } = await runs(w, 'sink');
    w.consumer.next([batch('t', 0, 0, ['a', 'b'])]);
    await listener.until('failed c-0');
    end();
    await eventually(() => task.log.includes('stop'));
    expect(w.consumer.commits.flat().filter(({ offset }) => offset > 0)).toEqual([]);
    expect(listener.events).toEqual(['running c-0', 'failed c-0']);
  });
});

test.each([
  ['poll', 'source', 'stop', new ScriptedSource([new Error('the first fault')])],
  ['put', 'sink', 'stop', Object.assign(new ScriptedSink(), { putErrors: [new Error('the first fault')] })],
  ['put', 'sink', 'revoking', Object.assign(new ScriptedSink(), { putErrors: [new Error('the first fault')] })],
] as const)('%s of a %s fails, and its %s does not return', async (_fails, type, call, task) => {
  Object.assign(task, { [call]: () => new Promise(() => undefined) });
  const w = world(type === 'source' ? sourceOf(task as ScriptedSource) : sinkOf(task as ScriptedSink), RESTART);
  w.consumer.positions.set('t-0', 0);
  w.consumer.assign({ topic: 't', partition: 0 });
  const { listener } = await runs(w, type);
  w.consumer.next([batch('t', 0, 0, ['a'])]);
  await listener.until('failed c-0');
  expect(listener.trace).toContain(`${call}() of this task's plugin has not returned`);
  expect(listener.events).toEqual(['running c-0', 'failed c-0']);
  expect(w.logger.lines.filter((line) => line.includes('The task failed: the first fault'))).toHaveLength(1);
});

test.each([
  ['put', 'runs'],
  ['preCommit', 'runs'],
  ['preCommit', 'stops'],
] as const)('a sink that is revoked in %s, while it %s: no offset is committed', async (call, does) => {
  const calls = new CallClock();
  const task = new ScriptedSink();
  let revoked = false;
  const revoke = (): void => {
    new CallClock(calls.memory).revoke();
    revoked = true;
  };
  if (call === 'put') task.onPut = revoke;
  else
    task.preCommit = (offsets) => {
      revoke();
      return offsets;
    };
  const w = world(sinkOf(task), { 'offset.flush.interval.ms': does === 'runs' ? '5' : '60000' });
  w.consumer.positions.set('t-0', 0);
  w.consumer.assign({ topic: 't', partition: 0 });
  const runner = new TaskRunner(spec('sink'), w, new RecordingListener(), calls);
  runner.start();
  w.consumer.next([batch('t', 0, 0, ['a', 'b'])]);
  await eventually(() => (does === 'runs' ? revoked : task.records.length > 0));
  runner.stop();
  await runner.done;
  expect(revoked).toBe(true);
  expect(w.consumer.commits.flat().filter(({ offset }) => offset > 0)).toEqual([]);
});

interface Threads {
  readonly host: ThreadTaskHost;
  readonly listener: RecordingListener;
  readonly logger: RecordingLogger;
  run(connector: string, does: string): Promise<void>;
}
function threads(size: number, watchdogMs = 200): Threads {
  const listener = new RecordingListener();
  const logger = new RecordingLogger();
  const host = new ThreadTaskHost({
    data: { settings: {}, catalog: null },
    threads: size,
    gracefulTimeoutMs: 200,
    watchdogMs,
    watchdogAction: 'restart',
    offsets: new MemoryOffsets(),
    listener,
    logger,
    module: join(__dirname, 'fixtures', 'thread.js'),
  });
  open.push(host);
  const run = (connector: string, does: string): Promise<void> =>
    host.start(spec('source', { does }, { id: { connector, task: 0 } }));
  return { host, listener, logger, run };
}
const RESTARTED = ['running other-0', 'restarting other-0', 'running other-0'];

test('tasks that were stuck leave the shared threads, and share as many of their own', async () => {
  const { host, listener, run } = threads(2);
  const count = (): number => (host as unknown as { threads: Set<unknown> }).threads.size;
  const stuck = ['a', 'b', 'c', 'd', 'e', 'f'];
  await run('other', 'works');
  for (const name of stuck) await run(name, 'waits');
  for (const name of stuck) await listener.until(`failed ${name}-0`);
  await eventually(() => listener.events.filter((event) => event === 'running other-0').length === 2);
  await eventually(() => count() === 1);
  for (const name of stuck) await run(name, 'waits');
  expect(count()).toBe(3);
  for (const name of stuck) await eventually(() => listener.events.filter((e) => e === `failed ${name}-0`).length > 1);
  expect(listener.events.filter((event) => event.endsWith('other-0'))).toEqual(RESTARTED);
});

test('a task that does not leave the thread of a stuck one in time is cancelled, so that its clients close', async () => {
  const { listener, logger, run } = threads(1);
  await run('other', 'stops late');
  await run('unstoppable', 'ignores stop');
  await run('stuck', 'waits');
  await eventually(() => listener.events.filter((event) => event === 'running unstoppable-0').length === 2);
  expect(listener.events.filter((event) => event.endsWith('other-0'))).toEqual(RESTARTED);
  expect(logger.lines.filter((line) => /^info cancel \d$/.test(line))).toEqual(['info cancel 3', 'info cancel 2']);
});

test('a task that blocks its thread after an await of its call gets a dedicated one', async () => {
  const { host, listener, run } = threads(1, 2_000);
  const places = (): string[] =>
    [...(host as unknown as { threads: Set<ThreadHandle> }).threads].map(({ options }) => options.place);
  await run('spins', 'blocks later');
  await listener.until('failed spins-0');
  await eventually(() => places().length === 0);
  await run('spins', 'blocks later');
  await listener.until('running spins-0');
  expect(places()).toEqual(['alone']);
});

describe('a task whose thread is blocked, when the thread wakes up', () => {
  const IN_TIME_MS = 60_000;
  async function blocked(): Promise<Threads & { id: ConnectorTaskId; wake: () => void }> {
    const made = threads(1, 0);
    const gate = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const task = { ...spec('source', { does: 'blocks until woken' }), gate: gate.buffer };
    await made.host.start(task);
    await made.listener.until('running c-0');
    const wake = (): void => {
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
    };
    return { ...made, id: task.id, wake };
  }
  const woken = async ({ logger }: Threads): Promise<string | undefined> => {
    const line = (): string | undefined => logger.lines.find((text) => text.includes('may send'));
    await eventually(() => line() !== undefined);
    return line();
  };

  test('may send nothing if it was cancelled, before it has received a message', async () => {
    const task = await blocked();
    const cancelling = task.host.cancel([task.id], 200);
    task.wake();
    expect(await woken(task)).toBe('info may send: false');
    expect(await cancelling).toEqual([task.id]);
  });

  test('may send nothing if it did not stop in time', async () => {
    const task = await blocked();
    expect(await task.host.stop([task.id], 20)).toEqual([task.id]);
    task.wake();
    expect(await woken(task)).toBe('info may send: false');
  });

  test('may still send what its orderly stop needs', async () => {
    const task = await blocked();
    const stopping = task.host.stop([task.id], IN_TIME_MS);
    task.wake();
    expect(await woken(task)).toBe('info may send: true');
    expect(await stopping).toEqual([]);
  });
});
