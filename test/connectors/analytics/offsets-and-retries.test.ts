/** Committable offsets of a partition, and retries of a file. */
import { OffsetRanges } from '../../../connectors/analytics/src/batcher/offset-ranges';
import { Semaphore } from '../../../connectors/analytics/src/request/semaphore';
import { retryDelayMs, type RetryState } from '../../../connectors/analytics/src/service/retry-policy';
import { responseError } from '../../../connectors/analytics/src/service/http';
import { failureKind, ServiceError } from '../../../connectors/analytics/src/service/service-error';
import { SharedRead } from '../../../connectors/analytics/src/service/shared-read';

test('analytics-sink 39: a file that is delivered first waits for the earlier one', () => {
  const ranges = new OffsetRanges();
  expect(ranges.committable()).toBeNull();
  const first = ranges.begin(5, 0);
  first.next = 10;
  const second = ranges.begin(10, 0);
  second.next = 20;
  second.pending--;
  expect(ranges.committable()).toBeNull();
  first.pending--;
  expect(ranges.committable()).toBe(20);
});

test('analytics-sink 27, 39: skipped records count when everything before them is done', () => {
  const ranges = new OffsetRanges();
  ranges.skip(3);
  expect(ranges.committable()).toBe(4);
  const file = ranges.begin(4, 0);
  ranges.skip(5);
  expect(ranges.committable()).toBe(4);
  file.pending--;
  expect(ranges.committable()).toBe(6);
});

test('the oldest record that is not done is that of the first range with outstanding work', () => {
  const ranges = new OffsetRanges();
  expect(ranges.oldest()).toBe(Infinity);
  const first = ranges.begin(0, 1_000);
  ranges.begin(5, 2_000);
  expect(ranges.oldest()).toBe(1_000);
  first.pending--;
  expect(ranges.oldest()).toBe(2_000);
});

test('analytics-sink 54: a removed range keeps the offset at its records, which are delivered again', () => {
  const ranges = new OffsetRanges();
  const sealed = ranges.begin(0, 0);
  sealed.next = 5;
  const open = ranges.begin(5, 0);
  open.next = 8;
  ranges.remove(open);
  sealed.pending--;
  expect(ranges.committable()).toBe(5);
  const again = ranges.begin(5, 0);
  again.next = 9;
  open.pending--;
  expect(ranges.committable()).toBe(5);
  again.pending--;
  expect(ranges.committable()).toBe(9);
});

test('analytics-sink 54: before anything is delivered, a rewind does not skip the files in flight', () => {
  const ranges = new OffsetRanges();
  const sealed = ranges.begin(3, 0);
  sealed.next = 5;
  const open = ranges.begin(5, 0);
  ranges.hold();
  ranges.remove(open);
  // Without an offset from the task, the worker would commit 5, to which it was rewound.
  expect(ranges.committable()).toBe(3);
  sealed.pending--;
  expect(ranges.committable()).toBe(5);
});

const transient = new ServiceError('busy', 'transient');
const situation = (more: Partial<RetryState>): RetryState => ({
  error: transient,
  failures: 1,
  firstFailureAt: 0,
  now: 0,
  random: 0.5,
  ...more,
});

test('analytics-sink 46: no retries, or evenly spaced ones until the time has passed', () => {
  expect(retryDelayMs({ maxMs: 0, backoffMs: 500, multiplier: 1 }, situation({}))).toBeNull();
  const retry = { maxMs: 2000, backoffMs: 500, multiplier: 1 };
  for (const [random, attempts] of [
    [0, 6],
    [0.5, 5],
    [1, 4],
  ] as const) {
    let now = 0;
    let made = 1;
    for (;;) {
      const wait = retryDelayMs(retry, situation({ failures: made, now, random }));
      if (wait === null) break;
      now += wait;
      made++;
    }
    expect([random, made]).toEqual([random, attempts]);
  }
});

test('the backoff grows up to five minutes, the service may require more, and permanent errors are not retried', () => {
  const retry = { maxMs: 3_600_000, backoffMs: 10_000, multiplier: 2 };
  expect(retryDelayMs(retry, situation({ failures: 3 }))).toBe(40_000);
  expect(retryDelayMs(retry, situation({ failures: 20 }))).toBe(300_000);
  const throttled = new ServiceError('busy', 'transient', { retryAfterMs: 77_000 });
  expect(retryDelayMs(retry, situation({ error: throttled }))).toBe(77_000);
  expect(retryDelayMs(retry, situation({ error: new ServiceError('no', 'permanent') }))).toBeNull();
});

test.each([
  [401, null, 'refresh'],
  [429, null, 'transient'],
  [503, true, 'transient'],
  [520, null, 'transient'],
  [400, false, 'transient'],
  [400, true, 'permanent'],
  [404, null, 'permanent'],
  [413, null, 'permanent'],
  [302, null, 'permanent'],
] as const)('status %i with @permanent %s is %s', (status, permanent, kind) => {
  expect(failureKind(status, permanent)).toBe(kind);
});

test('analytics-sink 9: no message contains a SAS', () => {
  const { message } = new ServiceError(`blob 'https://h/c/b?sv=1&sig=secret%3D&se=2' is gone`, 'permanent');
  expect(message).toBe(`blob 'https://h/c/b?…' is gone`);
});

test('a caller that aborts a shared read does not abort it for the others', async () => {
  const task = new AbortController();
  const own = new AbortController();
  let finish: (value: number) => void = () => undefined;
  let reads = 0;
  const shared = new SharedRead(async () => {
    reads++;
    return await new Promise<number>((resolve) => (finish = resolve));
  }, task.signal);
  const mine = shared.get(own.signal);
  const theirs = shared.get(task.signal);
  own.abort(new Error('revoked'));
  await expect(mine).rejects.toThrow('revoked');
  finish(5);
  await expect(theirs).resolves.toBe(5);
  expect(reads).toBe(1);
});

test('a semaphore serves waiters in order and drops those that are aborted', async () => {
  const semaphore = new Semaphore(1);
  const gone = new AbortController();
  const { signal } = new AbortController();
  const release = await semaphore.acquire(signal);
  const order: string[] = [];
  const given = semaphore.acquire(gone.signal).catch((error: Error) => order.push(error.message));
  const second = semaphore.acquire(signal).then((end) => {
    order.push('second');
    return end;
  });
  gone.abort(new Error('revoked'));
  await given;
  release();
  release();
  const third = semaphore.acquire(signal);
  (await second)();
  (await third)();
  expect(order).toEqual(['revoked', 'second']);
});

test.each([
  [503, '', true],
  [429, '', true],
  [401, '', false],
  [403, '{"error":{"code":"Forbidden","@permanent":true}}', false],
  [400, '{"error":{"code":"BadRequest_TableNotExist","@permanent":true}}', false],
])('a task that failed because of %i %s is restarted automatically: %s', (status, text, isRestarted) => {
  expect(responseError(new URL('https://c/'), { status, headers: {}, text }).retriable).toBe(isRestarted);
});

test('a task is restarted automatically after no response, but not after a rejected login', () => {
  expect(new ServiceError('https://c/ does not answer', 'transient').retriable).toBe(true);
  expect(new ServiceError('wrong secret', 'transient', { code: 'ANALYTICS_LOGIN' }).retriable).toBe(false);
});
