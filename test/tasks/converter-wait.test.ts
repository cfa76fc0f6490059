/** Tasks whose converters are not ready at once, e.g. because a schema registry has to answer. */
import {
  ConfigError,
  type Connector,
  type Converter,
  ConverterNotReady,
  type ConverterPlugin,
  DataError,
  type RawHeader,
  RetriableError,
  type SchemaAndValue,
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

const away = (): Error => new RetriableError('The registry does not answer.', { code: 'REGISTRY_UNREACHABLE' });
const CLASS = 'com.acme.WaitingConverter';

/** Text; the first conversion of each value waits for the next of these answers. */
class WaitingConverter implements Converter {
  readonly known = new Set<string>();
  readonly headers: (readonly RawHeader[])[] = [];
  calls = 0;

  constructor(private readonly answers: (() => Promise<unknown>)[]) {}

  configure(): void {}
  fromConnectData(_topic: string, _schema: unknown, value: unknown): Uint8Array {
    this.require(String(value));
    return Buffer.from(String(value));
  }
  toConnectData(_topic: string, bytes: Uint8Array | null, headers: readonly RawHeader[] = []): SchemaAndValue {
    const value = Buffer.from(bytes ?? []).toString();
    this.require(value);
    this.headers.push(headers);
    return { schema: null, value };
  }

  private require(value: string): void {
    this.calls++;
    if (this.known.has(value)) return;
    const answer = this.answers.shift() ?? (async () => undefined);
    throw new ConverterNotReady(answer().then(() => this.known.add(value)));
  }
}

function start(
  kind: 'source' | 'sink',
  connector: Connector,
  converter: Converter,
  config: Record<string, string> = {},
): { runner: TaskRunner; listener: RecordingListener; w: World } {
  const plugin: ConverterPlugin = { type: 'converter', config: [], create: () => converter };
  const description = { type: 'converter', class: CLASS, version: '1', aliases: [], taskClass: null, location: 'test' };
  const w = world(connector, { 'offset.flush.interval.ms': '60000' }, [{ description, plugin } as BuiltInPlugin]);
  const listener = new RecordingListener();
  const runner = new TaskRunner(spec(kind, { 'value.converter': CLASS, ...config }), w, listener);
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
  const records = () => [[record(1), record(2), record(3)]];

  test('waits once for each thing that its converter needs, and loses no record and no order', async () => {
    const converter = new WaitingConverter([]);
    const { runner, w } = start('source', sourceOf(new ScriptedSource(records())), converter);
    await eventually(() => w.producer.sent.length === 3);
    await stop(runner);
    expect(w.producer.values()).toEqual(['v1', 'v2', 'v3']);
    expect(w.offsets.of(PARTITION)).toEqual({ n: 3 });
    // The first call for each value, and the one after the wait.
    expect(converter.calls).toBe(6);
  });

  test('waits while a registry is away, says so in its condition, and goes on', async () => {
    const fails = async (): Promise<never> => Promise.reject(away());
    const { runner, listener, w } = start(
      'source',
      sourceOf(new ScriptedSource(records())),
      new WaitingConverter([fails, fails]),
    );
    await eventually(() => w.producer.sent.length === 3);
    await eventually(() => listener.conditions.at(-1)?.problem === null);
    await stop(runner);
    expect(listener.conditions[0]?.problem).toMatchObject({
      kind: 'retrying',
      code: 'REGISTRY_UNREACHABLE',
      reason: 'The registry does not answer.',
    });
    expect(w.logger.lines.filter((line) => /A converter cannot work now, retrying in \d+ ms/.test(line))).toHaveLength(
      2,
    );
    expect(w.producer.values()).toEqual(['v1', 'v2', 'v3']);
    expect(listener.events).toEqual(['running c-0', 'stopped c-0']);
  });

  test.each([
    ['while the converter waits', () => new Promise(() => undefined)],
    ['between two attempts', () => Promise.reject(away())],
  ])('stops at once %s, and keeps what was acknowledged before', async (_when, answer) => {
    let asked = 0;
    const ask = (): Promise<unknown> => {
      asked++;
      return answer();
    };
    const converter = new WaitingConverter([async () => undefined, ask, ask, ask, ask, ask, ask, ask, ask, ask]);
    const { runner, listener, w } = start('source', sourceOf(new ScriptedSource(records())), converter);
    await eventually(() => asked > 0 && w.producer.sent.length === 1);
    await stop(runner);
    expect(listener.events).toEqual(['running c-0', 'stopped c-0']);
    expect(w.offsets.of(PARTITION)).toEqual({ n: 1 });
  });

  test.each([
    ['while the converter waits', () => new Promise(() => undefined)],
    ['between two attempts', () => Promise.reject(away())],
  ])('pauses at once %s, and goes on with the same record', async (_when, answer) => {
    const held: (() => Promise<unknown>)[] = [async () => undefined, answer];
    const converter = new WaitingConverter(held);
    const { runner, listener, w } = start('source', sourceOf(new ScriptedSource(records())), converter);
    await eventually(() => held.length === 0 && w.producer.sent.length === 1);
    runner.pause();
    await listener.until('paused c-0');
    await eventually(() => (listener.conditions.at(-1)?.problem ?? null) === null);
    expect(w.producer.values()).toEqual(['v1']);
    runner.resume();
    await eventually(() => w.producer.sent.length === 3);
    await stop(runner);
    expect(w.producer.values()).toEqual(['v1', 'v2', 'v3']);
    expect(w.offsets.of(PARTITION)).toEqual({ n: 3 });
  });

  test('a long wait is in the condition before anything has failed', async () => {
    let arrives = (): void => undefined;
    const waits = (): Promise<void> => new Promise((resolve) => (arrives = resolve));
    const { runner, listener, w } = start(
      'source',
      sourceOf(new ScriptedSource(records())),
      new WaitingConverter([waits]),
    );
    await eventually(() => listener.conditions.length > 0);
    expect(listener.conditions[0]?.problem).toMatchObject({ kind: 'retrying', code: 'CONVERTER_NOT_READY' });
    arrives();
    await eventually(() => w.producer.sent.length === 3 && listener.conditions.at(-1)?.problem === null);
    await stop(runner);
  });

  test('a schema that is refused is the failure of its record: with tolerance the others arrive', async () => {
    const refuse = async (): Promise<never> =>
      Promise.reject(new DataError('The schema is not compatible.', { code: 'REGISTRY_INCOMPATIBLE' }));
    const config = { 'errors.tolerance': 'all', 'errors.log.enable': 'true' };
    const { runner, w } = start(
      'source',
      sourceOf(new ScriptedSource(records())),
      new WaitingConverter([async () => undefined, refuse]),
      config,
    );
    await eventually(() => w.producer.sent.length === 2);
    await stop(runner);
    expect(w.producer.values()).toEqual(['v1', 'v3']);
    expect(w.logger.lines.join()).toContain("Executing stage 'VALUE_CONVERTER' with class 'com.acme.WaitingConverter'");
    expect(w.offsets.of(PARTITION)).toEqual({ n: 3 });
  });

  test('a converter that may not ask fails the task, whatever the tolerance', async () => {
    const deny = async (): Promise<never> =>
      Promise.reject(new ConfigError('The registry refuses the user.', { code: 'REGISTRY_DENIED' }));
    const { listener, w } = start(
      'source',
      sourceOf(new ScriptedSource(records())),
      new WaitingConverter([async () => undefined, deny]),
      { 'errors.tolerance': 'all' },
    );
    await listener.until('failed c-0');
    expect(listener.trace).toContain('The registry refuses the user.');
    expect(w.producer.values()).toEqual(['v1']);
    expect(w.offsets.of(PARTITION)).toEqual({ n: 1 });
  });
});

describe('a sink', () => {
  const values = ['a', 'b', 'c'];

  test('waits once for each thing that its converter needs, which gets the headers of records', async () => {
    const sink = new ScriptedSink();
    const converter = new WaitingConverter([]);
    const { runner, w } = start('sink', sinkOf(sink), converter);
    const found = batch('t', 0, 0, values);
    const headers = [{ key: '__value_schema_id', value: Buffer.from([1]) }];
    w.consumer.next([{ ...found, records: found.records.map((one) => ({ ...one, headers })) }]);
    await eventually(() => sink.records.length === 3);
    await stop(runner);
    expect(sink.values()).toEqual(values);
    expect(converter.headers).toEqual([headers, headers, headers]);
    expect(converter.calls).toBe(6);
    expect(w.consumer.commits.at(-1)).toEqual([expect.objectContaining({ ...T0, offset: 3 })]);
  });

  test('waits while a registry is away, says so in its condition, and goes on', async () => {
    const sink = new ScriptedSink();
    const fails = async (): Promise<never> => Promise.reject(away());
    const { runner, listener, w } = start('sink', sinkOf(sink), new WaitingConverter([fails, fails]));
    w.consumer.next([batch('t', 0, 0, values)]);
    await eventually(() => sink.records.length === 3);
    await eventually(() => listener.conditions.at(-1)?.problem === null);
    await stop(runner);
    expect(listener.conditions[0]?.problem).toMatchObject({ kind: 'retrying', code: 'REGISTRY_UNREACHABLE' });
    expect(sink.values()).toEqual(values);
  });

  test('stops at once while the converter waits, and commits only what was put', async () => {
    const sink = new ScriptedSink();
    let asked = false;
    const hang = (): Promise<unknown> => {
      asked = true;
      return new Promise(() => undefined);
    };
    const { runner, listener, w } = start('sink', sinkOf(sink), new WaitingConverter([hang]));
    w.consumer.next([batch('t', 0, 0, values)]);
    await eventually(() => asked);
    await stop(runner);
    expect(listener.events).toEqual(['running c-0', 'stopped c-0']);
    expect(sink.values()).toEqual([]);
    expect(w.consumer.commits.flat().filter(({ offset }) => offset > 0)).toEqual([]);
  });

  test.each([
    ['while the converter waits', () => new Promise(() => undefined)],
    ['between two attempts', () => Promise.reject(away())],
  ])('pauses at once %s: puts what is converted, and consumes the rest again', async (_when, answer) => {
    const sink = new ScriptedSink();
    const held: (() => Promise<unknown>)[] = [async () => undefined, answer];
    const { runner, listener, w } = start('sink', sinkOf(sink), new WaitingConverter(held));
    w.consumer.assign({ topic: 't', partition: 1 });
    w.consumer.next([batch('t', 0, 0, values), batch('t', 1, 7, ['d']), batch('t', 0, 3, ['e'])]);
    await eventually(() => held.length === 0);
    runner.pause();
    await listener.until('paused c-0');
    await eventually(() => (listener.conditions.at(-1)?.problem ?? null) === null);
    expect(sink.values()).toEqual(['a']);
    expect([w.consumer.position(T0), w.consumer.position({ topic: 't', partition: 1 })]).toEqual([1, 7]);
    await eventually(() => w.consumer.commits.flat().some(({ partition, offset }) => partition === 0 && offset === 1));
    runner.resume();
    await listener.until('resumed c-0');
    w.consumer.next([batch('t', 0, 1, ['b', 'c', 'e']), batch('t', 1, 7, ['d'])]);
    await eventually(() => sink.records.length === 5);
    await stop(runner);
    expect(sink.values()).toEqual(['a', 'b', 'c', 'e', 'd']);
    expect(w.logger.lines.join()).not.toContain('is read again from offset');
    expect(w.consumer.commits.at(-1)).toEqual(expect.arrayContaining([expect.objectContaining({ ...T0, offset: 4 })]));
  });

  test('polls in time while a converter waits, and its condition stays', async () => {
    const sink = new ScriptedSink();
    const fails = async (): Promise<never> => Promise.reject(away());
    const config = { 'consumer.override.max.poll.interval.ms': '200' };
    const { runner, listener, w } = start(
      'sink',
      sinkOf(sink),
      new WaitingConverter([async () => undefined, fails, fails, fails, fails, fails, fails]),
      config,
    );
    w.consumer.next([batch('t', 0, 0, values)]);
    for (let poll = 0; poll < 3; poll++) {
      await eventually(() => w.consumer.seeks.length > poll);
      w.consumer.next([batch('t', 0, 1, ['b', 'c'])]);
    }
    await eventually(() => listener.conditions.length > 0);
    expect(listener.conditions).toEqual([
      expect.objectContaining({ problem: expect.objectContaining({ code: 'REGISTRY_UNREACHABLE' }) }),
    ]);
    expect(sink.values()).toEqual(['a']);
    w.consumer.take('onLost', T0);
    await eventually(() => listener.conditions.at(-1)?.problem === null);
    await stop(runner);
    expect(w.consumer.seeks.every(({ offset }) => offset === 1)).toBe(true);
    expect(w.consumer.commits.flat().every(({ offset }) => offset <= 1)).toBe(true);
  });

  test('an unknown id is the failure of its record: a dead letter, and the others arrive', async () => {
    const sink = new ScriptedSink();
    const unknown = async (): Promise<never> =>
      Promise.reject(new DataError('The registry does not know the id.', { code: 'REGISTRY_UNKNOWN_SCHEMA' }));
    const config = { 'errors.tolerance': 'all', 'errors.deadletterqueue.topic.name': 'dlq' };
    // The converter that failed is found by another call.
    const answers = [async () => undefined, unknown, unknown];
    const { runner, w } = start('sink', sinkOf(sink), new WaitingConverter(answers), config);
    w.consumer.next([batch('t', 0, 0, values)]);
    await eventually(() => sink.records.length === 2 && w.deadLetters.sent.length === 1);
    await stop(runner);
    expect(sink.values()).toEqual(['a', 'c']);
    expect(w.deadLetters.values()).toEqual(['b']);
  });

  test('a converter that may not ask fails the task, whatever the tolerance; records before are put', async () => {
    const sink = new ScriptedSink();
    const deny = async (): Promise<never> =>
      Promise.reject(new ConfigError('The registry refuses the user.', { code: 'REGISTRY_DENIED' }));
    const { listener, w } = start('sink', sinkOf(sink), new WaitingConverter([async () => undefined, deny]), {
      'errors.tolerance': 'all',
    });
    w.consumer.next([batch('t', 0, 0, values)]);
    await listener.until('failed c-0');
    expect(listener.trace).toContain('The registry refuses the user.');
    expect(sink.values()).toEqual(['a']);
  });

  test('a record that the task made itself is reported once its bytes are converted; commits wait for that', async () => {
    const sink = new ScriptedSink();
    let schemaArrives = (): void => undefined;
    const waits = (): Promise<void> => new Promise((resolve) => (schemaArrives = resolve));
    const ready = async (): Promise<void> => undefined;
    const reports: Promise<void>[] = [];
    sink.onPut = ([first]) => {
      if (!first || reports.length > 0) return;
      const own = { ...first, value: 'made' };
      reports.push(sink.context.errantRecordReporter?.report(own, new Error('no')) as Promise<void>);
      sink.context.requestCommit();
    };
    const config = { 'errors.tolerance': 'all', 'errors.deadletterqueue.topic.name': 'dlq' };
    const { runner, w } = start('sink', sinkOf(sink), new WaitingConverter([ready, ready, waits]), config);
    w.consumer.next([batch('t', 0, 0, ['a', 'b'])]);
    await eventually(() => sink.flushed.length > 0);
    expect(w.consumer.commits.flat().filter(({ offset }) => offset > 0)).toEqual([]);
    expect(w.deadLetters.sent).toEqual([]);
    schemaArrives();
    await Promise.all(reports);
    await stop(runner);
    expect(w.deadLetters.values()).toEqual(['made']);
    expect(w.consumer.commits.at(-1)).toEqual([expect.objectContaining({ ...T0, offset: 2 })]);
  });

  test('a record that the task made itself, and that cannot be converted, fails the task and stays uncommitted', async () => {
    const sink = new ScriptedSink();
    const ready = async (): Promise<void> => undefined;
    const refuse = async (): Promise<never> => Promise.reject(new DataError('The schema is not compatible.'));
    sink.onPut = ([first]) => {
      if (first) sink.context.errantRecordReporter?.report({ ...first, value: 'made' }, new Error('no')).catch(() => 0);
    };
    const config = { 'errors.tolerance': 'all', 'errors.deadletterqueue.topic.name': 'dlq' };
    const { listener, w } = start('sink', sinkOf(sink), new WaitingConverter([ready, refuse]), config);
    w.consumer.next([batch('t', 0, 0, ['a'])]);
    await listener.until('failed c-0');
    expect(listener.trace).toContain('The schema is not compatible.');
    expect(w.consumer.commits.flat().filter(({ offset }) => offset > 0)).toEqual([]);
  });
});
