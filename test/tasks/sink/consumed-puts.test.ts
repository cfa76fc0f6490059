/** Sink tasks that process and put what was fetched in one call: `putConsumed` of the SDK. */
import {
  type ConsumedBatch,
  type ConsumedPut,
  type ConsumedPutOptions,
  DataError,
  type ProcessedSinkRecord,
  ProcessingFailure,
  RetriableError,
  type SinkRecord,
  type TakenProcessing,
} from '@millrace/sdk';
import type { FetchedBatch } from '@millrace/kafka-client';
import { SinkMetrics } from '../../../src/metrics/sink-metrics';
import { SessionLease } from '../../../src/tasks/session-lease';
import { batch, eventually } from '../fakes';
import { ScriptedSink, start, stop, T1, type Running } from './sink-fixture';
import { viewed } from './viewed-batch';

type Answer = (batches: readonly ConsumedBatch[]) => unknown;

const count = (batches: readonly ConsumedBatch[]): number => batches.reduce((sum, b) => sum + b.records.length, 0);
const text = ({ bytes, valueStart, valueEnd }: ConsumedBatch['records'][number]): string =>
  valueStart < 0 ? 'null' : Buffer.from(bytes.subarray(valueStart, valueEnd)).toString();

const takes = (taken: number, left = 0, error: unknown = null): ConsumedPut => ({
  taken,
  left,
  error,
  puts: [{ records: taken, ms: 2 }],
});
const leaves = (left: number, error: unknown = null): ConsumedPut => ({ taken: 0, left, error, puts: [] });

class ConsumingSink extends ScriptedSink {
  taken: TakenProcessing = { steps: 0, converters: true };
  readonly consumed: string[][] = [];
  readonly processed: string[][] = [];
  readonly given: (readonly ConsumedBatch[])[] = [];
  readonly next: (readonly ConsumedBatch[])[] = [];
  answers: Answer[] = [];
  process1: (record: SinkRecord) => ProcessedSinkRecord = (record) => record;

  takeProcessing(): TakenProcessing {
    return this.taken;
  }
  async process(records: readonly SinkRecord[]): Promise<readonly ProcessedSinkRecord[]> {
    this.processed.push(records.map(({ value }) => String(value)));
    return records.map((record) => this.process1(record));
  }
  readonly options: ConsumedPutOptions[] = [];
  async putConsumed(batches: readonly ConsumedBatch[], options: ConsumedPutOptions): Promise<ConsumedPut> {
    this.options.push(options);
    this.next.push(options.next());
    this.given.push(batches);
    this.consumed.push(batches.flatMap(({ records }) => records.map(text)));
    const answer = this.answers.shift();
    return (answer ? answer(batches) : takes(count(batches))) as ConsumedPut;
  }
}

const fails = (error: Error) => (): never => {
  throw error;
};
const committed = ({ consumer }: Running): unknown => consumer.commits.at(-1);
const at = (partition: number, offset: number): unknown => ({ topic: 't', partition, offset });
const two = (): FetchedBatch[] => [viewed(batch('t', 0, 5, ['a', null])), viewed(batch('t', 1, 0, ['c']))];

test('all that one poll returned is put in one call, as it was consumed, and committed', async () => {
  const task = new ConsumingSink();
  const running = await start(task);
  const headers = [{ key: 'h', value: Buffer.from('x') }];
  running.consumer.next([...two(), viewed(batch('t', 0, 7, ['d']), headers)]);
  await eventually(() => task.consumed.length === 1);
  await stop(running);
  expect([task.consumed, task.processed, task.puts]).toEqual([[['a', 'null', 'c', 'd']], [], []]);
  const [first, , last] = task.given[0] as readonly ConsumedBatch[];
  expect(first).toMatchObject({ topic: 't', partition: 0, timestampType: 'CreateTime' });
  expect(first?.records[0]).toMatchObject({ offset: 5, timestamp: 1000, headers: [] });
  expect(last?.records[0]?.headers).toEqual(headers);
  expect(committed(running)).toEqual([at(0, 8), at(1, 1)]);
});

test('the task learns what is fetched already', async () => {
  const task = new ConsumingSink();
  const running = await start(task);
  const [first, second] = two() as [FetchedBatch, FetchedBatch];
  Object.assign(running.consumer, { peek: () => [second] });
  running.consumer.next([first]);
  await eventually(() => task.consumed.length === 1);
  await stop(running);
  const { topic, partition, timestampType, views } = second;
  expect(task.next).toEqual([[{ topic, partition, timestampType, records: views }]]);
  expect(task.next[0]?.[0]?.records).toBe(views);
});

test('metrics count what was consumed, and what was put without filtered records', async () => {
  const task = new ConsumingSink();
  task.answers = [() => ({ ...takes(3), puts: [{ records: 1, ms: 7 }] }), () => leaves(1)];
  const calls = (['put', 'consumed'] as const).map((name) => jest.spyOn(SinkMetrics.prototype, name));
  const running = await start(task);
  running.consumer.next(two());
  await eventually(() => task.consumed.length === 1);
  running.consumer.next([viewed(batch('t', 1, 4, ['d']))]);
  await eventually(() => task.puts.length === 1);
  await stop(running);
  const [puts, consumed] = calls.map(({ mock }) => mock.calls.filter(([records]) => records > 0));
  expect(puts).toEqual([
    [1, 7],
    [1, expect.any(Number)],
  ]);
  expect(consumed).toEqual([
    [2, 7],
    [1, 1],
    [1, 4],
  ]);
});

test('records that are left are processed and put, and committed', async () => {
  const task = new ConsumingSink();
  task.answers = [(batches) => leaves(count(batches))];
  task.process1 = (record) => (String(record.value) === 'c' ? null : record);
  const running = await start(task);
  running.consumer.next(two());
  await eventually(() => task.puts.length === 1);
  running.consumer.next([viewed(batch('t', 1, 1, ['e']))]);
  await eventually(() => task.consumed.length === 2);
  await stop(running);
  expect([task.processed, task.puts]).toEqual([[['a', 'null'], ['c']], [['a', 'null']]]);
  expect(task.consumed[1]).toEqual(['e']);
  expect(committed(running)).toEqual([at(0, 7), at(1, 2)]);
});

test('a failed record is reported and skipped by tolerance', async () => {
  const task = new ConsumingSink();
  task.answers = [(batches) => leaves(count(batches))];
  const error = new DataError('no number');
  task.process1 = (record) =>
    String(record.value) === 'c'
      ? new ProcessingFailure('VALUE_CONVERTER', 'my.Conv', error, () => Promise.reject(error))
      : record;
  const dlq = { 'errors.tolerance': 'all', 'errors.bisect': 'false', 'errors.deadletterqueue.topic.name': 'dlq' };
  const running = await start(task, dlq);
  running.consumer.next(two());
  await eventually(() => running.w.deadLetters.sent.length === 1);
  await stop(running);
  expect(task.puts).toEqual([['a', 'null']]);
  expect(running.w.deadLetters.values()).toEqual(['c']);
  expect(committed(running)).toEqual([at(0, 7), at(1, 1)]);
});

test('after a retriable error the same records are put again, without those of a lost partition', async () => {
  const task = new ConsumingSink();
  task.answers = [() => leaves(3, new RetriableError('later'))];
  task.putErrors = [new RetriableError('later')];
  const running = await start(task);
  running.consumer.next(two());
  running.consumer.next(async () => {
    running.consumer.assigned = running.consumer.assigned.filter(({ partition }) => partition !== 1);
    await running.consumer.listener.onLost([T1]);
  });
  await eventually(() => task.puts.length === 2);
  running.consumer.next([viewed(batch('t', 0, 7, ['f']))]);
  await eventually(() => task.consumed.length === 2);
  await stop(running);
  expect(task.consumed).toEqual([['a', 'null', 'c'], ['f']]);
  expect(task.puts).toEqual([
    ['a', 'null'],
    ['a', 'null'],
  ]);
  expect(committed(running)).toEqual([at(0, 8)]);
});

test('what is neither taken nor left is fetched again', async () => {
  const task = new ConsumingSink();
  task.answers = [() => takes(1, 1)];
  const running = await start(task);
  running.consumer.next([viewed(batch('t', 0, 5, ['a', 'b', 'c'])), viewed(batch('t', 1, 0, ['d', 'e']))]);
  await eventually(() => task.puts.length === 1);
  expect(running.consumer.seeks).toEqual([at(1, 0), at(0, 7)]);
  running.consumer.next([viewed(batch('t', 0, 7, ['c'])), viewed(batch('t', 1, 0, ['d', 'e']))]);
  await eventually(() => task.consumed.length === 2);
  await stop(running);
  expect([task.processed, task.puts]).toEqual([[['b']], [['b']]]);
  expect(committed(running)).toEqual([at(0, 8), at(1, 2)]);
});

test('a partition from which a part is put and a part has failed commits what is put', async () => {
  const task = new ConsumingSink();
  task.answers = [() => takes(1, 1, new RetriableError('later'))];
  task.putErrors = Array.from({ length: 9 }, () => new RetriableError('later'));
  const running = await start(task);
  running.consumer.next([viewed(batch('t', 0, 5, ['a', 'b', 'c']))]);
  await eventually(() => task.puts.length === 1);
  await stop(running);
  expect(committed(running)).toEqual([at(0, 6), at(1, 0)]);
});

test('while puts are fast, polls return up to four times max.poll.records; after a stop, once', async () => {
  const task = new ConsumingSink();
  const running = await start(task, { 'consumer.override.max.poll.records': '2' });
  const times = jest.spyOn(running.consumer, 'poll');
  const asked = (): number | undefined => (times.mock.lastCall as [number, number?] | undefined)?.[1];
  let offset = 0;
  const poll = async (records: number): Promise<void> => {
    const calls = task.consumed.length;
    running.consumer.next([viewed(batch('t', 0, offset, Array.from({ length: records }, String)))]);
    offset += records;
    await eventually(() => task.consumed.length > calls && times.mock.calls.length > 0);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  };
  await poll(2);
  await eventually(() => asked() === 2);
  await poll(3);
  expect(asked()).toBe(2);
  await poll(4);
  await eventually(() => asked() === 4);
  await poll(8);
  expect(asked()).toBe(4);
  task.answers = [() => takes(2)];
  await poll(8);
  await eventually(() => asked() === 1);
  expect(task.options.map(({ most }) => most)).toEqual([2, 2, 2, 2, 2]);
  await stop(running);
});

test('another error fails the task; nothing of it is committed', async () => {
  const task = new ConsumingSink();
  task.answers = [fails(new Error('broken'))];
  const running = await start(task);
  running.consumer.next(two());
  await running.runner.done;
  expect(running.listener.events.join()).toBe('running c-0,failed c-0');
  expect([task.processed, task.puts, running.consumer.commits]).toEqual([[], [], []]);
});

test('a record that the task reports without tolerance fails it; nothing of it is committed', async () => {
  const task = new ConsumingSink();
  task.answers = [
    (batches) => {
      const record = { topic: 't', originalTopic: 't', originalPartition: 0, originalOffset: 5, headers: [] };
      void task.context.errantRecordReporter
        ?.report({ ...record, key: null, value: Buffer.from('a'), timestamp: 1 } as never, new Error('bad'))
        .catch(() => undefined);
      return takes(count(batches));
    },
  ];
  const running = await start(task, { 'errors.log.enable': 'true', 'errors.tolerance': 'none' });
  running.consumer.next(two());
  await running.runner.done;
  expect(running.listener.events.join()).toBe('running c-0,failed c-0');
  expect(running.consumer.commits).toEqual([]);
});

test('records of a topic that was created again are committed from its beginning', async () => {
  const task = new ConsumingSink();
  const running = await start(task);
  running.consumer.next(two());
  await eventually(() => task.consumed.length === 1);
  running.consumer.next([viewed(batch('t', 0, 0, ['new']))]);
  await eventually(() => task.consumed.length === 2);
  await stop(running);
  expect(committed(running)).toEqual([at(0, 1), at(1, 1)]);
});

test.each([
  ['undefined', undefined, 'undefined: expected { taken, left, error, puts }'],
  ['more than there are', takes(4), '4 as "taken": expected 0 to 3'],
  ['more left than there are', takes(1, 3), '3 as "left": expected 0 to 2'],
  ['no puts', { ...takes(3), puts: null }, 'null as "puts": expected an array of { records, ms }'],
  ['more put than taken', { ...takes(1), puts: [{ records: 2, ms: 0 }] }, '2 as "records": expected 0 to 1'],
  ['no time', { ...takes(3), puts: [{ records: 3, ms: NaN }] }, 'no time in milliseconds as "ms"'],
])('%s as its result fails the task', async (_, answer, problem) => {
  const task = new ConsumingSink();
  task.answers = [() => answer];
  const running = await start(task);
  running.consumer.next(two());
  await running.runner.done;
  expect(running.listener.trace).toMatch(/putConsumed\(\) of .* returned /);
  expect(running.listener.trace).toContain(problem);
  expect(running.consumer.commits).toEqual([]);
});

test.each<[string, Partial<ConsumingSink>, Record<string, string>, FetchedBatch[]]>([
  ['converters of the runtime', { taken: { steps: 0, converters: false } }, {}, two()],
  ['records that put rejects are looked for', {}, { 'errors.tolerance': 'all' }, two()],
  ['a consumer without views', {}, {}, [batch('t', 0, 5, ['a'])]],
])('all is put as records with %s', async (_, members, config, fetched) => {
  const task = Object.assign(new ConsumingSink(), members);
  const running = await start(task, config);
  running.consumer.next(fetched);
  await eventually(() => task.puts.length === 1);
  await stop(running);
  expect(task.consumed).toEqual([]);
});

test('connect-runtime 109: nothing is put while the membership may be lost, and all of it later', async () => {
  const lease = new SessionLease(60_000);
  const confirm = (): void => lease.renew({ monotonic: performance.now(), wall: Date.now() });
  confirm();
  const task = new ConsumingSink();
  const running = await start(task, {}, {}, undefined, lease.forWork());
  lease.keepFor(0);
  running.consumer.next(two());
  await new Promise(setImmediate);
  expect(task.consumed).toEqual([]);
  confirm();
  await eventually(() => task.consumed.length === 1);
  await stop(running);
  expect(committed(running)).toEqual([at(0, 7), at(1, 1)]);
});
