/** The metrics of a plugin's task, from the calls of its code to the values that a scrape reads. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { MAX_METRIC_SERIES } from '@millrace/sdk';
import { valueOf as valueAt, type PublishedSeries } from '../../src/metrics/published-series';
import { PublishedMetrics } from '../../src/tasks/published-metrics';
import { RecordingLogger } from './fakes';

const HELP = { help: 'A test.' };
const running: PublishedMetrics[] = [];

function published(): {
  metrics: PublishedMetrics;
  series: PublishedSeries[];
  calls: () => number;
  failed: () => number;
  log: string[];
} {
  const series: PublishedSeries[] = [];
  let calls = 0;
  const logger = new RecordingLogger();
  let failed = 0;
  const metrics = new PublishedMetrics(
    (added) => {
      calls++;
      series.push(...added);
    },
    (records) => (failed += records),
    logger,
  );
  running.push(metrics);
  return { metrics, series, failed: () => failed, calls: () => calls, log: logger.lines };
}
const valueOf = (series: PublishedSeries): number => valueAt(series, Date.now());
const values = (series: readonly PublishedSeries[]): [string, number][] =>
  series.map((one) => [one.name, valueOf(one)]);

beforeEach(() => jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick'] }));
afterEach(() => {
  for (const metrics of running.splice(0)) metrics.end();
  jest.useRealTimers();
});

test('values are read in shared memory, and all metrics added together are one message', async () => {
  const { metrics, series, calls } = published();
  const rows = metrics.counter('rows', { ...HELP, labels: { table: 'public.a' } });
  const size = metrics.gauge('size', HELP);
  rows.add();
  await Promise.resolve();
  expect(calls()).toBe(1);
  expect(values(series)).toEqual([
    ['rows', 1],
    ['size', NaN],
  ]);
  rows.add(5);
  size.set(7);
  expect(values(series)).toEqual([
    ['rows', 6],
    ['size', 7],
  ]);
  expect(series.map(({ labels, help, type }) => [labels, help, type])).toEqual([
    [{ table: 'public.a' }, 'A test.', 'counter'],
    [{}, 'A test.', 'gauge'],
  ]);
});

test('the same name and labels are the same metric, whatever the order of the labels', async () => {
  const { metrics, series } = published();
  metrics.counter('rows', { ...HELP, labels: { a: '1', b: '2' } }).add();
  metrics.counter('rows', { ...HELP, labels: { b: '2', a: '1' } }).add();
  metrics.counter('rows', { ...HELP, labels: { a: '1', b: '3' } }).add();
  await Promise.resolve();
  expect(series.map(valueOf)).toEqual([2, 1]);
});

test('a counter only grows', async () => {
  const { metrics, series } = published();
  const rows = metrics.counter('rows', HELP);
  for (const by of [-1, NaN, Infinity, 3]) rows.add(by);
  await Promise.resolve();
  expect(series.map(valueOf)).toEqual([3]);
});

test('the function of a gauge is called once a second while the task runs; an error is logged once', async () => {
  const { metrics, series, log } = published();
  let value = 1;
  metrics.gauge('lag', HELP, () => value);
  metrics.gauge('broken', HELP, () => {
    throw new Error('no such slot');
  });
  await Promise.resolve();
  expect(series.map(valueOf)).toEqual([1, NaN]);
  value = 2;
  jest.advanceTimersByTime(1_000);
  expect(series.map(valueOf)).toEqual([2, NaN]);
  metrics.end();
  value = 3;
  jest.advanceTimersByTime(5_000);
  expect(series.map(valueOf)).toEqual([2, NaN]);
  expect(jest.getTimerCount()).toBe(0);
  expect(log).toEqual(['warn Metric broken is not exported, because reading it failed: no such slot']);
});

test.each([
  ['a-b', {}, '"a-b" is not a valid name'],
  ['', {}, '"" is not a valid name'],
  ['kafka_connect_x', {}, 'prefix of the worker'],
  ['kafka_producer_x', {}, 'prefix of the worker'],
  ['millrace_task_x', {}, 'prefix of the worker'],
  ['a', { task: '1' }, '"task" is not a valid label'],
  ['a', { 'x-y': '1' }, '"x-y" is not a valid label'],
  ['a', Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`l${i}`, ''])), 'more than 10 labels'],
])('the name %j with labels %j is an error of the plugin', (name, labels: Record<string, string>, message) => {
  expect(() => published().metrics.counter(name, { ...HELP, labels })).toThrow(message);
});

// A plugin in JavaScript: no value that is not a text may reach the writer, where every scrape would fail.
test.each([
  [{}, 'the metric rows has no help text'],
  [{ help: ['A test.'] }, 'the metric rows has no help text'],
  [{ ...HELP, labels: { table: ['a"b'] } }, 'the label table of the metric rows is not a text'],
  [{ ...HELP, labels: { table: 1 } }, 'the label table of the metric rows is not a text'],
  [{ ...HELP, lag: 'hours' }, 'the lag of the metric rows must be one of records, bytes, seconds'],
])('the options %j are an error of the plugin', (options, message) => {
  expect(() => published().metrics.counter('rows', options as never)).toThrow(new TypeError(message));
});

test('a counter cannot be a gauge, too', () => {
  const { metrics } = published();
  metrics.counter('rows', HELP);
  expect(() => metrics.gauge('rows', { ...HELP, labels: { table: 'a' } })).toThrow('exists already as a counter');
});

test('the number of metrics and the length of labels are bounded', async () => {
  const { metrics, series, log } = published();
  for (let i = 0; i < MAX_METRIC_SERIES + 10; i++)
    metrics.counter('rows', { ...HELP, labels: { table: `${i} ${'x'.repeat(300)}` } }).add(i);
  await Promise.resolve();
  expect(series).toHaveLength(MAX_METRIC_SERIES);
  expect(valueOf(series[MAX_METRIC_SERIES - 1] as PublishedSeries)).toBe(MAX_METRIC_SERIES - 1);
  expect(series[0]?.labels.table).toHaveLength(250);
  expect(log).toEqual([`warn The task publishes more than 10000 metrics: rows and later ones are missing`]);
});

test('an age is computed when it is read, so it grows while its thread is stuck', async () => {
  const { metrics, series } = published();
  jest.setSystemTime(100_000);
  metrics.gauge('lag_seconds', { ...HELP, age: true }, () => 97_000);
  metrics.gauge('idle_seconds', { ...HELP, age: true }).set(0);
  metrics.gauge('unknown_seconds', { ...HELP, age: true });
  await Promise.resolve();
  const at = (now: number): number[] => series.map((one) => valueAt(one, now));
  expect(at(100_000)).toEqual([3, 0, NaN]);
  expect(at(160_000)).toEqual([63, 0, NaN]);
  expect(at(90_000)).toEqual([0, 0, NaN]);
});

test('counters of failed records count as failed records of the task', () => {
  const { metrics, failed } = published();
  metrics.counter('rows', HELP).add(3);
  const given = metrics.counter('given_up', { ...HELP, failedRecords: true });
  given.add(2);
  given.add(NaN);
  expect(failed()).toBe(2);
});

test('the gauges of all tasks of a thread have one timer, and each is read in the context of its task', async () => {
  const task = new AsyncLocalStorage<string>();
  const readBy: (string | undefined)[] = [];
  const all = ['a', 'b'].map((name) =>
    task.run(name, () => {
      const { metrics } = published();
      metrics.gauge('depth', HELP, () => readBy.push(task.getStore()));
      return metrics;
    }),
  );
  expect(jest.getTimerCount()).toBe(1);
  await Promise.resolve();
  readBy.splice(0);
  jest.advanceTimersByTime(1_000);
  expect(readBy).toEqual(['a', 'b']);
  all[0]?.end();
  jest.advanceTimersByTime(1_000);
  expect(readBy).toEqual(['a', 'b', 'b']);
  all[1]?.end();
  expect(jest.getTimerCount()).toBe(0);
});
