import { MemoryLogger } from '@millrace/sdk/testing';
import type { Logger } from '../../../src/logging/logger';
import { CallClock, type RunningCall } from '../../../src/tasks/call-clock';
import type { TaskSpec } from '../../../src/tasks/host';
import { watchedCalls, type TaskCalls } from '../../../src/tasks/hosts/task-watchdog';
import { isReportDue, Watchdog, type WatchedCall } from '../../../src/tasks/hosts/watchdog';

const T0 = Date.UTC(2026, 0, 1);
const spec = (connector: string, connectorConfig: Record<string, string> = {}): TaskSpec => ({
  id: { connector, task: 0 },
  type: 'source',
  connectorClass: 'x',
  connectorConfig,
  taskConfig: {},
  targetState: 'STARTED',
  consumerGroup: null,
});

describe('stuck calls', () => {
  const ongoing: WatchedCall = { id: 'a', what: 'It', since: T0, limitMs: 1_000, hint: '' };
  test.each([
    [0, 999, false],
    [0, 1_000, true],
    [1, 1_999, false],
    [1, 2_000, true],
    [2, 3_999, false],
    [2, 4_000, true],
  ])('reported %d times, after %d ms: %p', (times, ms, expected) => {
    expect(isReportDue(ongoing, times, T0 + ms)).toBe(expected);
  });
  test('without a limit nothing is reported', () => {
    expect(isReportDue({ ...ongoing, limitMs: 0 }, 0, T0 + 1e12)).toBe(false);
  });
});

test('a stuck call is logged at the limit and at each doubling, and when it ends; nothing twice', () => {
  let now = T0;
  let going: WatchedCall[] = [
    { id: 'a', what: 'Task a-0: put() of its plugin', since: T0, limitMs: 60_000, hint: 'So.' },
  ];
  const log = new MemoryLogger();
  const logger: Logger = Object.assign(log, { child: () => logger });
  const watchdog = new Watchdog({ calls: () => going, limitMs: 60_000, logger, now: () => now });
  const at = (seconds: number): string[] => {
    now = T0 + seconds * 1_000;
    log.lines.length = 0;
    watchdog.check();
    return [...log.lines];
  };
  expect(at(59)).toEqual([]);
  expect(at(61)).toEqual([
    'error Task a-0: put() of its plugin has not returned for 61 s, since 2026-01-01T00:00:00.000Z. So.',
  ]);
  expect(at(90)).toEqual([]);
  expect(at(121)).toEqual([expect.stringContaining('for 121 s')]);
  going = [];
  expect(at(130)).toEqual(['warn Task a-0: put() of its plugin returned after 130 s']);
  expect(at(140)).toEqual([]);
  // The next call of the same task is another one.
  going = [{ id: 'a', what: 'Task a-0: put() of its plugin', since: T0 + 135_000, limitMs: 60_000, hint: '' }];
  expect(at(194)).toEqual([]);
  expect(at(195)).toHaveLength(1);
});

test('a task that waits for another is not reported; a call that never returned is not reported as ended', () => {
  let now = T0;
  let excused = true;
  let fate: string | null = null;
  let going = true;
  const log = new MemoryLogger();
  const logger: Logger = Object.assign(log, { child: () => logger });
  const one = { id: 'a', what: 'It', since: T0, limitMs: 60_000, hint: 'So.', fate: () => fate };
  const watchdog = new Watchdog({
    calls: () => (going ? [{ ...one, excused }] : []),
    limitMs: 60_000,
    logger,
    now: () => now,
  });
  now += 300_000;
  watchdog.check();
  expect(log.lines).toEqual([]);
  excused = false;
  watchdog.check();
  expect(log.lines).toHaveLength(1);
  going = false;
  fate = 'is abandoned: its thread was terminated';
  watchdog.check();
  expect(log.lines[1]).toBe('warn It is abandoned: its thread was terminated (300 s after the call began)');
});

test('a clock shows the current call to every reader of its memory', async () => {
  const clock = new CallClock();
  const elsewhere = new CallClock(clock.memory);
  expect(elsewhere.running()).toBeNull();
  const before = Math.floor(Date.now() / 1000) * 1000;
  await clock.during('put', async () => {
    const running = elsewhere.running();
    expect(running?.call).toBe('put');
    expect(running?.since).toBeGreaterThanOrEqual(before);
  });
  expect(elsewhere.running()).toBeNull();
  await expect(
    clock.during('poll', () => {
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect(elsewhere.running()).toBeNull();
});

test('the connector’s own limit overrides the worker’s', () => {
  const poll = { call: 'poll', since: T0 } as const;
  const task = (of: TaskSpec, call: RunningCall | null): TaskCalls[number] => ({
    spec: of,
    call,
    excused: false,
    fate: () => null,
  });
  const found = watchedCalls(
    [
      task(spec('a'), poll),
      task(spec('b', { 'watchdog.task.ms': '0' }), poll),
      task(spec('c', { 'watchdog.task.ms': '7' }), { call: 'start', since: T0 }),
      task(spec('d'), null),
    ],
    5,
  );
  expect(found.map(({ what, limitMs }) => [what, limitMs])).toEqual([
    ['Task a-0: poll() of its plugin', 5],
    ['Task b-0: poll() of its plugin', 0],
    ['Task c-0: start() of its plugin', 7],
  ]);
});
