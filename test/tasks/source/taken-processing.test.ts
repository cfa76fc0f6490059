/** Source tasks that take over steps and converters: `takeProcessing` of the SDK. */
import {
  ConfigError,
  DataError,
  type ProcessedSourceRecord,
  ProcessingFailure,
  type ProcessingTask,
  type RecordProcessing,
  RetriableError,
  type SourceRecord,
  type TakenProcessing,
  type TransformationPlugin,
} from '@millrace/sdk';
import type { BuiltInPlugin } from '../../../src/plugins/registry';
import { TaskRunner } from '../../../src/tasks/task-runner';
import { eventually, PARTITION, RecordingListener, ScriptedSource, sourceOf, spec, world, type World } from '../fakes';
import { Defining, offset, start as startExactlyOnce, stop as stopExactlyOnce } from './exactly-once-task';

const ALL: TakenProcessing = { steps: 0, converters: true };
const bytes = (text: string): Buffer => Buffer.from(text);

function processed(n: number, over: Partial<ProcessedSourceRecord> = {}): ProcessedSourceRecord {
  return {
    sourcePartition: PARTITION,
    sourceOffset: { n },
    topic: 't',
    keySchema: null,
    key: bytes(`k${n}`),
    valueSchema: null,
    value: bytes(`v${n}`),
    outcome: null,
    ...over,
  };
}
const failing = (n: number, error: Error, retry?: () => Promise<ProcessedSourceRecord>): ProcessedSourceRecord =>
  processed(n, {
    topic: '',
    outcome: new ProcessingFailure('TRANSFORMATION', 'com.acme.Smt', error, retry ?? (() => Promise.reject(error))),
  });

class TakingSource extends ScriptedSource {
  readonly seen: [RecordProcessing, ProcessingTask][] = [];
  taken: TakenProcessing | Error | (() => Promise<TakenProcessing>) = ALL;
  takeProcessing(processing: RecordProcessing, task: ProcessingTask): Promise<TakenProcessing> | TakenProcessing {
    this.log.push('take');
    this.seen.push([processing, task]);
    if (this.taken instanceof Error) throw this.taken;
    return typeof this.taken === 'function' ? this.taken() : this.taken;
  }
  release(): void {
    this.log.push('release');
  }
}

/** Adds its text to values, which it needs as text or bytes. */
const suffix: BuiltInPlugin = {
  description: {
    type: 'transformation',
    class: 'com.acme.Suffix',
    version: '1',
    aliases: [],
    taskClass: null,
    location: 'test',
  },
  plugin: {
    type: 'transformation',
    config: [],
    create: () => {
      let text = '';
      return {
        configure: (config) => void (text = config.text ?? ''),
        apply: (record) => ({ ...record, value: bytes(`${String(record.value)}${text}`) }),
      };
    },
  } satisfies TransformationPlugin,
};

function start(
  task: ScriptedSource,
  config: Record<string, string> = {},
  worker: Record<string, string> = {},
): { runner: TaskRunner; listener: RecordingListener; w: World } {
  const w = world(sourceOf(task), worker, [suffix]);
  const listener = new RecordingListener();
  const runner = new TaskRunner(spec('source', config), w, listener);
  runner.start();
  return { runner, listener, w };
}
async function stop(runner: TaskRunner): Promise<void> {
  runner.stop();
  await runner.done;
}

const CHAIN = {
  transforms: 'a,b',
  'transforms.a.type': 'com.acme.OnlyInJars',
  'transforms.a.predicate': 'p',
  'transforms.a.negate': 'true',
  'transforms.a.field': 'x',
  'transforms.b.type': 'com.acme.Suffix',
  'transforms.b.text': '!',
  predicates: 'p',
  'predicates.p.type': 'com.acme.AlsoOnlyInJars',
  'predicates.p.depth': '3',
};

test('the task is asked before its start, with names as configured, settings, predicates and effective converters', async () => {
  const task = new TakingSource([]);
  task.taken = { steps: 2, converters: true };
  const { runner, listener } = start(
    task,
    { ...CHAIN, 'value.converter': 'OnlyInJars', 'value.converter.a': '1' },
    { 'key.converter.b': '2', 'value.converter.c': '3' },
  );
  await listener.until('running c-0');
  await stop(runner);
  expect(task.log.filter((call) => call !== 'commit')).toEqual(['take', 'start', 'stop', 'release']);
  const [processing, of] = task.seen[0] as [RecordProcessing, ProcessingTask];
  expect(processing).toEqual({
    steps: [
      {
        alias: 'a',
        transformation: { name: 'com.acme.OnlyInJars', settings: { type: 'com.acme.OnlyInJars', field: 'x' } },
        predicate: {
          alias: 'p',
          name: 'com.acme.AlsoOnlyInJars',
          settings: { type: 'com.acme.AlsoOnlyInJars', depth: '3' },
        },
        negate: true,
      },
      {
        alias: 'b',
        transformation: { name: 'com.acme.Suffix', settings: { type: 'com.acme.Suffix', text: '!' } },
        predicate: null,
        negate: false,
      },
    ],
    key: {
      name: 'org.apache.kafka.connect.storage.StringConverter',
      settings: { b: '2', 'converter.type': 'key' },
    },
    value: { name: 'OnlyInJars', settings: { a: '1', 'converter.type': 'value' } },
    header: {
      name: 'org.apache.kafka.connect.storage.SimpleHeaderConverter',
      settings: { 'converter.type': 'header' },
    },
  });
  expect(of).toMatchObject({ connector: 'c', task: 0, config: { name: 'c' }, connectorConfig: { transforms: 'a,b' } });
});

test('bytes of key, value and headers pass as they are; null stays null; -1 is no timestamp', async () => {
  const headers = [
    { key: 'h', schema: null, value: bytes('x') },
    { key: 'h', schema: null, value: null },
  ];
  const task = new TakingSource([
    [processed(1, { headers, timestamp: 7, partition: 3 }), processed(2, { key: null, value: null, timestamp: -1 })],
  ]);
  const { runner, w } = start(task);
  await eventually(() => w.producer.sent.length === 2);
  await stop(runner);
  expect(w.producer.sent).toMatchObject([
    {
      topic: 't',
      key: 'k1',
      value: 'v1',
      headers: [
        ['h', 'x'],
        ['h', null],
      ],
      timestamp: 7,
      partition: 3,
    },
    { key: null, value: null, headers: [], timestamp: null },
  ]);
  expect(w.offsets.of(PARTITION)).toEqual({ n: 2 });
});

test('steps without the converters: chain and converters of the runtime follow', async () => {
  const task = new TakingSource([[processed(1, { key: 'k', value: 'v' }), processed(2, { outcome: 'filtered' })]]);
  task.taken = { steps: 1, converters: false };
  const byteValues = { 'value.converter': 'org.apache.kafka.connect.converters.ByteArrayConverter' };
  const { runner, w } = start(task, { ...CHAIN, ...byteValues });
  await eventually(() => w.offsets.of(PARTITION) !== undefined || w.producer.sent.length === 1);
  await stop(runner);
  expect(w.producer.sent).toMatchObject([{ key: 'k', value: 'v!' }]);
  expect(w.offsets.of(PARTITION)).toEqual({ n: 2 });
});

test('nothing is taken: the records are ordinary ones, and need no outcome', async () => {
  const task = new TakingSource([[{ ...processed(1, { key: 'k', value: 'v' }), outcome: undefined } as never]]);
  task.taken = { steps: 0, converters: false };
  const { runner, w } = start(task);
  await eventually(() => w.producer.sent.length === 1);
  await stop(runner);
  expect(w.producer.values()).toEqual(['v']);
});

test('filtered records are skipped in their place: offset stored, commitRecord without metadata', async () => {
  const task = new TakingSource([
    [processed(1), processed(2, { outcome: 'filtered', topic: null as never }), processed(3)],
  ]);
  const heard: unknown[] = [];
  const { takeProcessing } = task;
  task.takeProcessing = (...given) => {
    // May be set here: the class decides it.
    task.commitRecord = (record, metadata) => void heard.push([record.sourceOffset?.n, metadata?.offset ?? null]);
    return takeProcessing.apply(task, given);
  };
  const { runner, w } = start(task);
  await eventually(() => heard.length === 3);
  await stop(runner);
  expect(w.producer.values()).toEqual(['v1', 'v3']);
  expect(new Map(heard as [number, unknown][])).toEqual(
    new Map([
      [1, 0],
      [2, null],
      [3, 1],
    ]),
  );
  expect(w.offsets.of(PARTITION)).toEqual({ n: 3 });
});

test('a failed record fails the task with stage, class and cause; those before it are delivered', async () => {
  const task = new TakingSource([[processed(1), failing(2, new DataError('no such field')), processed(3)]]);
  const { listener, runner, w } = start(task);
  await listener.until('failed c-0');
  await runner.done;
  expect(listener.trace).toContain(
    'Tolerance exceeded in error handler: TRANSFORMATION with com.acme.Smt failed: no such field.',
  );
  expect(listener.trace).toContain('Caused by: org.apache.kafka.connect.errors.DataException: no such field');
  expect(w.producer.values()).toEqual(['v1']);
  expect(w.offsets.of(PARTITION)).toEqual({ n: 1 });
  expect(task.log.at(-1)).toBe('release');
});

test('a tolerated failure is logged and skipped, in its place', async () => {
  const task = new TakingSource([[processed(1), failing(2, new DataError('no')), processed(3)]]);
  const logged = { 'errors.tolerance': 'all', 'errors.log.enable': 'true', 'errors.log.include.messages': 'true' };
  const { runner, w } = start(task, logged);
  await eventually(() => w.producer.sent.length === 2);
  await stop(runner);
  expect(w.producer.values()).toEqual(['v1', 'v3']);
  const line = w.logger.lines.find((text) =>
    text.includes("Executing stage 'TRANSFORMATION' with class 'com.acme.Smt'"),
  );
  expect(line).toContain('sourceOffset={n=2}');
  expect(line).toContain('key=byte[2]');
  expect(w.offsets.of(PARTITION)).toEqual({ n: 3 });
});

test('a retriable failure is retried in its place; what the retry returns is delivered', async () => {
  let calls = 0;
  const retry = async (): Promise<ProcessedSourceRecord> => {
    if (++calls === 1) return failing(2, new RetriableError('still away'));
    return processed(2, { value: bytes('again') });
  };
  const task = new TakingSource([[processed(1), failing(2, new RetriableError('away'), retry), processed(3)]]);
  const { runner, w } = start(task, { 'errors.retry.timeout': '-1', 'errors.retry.delay.max.ms': '1' });
  await eventually(() => w.producer.sent.length === 3);
  await stop(runner);
  expect(calls).toBe(2);
  expect(w.producer.values()).toEqual(['v1', 'again', 'v3']);
});

test('a retry that fails at another stage has retries of its own, and may filter the record', async () => {
  const later: ProcessedSourceRecord = processed(1, {
    outcome: new ProcessingFailure('VALUE_CONVERTER', 'com.acme.Conv', new RetriableError('registry'), async () =>
      processed(1, { outcome: 'filtered' }),
    ),
  });
  const task = new TakingSource([[failing(1, new RetriableError('away'), async () => later), processed(2)]]);
  const { runner, w } = start(task, { 'errors.retry.timeout': '-1', 'errors.retry.delay.max.ms': '1' });
  await eventually(() => w.producer.sent.length === 1);
  await stop(runner);
  expect(w.producer.values()).toEqual(['v2']);
});

test('a stop between two retries ends them; the record is not passed', async () => {
  const task = new TakingSource([[failing(1, new RetriableError('away'))]]);
  const { runner, listener, w } = start(task, { 'errors.retry.timeout': '-1' });
  await listener.until('running c-0');
  await eventually(() => task.log.length >= 2);
  await stop(runner);
  expect(listener.events).toEqual(['running c-0', 'stopped c-0']);
  expect(w.offsets.of(PARTITION)).toBeUndefined();
});

test.each([
  ['no object', undefined, 'TAKE_PROCESSING_RESULT'],
  ['a count beyond the chain', { steps: 1, converters: false }, 'TAKE_PROCESSING_RESULT'],
  ['no count', { steps: '0', converters: false }, 'TAKE_PROCESSING_RESULT'],
  ['no boolean', { steps: 0, converters: 1 }, 'TAKE_PROCESSING_RESULT'],
  ['a setting that is rejected', new ConfigError('no field'), 'no field'],
])('takeProcessing that returns %s fails the task, which is released', async (_case, taken, text) => {
  const task = new TakingSource([]);
  task.taken = taken as never;
  const { listener, runner, w } = start(task);
  await listener.until('failed c-0');
  await runner.done;
  expect(listener.trace).toContain(text);
  expect(task.log).toEqual(['take', 'release']);
  expect(w.producer.sent).toEqual([]);
});

test('the converters without all steps are refused', async () => {
  const task = new TakingSource([]);
  task.taken = { steps: 1, converters: true };
  const { listener } = start(task, CHAIN);
  await listener.until('failed c-0');
  expect(listener.trace).toContain('the converters without all 2 steps');
});

test('what fails after takeProcessing releases the task, too', async () => {
  const task = new TakingSource([]);
  task.taken = { steps: 0, converters: false };
  const { listener } = start(task, { 'value.converter': 'com.acme.Nowhere' });
  await listener.until('failed c-0');
  expect(task.log).toEqual(['take', 'release']);
});

test.each([
  ['value', processed(1, { value: 'text' })],
  ['key', processed(1, { key: 1 })],
  ['header', processed(1, { headers: [{ key: 'h', schema: null, value: 'text' }] })],
  ['"outcome"', processed(1, { outcome: 'dropped' as never })],
  ['"outcome"', processed(1, { outcome: undefined as never })],
])('a record with an invalid %s fails the task', async (part, record) => {
  const { listener, w } = start(new TakingSource([[record as SourceRecord]]));
  await listener.until('failed c-0');
  expect(listener.trace).toContain('SOURCE_RECORD_INVALID');
  expect(listener.trace).toContain(part);
  expect(w.producer.sent).toEqual([]);
});

test('a cancelled task is released at once, also while takeProcessing or poll hangs', async () => {
  const hanging = new TakingSource([]);
  hanging.taken = () => new Promise(() => undefined);
  const first = start(hanging);
  await eventually(() => hanging.log.includes('take'));
  first.runner.cancel();
  expect(hanging.log).toEqual(['take', 'release']);

  const polling = new TakingSource([]);
  let end: (error: Error) => void = () => undefined;
  polling.poll = () => new Promise((_, reject) => (end = reject));
  polling.release = () => {
    polling.log.push('release');
    end(new Error('the session has ended'));
  };
  const second = start(polling);
  await second.listener.until('running c-0');
  second.runner.stop();
  second.runner.cancel();
  expect(polling.log).toEqual(['take', 'start', 'release']);
  await second.runner.done;
  expect(polling.log).toEqual(['take', 'start', 'release', 'stop']);
});

test('an error of release is logged and ignored', async () => {
  const task = new TakingSource([]);
  task.release = () => {
    throw new Error('twice');
  };
  const { listener, runner, w } = start(task);
  await listener.until('running c-0');
  await stop(runner);
  expect(listener.events).toEqual(['running c-0', 'stopped c-0']);
  expect(w.logger.lines.some((line) => line.startsWith('warn Ignoring an error of release(): twice'))).toBe(true);
});

test('exactly-once: the transactions of the connector end at processed and filtered records', async () => {
  const one = processed(1);
  const two = processed(2, { outcome: 'filtered' });
  const three = processed(3);
  const task = new Defining([
    () => (task.transaction.commitTransaction(two), [one, two, three]),
    () => (task.transaction.commitTransaction(), [processed(4)]),
  ]) as Defining & { takeProcessing: () => TakenProcessing };
  task.takeProcessing = () => ALL;
  const started = startExactlyOnce(task, { 'transaction.boundary': 'connector' });
  await eventually(() => started.w.producer.transactions.length === 5);
  await stopExactlyOnce(started);
  expect(started.w.producer.transactions).toEqual([
    'init',
    'begin',
    `commit v1,${offset(2)}`,
    'begin',
    `commit v3,v4,${offset(4)}`,
  ]);
});
