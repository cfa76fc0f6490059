/** Transformations and predicates that are not ready at once, e.g. because they run in another process. */
import {
  ConfigError,
  type ConnectRecord,
  type Connector,
  ConverterNotReady,
  DataError,
  type PredicatePlugin,
  RetriableError,
  type TransformationPlugin,
} from '@millrace/sdk';
import type { BuiltInPlugin } from '../../src/plugins/registry';
import { TaskRunner } from '../../src/tasks/task-runner';
import {
  batch,
  eventually,
  PARTITION,
  record,
  RecordingListener,
  ScriptedSource,
  sinkOf,
  sourceOf,
  spec,
  world,
  type World,
} from './fakes';
import { ScriptedSink, T0 } from './sink/sink-fixture';

type Answer = () => Promise<unknown>;

/** Knows records by their identity, and needs an answer for each. */
class Waiting {
  readonly known = new WeakSet<ConnectRecord>();
  calls = 0;
  constructor(
    readonly answers: Answer[] = [],
    readonly call: string | null = null,
  ) {}
  require(given: ConnectRecord): void {
    this.calls++;
    if (this.known.has(given)) return;
    const answer = this.answers.shift() ?? (async () => undefined);
    throw new ConverterNotReady(
      answer().then(() => this.known.add(given)),
      this.call,
    );
  }
}

function installed(transforms: Waiting, tests: Waiting): BuiltInPlugin[] {
  const described = (type: 'transformation' | 'predicate', name: string): BuiltInPlugin['description'] => ({
    type,
    class: `com.acme.${name}`,
    version: '1',
    aliases: [],
    taskClass: null,
    location: 'test',
  });
  const copying: TransformationPlugin = {
    type: 'transformation',
    config: [],
    create: () => ({ configure: () => undefined, apply: (given) => ({ ...given, value: `${String(given.value)}c` }) }),
  };
  const waiting: TransformationPlugin = {
    type: 'transformation',
    config: [],
    create: () => ({
      configure: () => undefined,
      apply: (given) => {
        transforms.require(given);
        return given.value === 'v9c' ? null : { ...given, value: `${String(given.value)}w` };
      },
    }),
  };
  const predicate: PredicatePlugin = {
    type: 'predicate',
    config: [],
    create: () => ({
      configure: () => undefined,
      test: (given) => {
        tests.require(given);
        return true;
      },
    }),
  };
  return [
    { description: described('transformation', 'Copying'), plugin: copying },
    { description: described('transformation', 'Waiting'), plugin: waiting },
    { description: described('predicate', 'Test'), plugin: predicate },
  ];
}

const CHAIN = {
  transforms: 'a,w,b',
  'transforms.a.type': 'com.acme.Copying',
  'transforms.w.type': 'com.acme.Waiting',
  'transforms.w.predicate': 'p',
  'transforms.b.type': 'com.acme.Copying',
  predicates: 'p',
  'predicates.p.type': 'com.acme.Test',
};
const away = (): Promise<never> => Promise.reject(new RetriableError('the process is away', { code: 'AWAY' }));
const ready = async (): Promise<void> => undefined;
const hang = (): Promise<never> => new Promise(() => undefined);
const fail = (): never => {
  throw new RetriableError('not now');
};

function start(
  kind: 'source' | 'sink',
  connector: Connector,
  transforms: Waiting,
  tests = new Waiting(),
  config: Record<string, string> = {},
): { runner: TaskRunner; listener: RecordingListener; w: World } {
  const w = world(connector, { 'offset.flush.interval.ms': '60000' }, installed(transforms, tests));
  const listener = new RecordingListener();
  const runner = new TaskRunner(spec(kind, { ...CHAIN, ...config }), w, listener);
  if (kind === 'sink') {
    w.consumer.positions.set('t-0', 0);
    w.consumer.assign(T0);
  }
  runner.start();
  return { runner, listener, w };
}
async function stop(runner: TaskRunner): Promise<void> {
  runner.stop();
  await runner.done;
}

describe('a source', () => {
  const source = (): Connector => sourceOf(new ScriptedSource([[record(1), record(9), record(3)]]));

  test('waits at the step, which then gets the very same record; order and filters stay', async () => {
    const transforms = new Waiting();
    const tests = new Waiting();
    const { runner, w } = start('source', source(), transforms, tests);
    await eventually(() => w.producer.sent.length === 2);
    await stop(runner);
    expect(w.producer.values()).toEqual(['v1cwc', 'v3cwc']);
    expect([transforms.calls, tests.calls]).toEqual([6, 9]);
    expect(w.offsets.of(PARTITION)).toEqual({ n: 3 });
  });

  test('says in its condition that it waits, and goes on', async () => {
    const { runner, listener, w } = start('source', source(), new Waiting([away]));
    await eventually(() => w.producer.sent.length === 2 && listener.conditions.at(-1)?.problem === null);
    await stop(runner);
    expect(listener.conditions[0]?.problem).toMatchObject({ kind: 'retrying', code: 'AWAY' });
  });

  test('stops and pauses at once while it waits; after the pause the record is transformed', async () => {
    const answers: Answer[] = [ready, () => new Promise(() => undefined)];
    const { runner, listener, w } = start('source', source(), new Waiting(answers));
    await eventually(() => answers.length === 0);
    runner.pause();
    await listener.until('paused c-0');
    expect(w.producer.values()).toEqual(['v1cwc']);
    answers.push(ready, () => new Promise(() => undefined));
    runner.resume();
    await eventually(() => answers.length === 0);
    await stop(runner);
    expect(listener.events).toEqual(['running c-0', 'paused c-0', 'resumed c-0', 'stopped c-0']);
    expect(w.offsets.of(PARTITION)).toEqual({ n: 9 });
  });

  test('a call that does not return is named in the condition and in the log; the task stops at once', async () => {
    const waiting = new Waiting([hang], 'apply() of com.acme.Lookup (w)');
    const begun = Date.now();
    const { runner, listener, w } = start('source', source(), waiting);
    await eventually(() => listener.conditions.length > 0);
    await stop(runner);
    const { problem } = listener.conditions[0] ?? {};
    expect(problem).toMatchObject({
      kind: 'retrying',
      code: 'CONVERTER_NOT_READY',
      reason: 'apply() of com.acme.Lookup (w) has not returned: the task waits for it.',
    });
    // Since the call began, not since it was slow.
    expect((problem?.since ?? 0) - begun).toBeLessThan(5_000);
    expect(w.logger.lines.join()).toContain('apply() of com.acme.Lookup (w) has not returned for 5 s');
    expect(listener.events).toEqual(['running c-0', 'stopped c-0']);
  });

  test('stops and pauses at once while another attempt at a failed record waits', async () => {
    const answers: Answer[] = [fail, hang];
    const retries = { 'errors.retry.timeout': '-1' };
    const { runner, listener, w } = start('source', source(), new Waiting(answers), new Waiting(), retries);
    await eventually(() => answers.length === 0);
    runner.pause();
    await listener.until('paused c-0');
    answers.push(fail, hang);
    runner.resume();
    await eventually(() => answers.length === 0);
    await stop(runner);
    expect(listener.events).toEqual(['running c-0', 'paused c-0', 'resumed c-0', 'stopped c-0']);
    expect(w.producer.sent).toEqual([]);
  });

  test('settings that another attempt learns to be wrong fail the task, whatever the tolerance', async () => {
    const deny = (): Promise<never> => Promise.reject(new ConfigError('no class of that name'));
    const config = { 'errors.tolerance': 'all', 'errors.retry.timeout': '-1' };
    const { listener, w } = start('source', source(), new Waiting([fail, deny]), new Waiting(), config);
    await listener.until('failed c-0');
    expect(listener.trace).toContain('no class of that name');
    expect(w.producer.sent).toEqual([]);
  });

  test('another error is the failure of its record; of the settings, that of the task', async () => {
    const refuse = (): Promise<never> => Promise.reject(new DataError('no such field'));
    const tolerant = { 'errors.tolerance': 'all', 'errors.log.enable': 'true' };
    const first = start('source', source(), new Waiting([refuse]), new Waiting(), tolerant);
    await eventually(() => first.w.producer.sent.length === 1);
    await stop(first.runner);
    expect(first.w.producer.values()).toEqual(['v3cwc']);
    expect(first.w.logger.lines.join()).toContain("Executing stage 'TRANSFORMATION' with class 'com.acme.Waiting'");

    const deny = (): Promise<never> => Promise.reject(new ConfigError('no class of that name'));
    const second = start('source', source(), new Waiting([deny]), new Waiting(), tolerant);
    await second.listener.until('failed c-0');
    expect(second.listener.trace).toContain('no class of that name');
    expect(second.w.producer.sent).toEqual([]);
  });
});

describe('a sink', () => {
  test('waits at the step; order and filters stay', async () => {
    const sink = new ScriptedSink();
    const transforms = new Waiting([away]);
    const { runner, w } = start('sink', sinkOf(sink), transforms);
    w.consumer.next([batch('t', 0, 0, ['v1', 'v9', 'v3'])]);
    await eventually(() => sink.records.length === 2);
    await stop(runner);
    expect(sink.values()).toEqual(['v1cwc', 'v3cwc']);
    expect(transforms.calls).toBe(7);
    expect(w.consumer.commits.at(-1)).toEqual([expect.objectContaining({ ...T0, offset: 3 })]);
  });

  test('pauses at once: puts what is transformed, and consumes the rest again', async () => {
    const sink = new ScriptedSink();
    const answers: Answer[] = [ready, () => new Promise(() => undefined)];
    const { runner, listener, w } = start('sink', sinkOf(sink), new Waiting(answers));
    w.consumer.next([batch('t', 0, 0, ['v1', 'v2'])]);
    await eventually(() => answers.length === 0);
    runner.pause();
    await listener.until('paused c-0');
    await eventually(() => sink.records.length === 1);
    expect(w.consumer.position(T0)).toBe(1);
    runner.resume();
    await listener.until('resumed c-0');
    w.consumer.next([batch('t', 0, 1, ['v2'])]);
    await eventually(() => sink.records.length === 2);
    await stop(runner);
    expect(sink.values()).toEqual(['v1cwc', 'v2cwc']);
  });

  test('polls in time while it waits, and stops at once', async () => {
    const sink = new ScriptedSink();
    const config = { 'consumer.override.max.poll.interval.ms': '200' };
    const { runner, listener, w } = start('sink', sinkOf(sink), new Waiting([hang, hang]), new Waiting(), config);
    w.consumer.next([batch('t', 0, 0, ['v1'])]);
    await eventually(() => w.consumer.seeks.some(({ offset }) => offset === 0));
    w.consumer.next([batch('t', 0, 0, ['v1'])]);
    await stop(runner);
    expect(listener.events).toEqual(['running c-0', 'stopped c-0']);
    expect(w.consumer.commits.flat().filter(({ offset }) => offset > 0)).toEqual([]);
  });
});
