/** Connectors and tasks from their start to their end. */
import { DEFAULT_SAMPLE_WINDOWS } from '../../src/metrics/task-metrics';
import { TimeInStates } from '../../src/metrics/time-in-states';
import { WorkMetrics } from '../../src/metrics/work-metrics';

const CONNECTOR = { connector: 'c', task: null };
const TASK = { connector: 'c', task: 0 };

function startsOf({ connectorStarts, taskStarts }: WorkMetrics): number[][] {
  return [connectorStarts, taskStarts].map(({ attempts, succeeded, failed }) => [
    attempts,
    succeeded.value,
    failed.value,
  ]);
}

test('connect-runtime §9: a start counts once, as failed only when it never ran', () => {
  const work = new WorkMetrics(DEFAULT_SAMPLE_WINDOWS);
  work.changed(CONNECTOR, 'RUNNING');
  work.changed(CONNECTOR, 'PAUSED');
  work.changed(CONNECTOR, 'RUNNING');
  work.changed(CONNECTOR, 'FAILED');
  work.open('c', 0, 'sink');
  work.changed(TASK, 'FAILED');
  expect(startsOf(work)).toEqual([
    [1, 1, 0],
    [1, 0, 1],
  ]);
});

test('connect-runtime §9: each restart is a start, a task that starts paused counts on resume', () => {
  const work = new WorkMetrics(DEFAULT_SAMPLE_WINDOWS);
  work.open('c', 0, 'sink');
  work.changed(TASK, 'PAUSED');
  expect(startsOf(work)[1]).toEqual([0, 0, 0]);
  work.changed(TASK, 'RUNNING');
  work.forget(TASK);
  work.changed(TASK, 'RESTARTING');
  work.open('c', 0, 'sink');
  work.changed(TASK, 'RUNNING');
  expect(startsOf(work)[1]).toEqual([2, 2, 0]);
});

test('connect-runtime §9: a failed task keeps its figures until it is removed or restarted', () => {
  const work = new WorkMetrics(DEFAULT_SAMPLE_WINDOWS);
  work.open('c', 0, 'source');
  work.changed(TASK, 'RUNNING');
  work.all()[0]?.metrics?.polled(5, 1);
  work.changed(TASK, 'FAILED');
  expect(work.all().map(({ states, metrics }) => [states.state, metrics?.source.polled.value])).toEqual([
    ['failed', 5],
  ]);
  work.open('c', 0, 'source');
  expect(work.all().map(({ states, metrics }) => [states.state, metrics?.source.polled.value])).toEqual([
    ['unassigned', 0],
  ]);
  work.forget(TASK);
  expect(work.all()).toEqual([]);
});

test('a final status after the end does not count as a start', () => {
  const work = new WorkMetrics(DEFAULT_SAMPLE_WINDOWS);
  work.open('c', 0, 'source');
  work.forget(TASK);
  work.changed(TASK, 'UNASSIGNED');
  expect(work.all()).toEqual([]);
});

test('connect-runtime §9: ratios are shares of the lifetime so far', () => {
  const states = new TimeInStates(0);
  expect(states.share('running', 0)).toBe(0);
  states.change('running', 100);
  states.change('paused', 400);
  states.change('running', 500);
  expect([states.share('running', 1000), states.share('paused', 1000), states.share('failed', 1000)]).toEqual([
    0.8, 0.1, 0,
  ]);
});

test('the metrics that a plugin publishes are removed when its task ends, and replaced by those of the next run', () => {
  const work = new WorkMetrics(DEFAULT_SAMPLE_WINDOWS);
  const one = {
    key: 'a',
    name: 'a',
    help: '',
    type: 'gauge',
    labels: {},
    memory: new SharedArrayBuffer(8),
    cell: 0,
  } as const;
  const published = (): unknown => work.all().map((measured) => [...measured.published.values()]);
  work.open('c', 0, 'source');
  work.publish(TASK, [one]);
  work.changed(TASK, 'RUNNING');
  work.changed(TASK, 'PAUSED');
  expect(published()).toEqual([[one]]);
  const next = { ...one, memory: new SharedArrayBuffer(8) };
  work.publish(TASK, [next]);
  expect(published()).toEqual([[next]]);
  for (const state of ['FAILED', 'RESTARTING', 'UNASSIGNED'] as const) {
    work.publish(TASK, [one]);
    work.changed(TASK, state);
    expect(published()).toEqual([[]]);
  }
});
