/** Sink tasks that take over steps and converters: `takeProcessing` and `process` of the SDK. */
import {
  DataError,
  type ProcessedSinkRecord,
  ProcessingFailure,
  type RecordProcessing,
  RetriableError,
  type SinkRecord,
  type TakenProcessing,
  type TransformationPlugin,
} from '@millrace/sdk';
import type { BuiltInPlugin } from '../../../src/plugins/registry';
import { batch, eventually } from '../fakes';
import { ScriptedSink, start as startTask, stop, T0, T1, type Running } from './sink-fixture';

const ALL = { 'errors.tolerance': 'all' };
const DLQ = {
  'errors.deadletterqueue.topic.name': 'dlq',
  'errors.deadletterqueue.context.headers.enable': 'true',
};
const QUICK = { 'errors.retry.timeout': '-1', 'errors.retry.delay.max.ms': '1' };

class JavaError extends DataError {
  override readonly javaClass = 'com.acme.NoSuchFieldException';
  override stack = 'com.acme.NoSuchFieldException: no x\n\tat com.acme.Smt.apply(Smt.java:7)';
}

type Answer = (record: SinkRecord, at: number) => ProcessedSinkRecord;

class TakingSink extends ScriptedSink {
  taken: TakenProcessing = { steps: 0, converters: true };
  processed: (readonly SinkRecord[])[] = [];
  answer: Answer = (record) => record;
  processing: RecordProcessing | null = null;
  takeProcessing(processing: RecordProcessing): TakenProcessing {
    this.log.push('take');
    this.processing = processing;
    return this.taken;
  }
  async process(records: readonly SinkRecord[]): Promise<readonly ProcessedSinkRecord[]> {
    this.processed.push(records);
    return records.map((record, at) => this.answer(record, at));
  }
  release(): void {
    this.log.push('release');
  }
}

const upper: BuiltInPlugin = {
  description: {
    type: 'transformation',
    class: 'com.acme.Upper',
    version: '1',
    aliases: [],
    taskClass: null,
    location: 'test',
  },
  plugin: {
    type: 'transformation',
    config: [],
    create: () => ({
      configure: () => undefined,
      apply: (record) => {
        if (record.value === 'bad') throw new DataError('bad value');
        return record.value === 'drop' ? null : { ...record, value: String(record.value).toUpperCase() };
      },
    }),
  } satisfies TransformationPlugin,
};

const start = (task: TakingSink, config: Record<string, string> = {}): Promise<Running> =>
  startTask(task, config, {}, (w) => {
    const { find, load, list } = w.registry;
    Object.assign(w.registry, {
      list: () => [...list(), upper.description],
      find: (name: string, type: never) => (name === 'com.acme.Upper' ? upper.description : find(name, type)),
      load: async (d: never) => (d === upper.description ? upper.plugin : await load(d)),
    });
  });

const failure = (error: Error, retry?: () => Promise<ProcessedSinkRecord>): ProcessingFailure<never> =>
  new ProcessingFailure(
    'VALUE_CONVERTER',
    'com.acme.Conv',
    error,
    (retry ?? (() => Promise.reject(error))) as () => Promise<never>,
  );

const committed = ({ consumer }: Running): number | undefined =>
  consumer.commits
    .flat()
    .filter(({ partition }) => partition === 0)
    .at(-1)?.offset;

test('with the converters, process gets the consumed bytes of a batch, and put the very records that it returns', async () => {
  const task = new TakingSink();
  const running = await start(task);
  const fetched = batch('t', 0, 0, ['a', null]);
  (fetched.records[0]?.headers as unknown[]).push({ key: 'h', value: Buffer.from('x') });
  running.consumer.next([fetched]);
  await eventually(() => task.records.length === 2);
  await stop(running);
  expect(task.log[0]).toBe('take');
  expect(task.log.at(-1)).toBe('release');
  const [records] = task.processed as [readonly SinkRecord[]];
  expect(records).toMatchObject([
    {
      topic: 't',
      partition: 0,
      offset: 0,
      originalTopic: 't',
      originalPartition: 0,
      originalOffset: 0,
      keySchema: null,
      key: Buffer.from('k0'),
      valueSchema: null,
      value: Buffer.from('a'),
      timestamp: 1000,
      timestampType: 'CreateTime',
      headers: [{ key: 'h', schema: null, value: Buffer.from('x') }],
    },
    { offset: 1, value: null, headers: [] },
  ]);
  expect(task.records[0]).toBe(records[0]);
  expect(committed(running)).toBe(2);
});

test('filtered records are committed; positions stay those of the consumed records', async () => {
  const task = new TakingSink();
  task.answer = (record, at) =>
    at === 1 ? null : { ...record, topic: 'other', originalTopic: 'x', originalOffset: 99 };
  const running = await start(task);
  running.consumer.next([batch('t', 0, 0, ['a', 'b'])]);
  await eventually(() => task.records.length === 1);
  await stop(running);
  expect(task.records).toMatchObject([{ topic: 'other', originalTopic: 't', originalOffset: 0 }]);
  expect(committed(running)).toBe(2);
});

test('only filtered records: nothing is put, the offsets are committed', async () => {
  const task = new TakingSink();
  task.answer = () => null;
  const running = await start(task);
  running.consumer.next([batch('t', 0, 0, ['a', 'b'])]);
  await eventually(() => task.processed.length === 1);
  await stop(running);
  expect(task.puts).toEqual([]);
  expect(committed(running)).toBe(2);
});

test('a failed record is a dead letter with the consumed bytes and the headers of the Java error', async () => {
  const task = new TakingSink();
  task.answer = (record, at) => (at === 1 ? failure(new JavaError('no x')) : record);
  const running = await start(task, { ...ALL, ...DLQ });
  running.consumer.next([batch('t', 0, 0, ['a', 'b', 'c'])]);
  await eventually(() => task.records.length === 2 && running.w.deadLetters.sent.length === 1);
  await stop(running);
  const [letter] = running.w.deadLetters.sent;
  expect(letter).toMatchObject({ topic: 'dlq', key: 'k1', value: 'b' });
  const headers = Object.fromEntries(letter?.headers ?? []);
  expect(headers).toMatchObject({
    '__connect.errors.topic': 't',
    '__connect.errors.partition': '0',
    '__connect.errors.offset': '1',
    '__connect.errors.stage': 'VALUE_CONVERTER',
    '__connect.errors.class.name': 'com.acme.Conv',
    '__connect.errors.exception.class.name': 'com.acme.NoSuchFieldException',
    '__connect.errors.exception.message': 'no x',
    '__connect.errors.exception.stacktrace':
      'com.acme.NoSuchFieldException: no x\n\tat com.acme.Smt.apply(Smt.java:7)\n',
  });
  expect(committed(running)).toBe(3);
});

test('without tolerance a failed record fails the task at its place: those before it are delivered and committed', async () => {
  const task = new TakingSink();
  task.answer = (record, at) => (at === 2 ? failure(new DataError('no')) : record);
  const running = await start(task);
  running.consumer.next([batch('t', 0, 0, ['a', 'b', 'c', 'd'])]);
  await running.listener.until('failed c-0');
  await running.runner.done;
  expect(running.listener.trace).toContain('VALUE_CONVERTER failed: no.');
  expect(running.listener.trace).toContain('topic: t, partition: 0, offset: 2');
  expect(task.records.map(({ offset }) => offset)).toEqual([0, 1]);
  expect(committed(running)).toBe(2);
  expect(task.log.at(-1)).toBe('release');
});

test('a retriable failure is retried in its place', async () => {
  const task = new TakingSink();
  let calls = 0;
  const original: SinkRecord[] = [];
  task.answer = (record, at) => {
    if (at !== 0) return record;
    original.push(record);
    return failure(new RetriableError('away'), async () =>
      ++calls === 1 ? failure(new RetriableError('still')) : { ...record, value: 'again' },
    );
  };
  const running = await start(task, QUICK);
  running.consumer.next([batch('t', 0, 0, ['a', 'b'])]);
  await eventually(() => task.records.length === 2);
  await stop(running);
  expect(calls).toBe(2);
  expect(task.puts).toEqual([['again', 'b']]);
});

test('a part of the chain: the runtime converts and applies the first steps, then process', async () => {
  const task = new TakingSink();
  task.taken = { steps: 1, converters: false };
  const chain = {
    transforms: 'one,two',
    'transforms.one.type': 'com.acme.Upper',
    'transforms.two.type': 'com.acme.OnlyInJars',
  };
  const running = await start(task, { ...chain, ...ALL, ...DLQ });
  task.answer = (record) => (record.value === 'C' ? failure(new DataError('no')) : record);
  running.consumer.next([batch('t', 0, 0, ['a', 'drop', 'bad', 'c', 'd'])]);
  await eventually(() => task.records.length === 2 && running.w.deadLetters.sent.length === 2);
  await stop(running);
  expect(task.processed.map((records) => records.map(({ value }) => value))).toEqual([['A', 'C', 'D']]);
  expect(task.values()).toEqual(['A', 'D']);
  expect(running.w.deadLetters.values()).toEqual(['bad', 'c']);
  expect(committed(running)).toBe(5);
});

test('a record that fails in the first steps fails the task after those before it are processed and put', async () => {
  const task = new TakingSink();
  task.taken = { steps: 1, converters: false };
  const chain = {
    transforms: 'one,two',
    'transforms.one.type': 'com.acme.Upper',
    'transforms.two.type': 'com.acme.OnlyInJars',
  };
  const running = await start(task, chain);
  running.consumer.next([batch('t', 0, 0, ['a', 'b', 'bad', 'c'])]);
  await running.listener.until('failed c-0');
  await running.runner.done;
  expect(task.values()).toEqual(['A', 'B']);
  expect(committed(running)).toBe(2);
});

test('errant records: the consumed bytes; of a record that the task made itself, its bytes', async () => {
  const task = new TakingSink();
  const running = await start(task, { ...ALL, ...DLQ });
  task.answer = (record) => ({ ...record, value: 'data of the jar' });
  task.onPut = async ([record]) => {
    const { errantRecordReporter: reporter } = task.context;
    await reporter?.report(record as SinkRecord, new DataError('no'));
    await reporter?.report(
      { ...(record as SinkRecord), key: null, value: Buffer.from('own'), headers: [] },
      new DataError('no'),
    );
  };
  running.consumer.next([batch('t', 0, 0, ['a'])]);
  await eventually(() => running.w.deadLetters.sent.length === 2);
  await stop(running);
  expect(running.w.deadLetters.sent.map(({ key, value }) => [key, value])).toEqual([
    ['k0', 'a'],
    [null, 'own'],
  ]);
  expect(committed(running)).toBe(1);
});

test('an own record without bytes cannot be reported', async () => {
  const task = new TakingSink();
  const running = await start(task, { ...ALL, ...DLQ, 'errors.bisect': 'false' });
  task.onPut = async ([record]) => {
    const own = { ...(record as SinkRecord), value: 'text' };
    await task.context.errantRecordReporter?.report(own, new DataError('no'));
  };
  running.consumer.next([batch('t', 0, 0, ['a'])]);
  await running.listener.until('failed c-0');
  expect(running.listener.trace).toContain('REPORTED_RECORD_INVALID');
});

test('retries of put get the same records; process is not called again', async () => {
  const task = new TakingSink();
  task.putErrors = [new RetriableError('later')];
  const running = await start(task);
  running.consumer.next([batch('t', 0, 0, ['a'])]);
  await eventually(() => task.records.length === 1);
  await stop(running);
  expect(task.puts).toEqual([['a'], ['a']]);
  expect(task.processed).toHaveLength(1);
});

test('each partition is processed in turn; a seek consumes again', async () => {
  const task = new TakingSink();
  const running = await start(task);
  running.consumer.next([batch('t', 0, 0, ['a']), batch('t', 1, 5, ['b'])]);
  await eventually(() => task.records.length === 2);
  task.context.seek({ ...T0, offset: 0 });
  running.consumer.next([batch('t', 0, 0, ['a'])]);
  await eventually(() => task.records.length === 3);
  await stop(running);
  expect(task.processed.map((records) => records.map(({ partition, offset }) => [partition, offset]))).toEqual([
    [[T0.partition, 0]],
    [[T1.partition, 5]],
    [[T0.partition, 0]],
  ]);
  expect(running.consumer.seeks).toContainEqual({ ...T0, offset: 0 });
});

test.each([
  ['no list', undefined],
  ['too few results', []],
  ['another value', ['x']],
  ['undefined', [undefined]],
])('process that returns %s fails the task; nothing is committed', async (_case, result) => {
  const task = new TakingSink();
  task.process = async () => result as never;
  const running = await start(task);
  running.consumer.next([batch('t', 0, 0, ['a'])]);
  await running.listener.until('failed c-0');
  expect(running.listener.trace).toContain('PROCESS_RESULT');
  expect(running.consumer.commits.flat()).toEqual([]);
  expect(task.puts).toEqual([]);
});

test('an error of process fails the task; nothing is committed', async () => {
  const task = new TakingSink();
  task.process = () => Promise.reject(new DataError('the session has ended'));
  const running = await start(task);
  running.consumer.next([batch('t', 0, 0, ['a'])]);
  await running.listener.until('failed c-0');
  expect(running.listener.trace).toContain('the session has ended');
  expect(running.consumer.commits.flat()).toEqual([]);
});

test('a task that takes a part without process fails', async () => {
  const task = new TakingSink();
  Object.assign(task, { process: undefined });
  const running = await start(task);
  expect(running.listener.trace).toContain('TAKE_PROCESSING_RESULT');
  expect(task.log).toEqual(['take', 'release']);
});

test('a cancelled task is released at once, which ends a put that hangs', async () => {
  const task = new TakingSink();
  let end: (error: Error) => void = () => undefined;
  task.onPut = () => new Promise((_, reject) => (end = reject));
  const running = await start(task);
  task.release = () => {
    task.log.push('release');
    end(new Error('the session has ended'));
  };
  running.consumer.next([batch('t', 0, 0, ['a'])]);
  await eventually(() => task.puts.length === 1);
  running.runner.stop();
  running.runner.cancel();
  expect(task.log.at(-1)).toBe('release');
  await running.runner.done;
  expect(running.consumer.commits.flat()).toEqual([]);
});
