/**
 * What the code of a plugin may do wrong, each case in the runtime and in the test kit: the same words, but for the
 * class of the connector.
 */
import {
  schema,
  structSchema,
  type SinkConnector,
  type SourceConnector,
  type SourceRecord,
  type SourceTask,
} from '@millrace/sdk';
import { checkConfig, runSourceTask, SinkTaskHarness } from '@millrace/sdk/testing';
import { TaskRunner } from '../../src/tasks/task-runner';
import { batch, eventually, record, RecordingListener, sourceOf, spec, world } from '../tasks/fakes';
import { notArrays, wrongRecords } from './poll-faults';

const CLASS = 'com.acme.Test';

/** The first line of the trace, without the Java class and the details. */
function sentence(trace: string): string {
  return (trace.split('\n', 1)[0] as string).replace(/^[\w.$]+: /, '').replace(/ \[code: .*\]$/, '');
}

async function failureOf(connector: SourceConnector, config: Record<string, string> = {}) {
  const w = world(connector);
  const listener = new RecordingListener();
  const runner = new TaskRunner(spec('source', config), w, listener);
  runner.start();
  await listener.until('failed c-0');
  await runner.done;
  return { sentence: sentence(listener.trace), trace: listener.trace, retriable: listener.retriable, w };
}

async function kitFailureOf(connector: SourceConnector): Promise<string> {
  return await runSourceTask(connector, {}, { until: 1 }).then(
    () => 'accepted',
    (error: Error) => error.message.replaceAll('the connector', CLASS),
  );
}

/** A source whose first polls return these. */
function polling(...results: unknown[]): SourceConnector {
  const task: SourceTask = {
    start: () => undefined,
    poll: async () => (results.length > 0 ? results.shift() : null) as never,
    stop: () => undefined,
  };
  return sourceOf(task);
}

const promise = Promise.resolve(1);
class Row {}

describe('poll', () => {
  test.each(notArrays('t'))('returns %s instead of an array', async (_name, result, kind) => {
    const text = `poll() of ${CLASS} returned ${kind}: expected an array of records, or null for none.`;
    const { sentence, trace, retriable, w } = await failureOf(polling(result));
    expect(sentence).toBe(text);
    expect(trace).toContain('[code: POLL_RESULT]');
    expect(retriable).toBe(false);
    expect(w.producer.sent).toEqual([]);
    expect(await kitFailureOf(polling(result))).toBe(text);
  });

  test('may return undefined, null and an empty array', async () => {
    const { records } = await runSourceTask(polling(undefined, null, [], [record(1)]), {}, { until: 1 });
    expect(records).toHaveLength(1);
    const w = world(polling(undefined, null, [], [record(1)]));
    const runner = new TaskRunner(spec('source'), w, new RecordingListener());
    runner.start();
    await eventually(() => w.producer.sent.length === 1);
    runner.stop();
    await runner.done;
  });
});

describe('a record of poll', () => {
  test.each(wrongRecords('t'))('connect-runtime 74: %s', async (_name, wrong, topic, reason) => {
    const text = (position: number): string =>
      `poll() of ${CLASS} returned an invalid record ${position}${topic}: ${reason}.`;
    const batch = [record(1), wrong];
    // Failures of the plugin's code are not tolerated.
    const { sentence, trace, retriable, w } = await failureOf(polling(batch), { 'errors.tolerance': 'all' });
    expect(sentence).toBe(text(1));
    expect(trace).toMatch(/\[code: (SOURCE_RECORD_INVALID|OFFSET_NOT_PRIMITIVE), record: 1\]/);
    expect(retriable).toBe(false);
    expect(w.producer.sent).toEqual([]);
    expect(w.offsets.writes).toEqual([]);
    expect(await kitFailureOf(polling(batch))).toBe(text(1));
    // The test kit counts the records of the run.
    expect(await kitFailureOf(polling([], [wrong]))).toBe(text(0));
  });

  test.each(['a b', '.', '..', 'ä', 'x'.repeat(250), 'server/table'])('has the topic %s', async (topic) => {
    const text = `${JSON.stringify(topic)} is not a valid topic name: use 1 to 249 letters, digits, dots, underscores and dashes, or rename the topic with a transformation.`;
    const { sentence, trace, w } = await failureOf(polling([record(1, { topic })]));
    expect(sentence).toBe(text);
    expect(trace).toContain('TOPIC_NAME_INVALID');
    expect(w.producer.sent).toEqual([]);
    expect(await kitFailureOf(polling([record(1, { topic })]))).toBe(text);
    const renamed = { transforms: 'r', 'transforms.r.type': 'org.apache.kafka.connect.transforms.RegexRouter' };
    const router = { ...renamed, 'transforms.r.regex': '.*', 'transforms.r.replacement': 'good' };
    const good = world(polling([record(1, { topic })]));
    const runner = new TaskRunner(spec('source', router), good, new RecordingListener());
    runner.start();
    await eventually(() => good.producer.sent.length === 1);
    runner.stop();
    await runner.done;
  });

  test('a value that does not fit its schema is a record that cannot be converted', async () => {
    const wrong = { ...record(1), valueSchema: structSchema([['n', schema('INT32')]]), value: { n: 'x' } };
    const json = { 'value.converter': 'org.apache.kafka.connect.json.JsonConverter' };
    const { trace } = await failureOf(polling([wrong]), json);
    expect(trace).toContain('field "n": its schema is INT32 but the value is a string');
    expect(await kitFailureOf(polling([wrong]))).toContain('field "n": its schema is INT32 but the value is a string');
  });

  test.each<[string, object, string]>([
    ['Promise', { value: { a: promise } }, 'field "a": a Promise is not a Connect value'],
    ['Set', { value: { a: new Set() } }, 'field "a": a Set is not a Connect value'],
    ['Error', { value: { a: [new TypeError('x')] } }, 'field "a.0": a TypeError is not a Connect value'],
    [
      'Promise for a struct',
      {
        valueSchema: structSchema([['a', structSchema([['b', schema('INT8', { optional: true })]])]]),
        value: { a: promise },
      },
      'field "a": its schema is STRUCT but the value is a Promise',
    ],
  ])('a %s inside of a value is not written as {}', async (_name, over, reason) => {
    const wrong = { ...record(1), valueSchema: null, ...over } as SourceRecord;
    const json = { 'value.converter': 'org.apache.kafka.connect.json.JsonConverter' };
    const { trace, w } = await failureOf(polling([wrong]), json);
    expect(trace).toContain(reason);
    expect(w.producer.sent).toEqual([]);
    expect(await kitFailureOf(polling([wrong]))).toContain(reason);
  });

  test('may have null partitions and offsets, objects of a class as value, shared and frozen parts', async () => {
    const good = [
      record(1, { sourcePartition: null, sourceOffset: null, headers: null }),
      record(2, {
        sourceOffset: { a: 1n, b: Buffer.from('x'), c: null, d: true, e: 1.5 },
        partition: 0,
        timestamp: -1,
      }),
      record(3, { value: Object.assign(new Row(), { a: 1 }), valueSchema: null, headers: Object.freeze([]) }),
    ];
    expect((await runSourceTask(polling(good), {}, { until: 3 })).records).toHaveLength(3);
    const w = world(polling(good), { 'value.converter': 'org.apache.kafka.connect.json.JsonConverter' });
    const runner = new TaskRunner(spec('source'), w, new RecordingListener());
    runner.start();
    await eventually(() => w.producer.sent.length === 3);
    runner.stop();
    await runner.done;
  });
});

test.each<[string, unknown, string]>([
  ['nothing', undefined, 'undefined'],
  ['a Promise', Promise.resolve({}), 'a Promise'],
  ['a class', class {}, 'a function'],
  ['a task without poll', { start() {}, stop() {} }, 'an object without the method poll()'],
])('createTask returns %s', async (_name, task, kind) => {
  const connector: SourceConnector = { type: 'source', config: [], createTask: () => task as SourceTask };
  const text = `createTask() of ${CLASS} returned ${kind}: expected a source task, with the methods start, poll, stop.`;
  expect((await failureOf(connector)).sentence).toBe(text);
  expect(await kitFailureOf(connector)).toBe(text);
});

test('storeOffset with an offset that cannot be stored', async () => {
  const storing = (): SourceConnector =>
    sourceOf({
      start: async (_config, context) => await context.storeOffset({ p: 1 }, { n: {} as never }),
      poll: async () => null,
      stop: () => undefined,
    });
  const text = `context.storeOffset() in ${CLASS} was called with an invalid offset: member "n" of the source offset is an object, which is not`;
  expect((await failureOf(storing())).sentence).toContain(text);
  expect(await kitFailureOf(storing())).toContain(text);
});

describe('preCommit', () => {
  const sink = (result: unknown): SinkConnector => ({
    type: 'sink',
    config: [],
    createTask: () => ({
      start: () => undefined,
      put: () => undefined,
      preCommit: async () => result as never,
      stop: () => undefined,
    }),
  });
  test.each<[string, unknown, string]>([
    [
      'undefined',
      undefined,
      'undefined: expected an array of { topic, partition, offset }, which is empty to commit nothing',
    ],
    ['a Map', new Map(), 'a Map: expected an array of { topic, partition, offset }, which is empty to commit nothing'],
    ['a list of numbers', [1], 'a number at position 0: expected { topic, partition, offset }'],
    ['no topic', [{ partition: 0, offset: 1 }], 'undefined as topic at position 0: expected a string'],
    [
      'a text as partition',
      [{ topic: 't', partition: '0', offset: 1 }],
      'a string as partition at position 0: expected a whole number of 0 or more',
    ],
    [
      'NaN',
      [{ topic: 't', partition: 0, offset: NaN }],
      'NaN as offset at position 0: expected a whole number of 0 or more',
    ],
    [
      'a negative offset',
      [{ topic: 't', partition: 0, offset: -1 }],
      '-1 as offset at position 0: expected a whole number of 0 or more',
    ],
  ])('returns %s', async (_name, result, problem) => {
    const text = `preCommit() of ${CLASS} returned ${problem}.`;
    const w = world(sink(result), { 'offset.flush.interval.ms': '1' });
    const listener = new RecordingListener();
    const runner = new TaskRunner(spec('sink', { topics: 't' }), w, listener);
    w.consumer.positions.set('t-0', 0);
    w.consumer.assign({ topic: 't', partition: 0 });
    w.consumer.next([batch('t', 0, 0, ['a'])]);
    runner.start();
    await listener.until('failed c-0');
    await runner.done;
    expect(sentence(listener.trace)).toBe(text);
    expect(listener.trace).toContain('PRE_COMMIT_RESULT');
    expect(w.consumer.commits).toEqual([]);
    const harness = await SinkTaskHarness.start(sink(result), { topics: 't' });
    await harness.put([{ value: 'a' }]);
    const error = await harness.commit().then(
      () => null,
      (reason: Error) => reason,
    );
    expect(error?.message.replaceAll('the connector', CLASS)).toBe(text);
  });
});

describe('the test kit', () => {
  const source = (over: object): SourceConnector => ({ ...polling(), ...over });
  test.each<[string, unknown, string]>([
    [
      'a config',
      { a: '1' },
      'taskConfigs() of the connector returned an object: expected an array with a config per task.',
    ],
    [
      'texts',
      ['a'],
      'taskConfigs() of the connector returned a string as the config of task 0: expected an object of strings.',
    ],
    [
      'a number as a value',
      [{ a: 1 }],
      'taskConfigs() of the connector returned a number as "a" in the config of task 0: expected a string.',
    ],
  ])('reports taskConfigs that returns %s', async (_name, configs, text) => {
    const connector = source({ create: () => ({ taskConfigs: () => configs }) });
    await expect(runSourceTask(connector, {})).rejects.toMatchObject({ message: text, code: 'TASK_CONFIGS_RESULT' });
  });

  test('reports create that returns no instance', async () => {
    await expect(runSourceTask(source({ create: async () => ({}) }), {})).rejects.toThrow(
      'create() of the connector returned a Promise: expected an instance, with the method taskConfigs.',
    );
  });

  test.each<[string, unknown, string]>([
    ['a text', 'bad', 'a string: expected an array of { key, message }'],
    ['texts', ['bad'], 'a string at position 0: expected { key, message }, both strings'],
  ])('reports validate that returns %s', async (_name, result, problem) => {
    const text = `validate() of the connector returned ${problem}.`;
    await expect(checkConfig(source({ validate: () => result }), {})).rejects.toThrow(text);
    expect(await checkConfig(source({ validate: () => undefined }), {})).toEqual([]);
  });
});
