import { DataError, RetriableError } from '@millrace/sdk';
import type { ErrorMetrics } from '../../../src/metrics/error-metrics';
import { DEFAULT_SAMPLE_WINDOWS, TaskMetrics } from '../../../src/metrics/task-metrics';
import { ErrorPolicy, RetryInterrupted, retryDelay, type Operation } from '../../../src/tasks/errors/error-policy';
import { errorSettings } from '../../../src/tasks/errors/error-settings';
import type { FailedRecord } from '../../../src/tasks/errors/failed-record';

function setUp(config: Record<string, string>): {
  policy: ErrorPolicy;
  waits: number[];
  reports: FailedRecord[];
  metrics: ErrorMetrics;
  stop(): void;
} {
  let now = 0;
  let stopping = false;
  const waits: number[] = [];
  const reports: FailedRecord[] = [];
  const metrics = TaskMetrics.in(TaskMetrics.allocate('sink', DEFAULT_SAMPLE_WINDOWS)).errors;
  const policy = new ErrorPolicy({
    connector: 'c',
    settings: errorSettings(config),
    metrics,
    reporters: [{ report: (failure) => void reports.push(failure) }],
    now: () => now,
    sleep: async (ms) => {
      waits.push(ms);
      now += ms;
    },
    stopping: () => stopping,
  });
  return { policy, waits, reports, metrics, stop: () => (stopping = true) };
}
function operation(fails: number, error: () => Error = () => new RetriableError('busy')): Operation<string> {
  let runs = 0;
  return {
    stage: 'TRANSFORMATION',
    className: 'X',
    run: () => {
      if (runs++ < fails) throw error();
      return 'done';
    },
  };
}

test('connect-runtime 73: retried after 300, 600, 1200 ms, never beyond the deadline', async () => {
  const { policy, waits, reports } = setUp({ 'errors.retry.timeout': '2000', 'errors.tolerance': 'all' });
  expect(await policy.recover(operation(99), new RetriableError('busy'))).toBeNull();
  expect(waits).toEqual([300, 600, 1100]);
  expect(reports).toHaveLength(1);
});

test('connect-runtime 73: success after two attempts', async () => {
  const { policy, waits, reports } = setUp({ 'errors.retry.timeout': '-1' });
  expect(await policy.recover(operation(1), new RetriableError('busy'))).toEqual({ value: 'done' });
  expect(waits).toEqual([300, 600]);
  expect(reports).toEqual([]);
});

test('exhausted retries fail the task when nothing is tolerated (Java skips the record)', async () => {
  const { policy, reports } = setUp({ 'errors.retry.timeout': '500' });
  await expect(policy.recover(operation(99), new RetriableError('busy'))).rejects.toThrow(
    'TRANSFORMATION with X failed: busy',
  );
  expect(reports).toHaveLength(1);
});

test('no retries by default, nor for other errors', async () => {
  const other = setUp({ 'errors.retry.timeout': '-1' });
  await expect(other.policy.recover(operation(0), new DataError('bad'))).rejects.toThrow('bad');
  expect(other.waits).toEqual([]);
  const byDefault = setUp({});
  await expect(byDefault.policy.recover(operation(0), new RetriableError('busy'))).rejects.toThrow('busy');
});

test('a stop between two attempts: no report, no skip, whatever is tolerated', async () => {
  for (const tolerance of ['all', 'none']) {
    const { policy, waits, reports, metrics, stop } = setUp({
      'errors.retry.timeout': '-1',
      'errors.tolerance': tolerance,
    });
    stop();
    await expect(policy.recover(operation(99), new RetriableError('busy'))).rejects.toBeInstanceOf(RetryInterrupted);
    expect([waits, reports, metrics.errors.value, metrics.skipped.value]).toEqual([[], [], 0, 0]);
  }
});

test('a final failure is handled while stopping as well', async () => {
  const { policy, reports, stop } = setUp({ 'errors.retry.timeout': '-1', 'errors.tolerance': 'all' });
  stop();
  expect(await policy.recover(operation(0), new DataError('bad'))).toBeNull();
  expect(reports).toHaveLength(1);
});

test('delays double up to the cap, then are random below it', () => {
  expect([1, 2, 3].map((n) => retryDelay(n, 60_000))).toEqual([300, 600, 1200]);
  expect(retryDelay(20, 60_000, 0.5)).toBe(30_000);
});

test('connect-runtime §9: failed attempts, final failures, skips and retries', async () => {
  const figures = ({ metrics }: ReturnType<typeof setUp>): number[] =>
    [metrics.failures, metrics.errors, metrics.skipped, metrics.retries].map(({ value }) => value);
  const recovering = setUp({ 'errors.retry.timeout': '-1' });
  await recovering.policy.recover(operation(1), new RetriableError('busy'));
  expect(figures(recovering)).toEqual([2, 0, 0, 2]);
  expect(recovering.metrics.lastErrorAt.value).toBe(0);
  const tolerant = setUp({ 'errors.tolerance': 'all' });
  await tolerant.policy.recover(operation(1), new DataError('bad'));
  expect(figures(tolerant)).toEqual([1, 1, 1, 0]);
  expect(tolerant.metrics.lastErrorAt.value).toBeGreaterThan(0);
  const strict = setUp({});
  await expect(strict.policy.recover(operation(1), new DataError('bad'))).rejects.toThrow();
  expect(figures(strict)).toEqual([1, 1, 0, 0]);
});

test('connect-runtime 73: a wall clock set forward or back neither ends nor prolongs errors.retry.timeout', async () => {
  const metrics = TaskMetrics.in(TaskMetrics.allocate('sink', DEFAULT_SAMPLE_WINDOWS)).errors;
  const monotonic = jest.spyOn(performance, 'now');
  const wall = jest.spyOn(Date, 'now');
  try {
    for (const jump of [3_600_000, -3_600_000]) {
      let passed = 0;
      monotonic.mockImplementation(() => passed);
      wall.mockImplementation(() => 1_800_000_000_000 + passed + (passed > 0 ? jump : 0));
      const waits: number[] = [];
      const policy = new ErrorPolicy({
        connector: 'c',
        settings: errorSettings({ 'errors.retry.timeout': '2000', 'errors.tolerance': 'all' }),
        metrics,
        reporters: [],
        sleep: async (ms) => {
          waits.push(ms);
          passed += ms;
        },
        stopping: () => false,
      });
      expect(await policy.recover(operation(20), new RetriableError('busy'))).toBeNull();
      expect(waits).toEqual([300, 600, 1100]);
    }
  } finally {
    monotonic.mockRestore();
    wall.mockRestore();
  }
});
