import { MemoryLogger } from '@millrace/sdk/testing';
import type { Logger } from '../../../src/logging/logger';
import { CallClock, type RunningCall } from '../../../src/tasks/call-clock';
import type { TaskSpec } from '../../../src/tasks/host';
import { DeliveryProgress } from '../../../src/tasks/hosts/delivery-progress';
import { TaskWatchdog, type WatchedTask } from '../../../src/tasks/hosts/task-watchdog';
import { isReportDue, Watchdog, type WatchedCall } from '../../../src/tasks/hosts/watchdog';
import { RecordingLogger } from '../fakes';

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
    expect(isReportDue(ongoing, times, ms)).toBe(expected);
  });
  test('without a limit nothing is reported', () => {
    expect(isReportDue({ ...ongoing, limitMs: 0 }, 0, 1e12)).toBe(false);
  });
});

test('a stuck call is logged at the limit and at each doubling, and when it ends; nothing twice', () => {
  let now = T0;
  let going: WatchedCall[] = [
    { id: 'a', what: 'Task a-0: put() of its plugin', since: T0, limitMs: 60_000, hint: 'So.' },
  ];
  const log = new MemoryLogger();
  const logger: Logger = Object.assign(log, { child: () => logger });
  const watchdog = new Watchdog({ calls: () => going, limitMs: 60_000, logger, now: () => now, wallClock: () => now });
  const at = (seconds: number): string[] => {
    log.lines.length = 0;
    while (now < T0 + seconds * 1_000) {
      now += 1_000;
      watchdog.check();
    }
    return [...log.lines];
  };
  expect(at(59)).toEqual([]);
  expect(at(61)).toEqual([
    'error Task a-0: put() of its plugin has not returned for 60 s, since 2026-01-01T00:00:00.000Z. So.',
  ]);
  expect(at(90)).toEqual([]);
  expect(at(121)).toEqual([expect.stringContaining('for 120 s')]);
  going = [];
  expect(at(130)).toEqual(['warn Task a-0: put() of its plugin returned after 122 s']);
  expect(at(140)).toEqual([]);
  // The next call of the same task is another one.
  going = [{ id: 'a', what: 'Task a-0: put() of its plugin', since: T0 + 140_000, limitMs: 60_000, hint: '' }];
  expect(at(199)).toEqual([]);
  expect(at(200)).toHaveLength(1);
});

test('a monotonic clock is shown as a time of day', () => {
  let now = 200_000;
  const log = new MemoryLogger();
  const logger: Logger = Object.assign(log, { child: () => logger });
  const call: WatchedCall = { id: 'tick', what: 'It', since: 199_000, limitMs: 2_000, hint: 'So.' };
  // The wall clock was set while the call ran: how long the call lasts is still true.
  const wallClock = (): number => T0 + 3_600_000 + now;
  const watchdog = new Watchdog({ calls: () => [call], limitMs: 2_000, logger, now: () => now, wallClock });
  watchdog.check();
  now += 1_000;
  watchdog.check();
  expect(log.lines).toEqual(['error It has not returned for 2 s, since 2026-01-01T01:03:19.000Z. So.']);
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
  const pass = (seconds: number): void => {
    for (let i = 0; i < seconds; i++) {
      now += 1_000;
      watchdog.check();
    }
  };
  pass(300);
  expect(log.lines).toEqual([]);
  excused = false;
  pass(61);
  expect(log.lines).toHaveLength(1);
  going = false;
  fate = 'is abandoned: its thread was terminated';
  pass(1);
  expect(log.lines[1]).toBe('warn It is abandoned: its thread was terminated (362 s after the call began)');
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

test('calls that run at the same time are all shown; waits of one kind are one', async () => {
  const clock = new CallClock();
  let end = (): void => undefined;
  const polling = clock.during('poll', () => new Promise<void>((resolve) => (end = resolve)));
  await clock.during('commit', () => expect(clock.calls().map(({ call }) => call)).toEqual(['poll', 'commit']));
  clock.begin('dead-letter');
  clock.begin('dead-letter');
  clock.end('dead-letter');
  expect(new CallClock(clock.memory).waits().map(({ call }) => call)).toEqual(['dead-letter']);
  clock.end('dead-letter');
  expect(clock.waits()).toEqual([]);
  end();
  await polling;
  expect(clock.running()).toBeNull();
});

test('a suspended process: the time does not count, and nothing is ended', () => {
  let now = T0;
  const ended: number[] = [];
  const log = new MemoryLogger();
  const logger: Logger = Object.assign(log, { child: () => logger });
  const call: WatchedCall = { id: 'a', what: 'It', since: T0, limitMs: 60_000, hint: '', end: (ms) => ended.push(ms) };
  const watchdog = new Watchdog({ calls: () => [call], limitMs: 60_000, logger, now: () => now });
  watchdog.check();
  now += 3_600_000;
  watchdog.check();
  // The clock is set back.
  now -= 7_200_000;
  watchdog.check();
  expect([ended, log.lines, watchdog.stuck()]).toEqual([[], [], []]);
  for (let i = 0; i < 20; i++) {
    now += 5_000;
    watchdog.check();
  }
  expect(ended).toEqual([60_000]);
  expect(watchdog.stuck().map(({ lastedMs }) => lastedMs)).toEqual([100_000]);
});

describe('tasks', () => {
  const logger = new RecordingLogger();
  const task = (of: TaskSpec, call: RunningCall | null, more: Partial<WatchedTask> = {}): WatchedTask => ({
    spec: of,
    calls: { calls: () => (call === null ? [] : [call]), waits: () => [] },
    deliveries: null,
    excused: false,
    fate: () => null,
    restart: null,
    ...more,
  });
  let now = T0;
  function watch(tasks: readonly WatchedTask[], action: 'log' | 'restart' = 'log', seconds = 70): TaskWatchdog {
    const options = { limitMs: 60_000, action, consequence: 'So.', logger, now: () => now };
    const watchdog = new TaskWatchdog({ tasks: () => tasks, ...options });
    now = T0;
    logger.lines.length = 0;
    for (let i = 0; i < seconds; i += 5) {
      watchdog.check();
      now += 5_000;
    }
    return watchdog;
  }
  const poll = { call: 'poll', since: T0 } as const;

  test('the connector’s own limit overrides the worker’s; stuck calls are named in problems and figures', () => {
    const stuck = watch([
      task(spec('a'), poll),
      task(spec('b', { 'watchdog.task.ms': '0' }), poll),
      task(spec('c', { 'watchdog.task.ms': '70000' }), { call: 'start', since: T0 }),
      task(spec('d'), null),
      task(spec('e'), poll, { excused: true }),
    ]);
    expect(stuck.problems()).toEqual(['Task a-0: poll() of its plugin has not returned for 65 s.']);
    expect(stuck.watch()({ connector: 'a', task: 0 })).toEqual({ stuck: [{ call: 'poll', ms: 65_000 }], restarts: 0 });
    expect(stuck.watch()({ connector: 'b', task: 0 })).toEqual({ stuck: [], restarts: 0 });
    expect(logger.lines).toEqual([
      'error Task a-0: poll() of its plugin has not returned for 60 s, since 2026-01-01T00:00:00.000Z. ' +
        'Restart the task to end the call, raise watchdog.task.ms if it needs that long, or set watchdog.task.action=restart.',
    ]);
  });

  test('many stuck tasks do not make the report long', () => {
    const stuck = watch(Array.from({ length: 30 }, (_, i) => task(spec(`c${i}`), poll)));
    expect(stuck.problems()).toHaveLength(11);
    expect(stuck.problems()[10]).toBe('20 more calls of tasks have not returned.');
  });

  test.each([
    ['the worker’s setting', 'restart', {}, 1],
    ['the connector’s setting', 'log', { 'watchdog.task.action': 'restart' }, 1],
    ['a connector that only logs', 'restart', { 'watchdog.task.action': 'log' }, 0],
    ['the default', 'log', {}, 0],
  ] as const)('restart by %s', (_by, action, config, times) => {
    const traces: string[] = [];
    const restart = (trace: string, ms: number): void => void traces.push(`${ms} ${trace}`);
    const watchdog = watch([task(spec('a', config), poll, { restart })], action, 300);
    const expected =
      "60000 org.apache.kafka.connect.errors.ConnectException: poll() of this task's plugin has not returned for 60 s, " +
      'since 2026-01-01T00:00:00.000Z: the task was ended (watchdog.task.action=restart). So. [code: TASK_STUCK]\n';
    expect(traces).toEqual(times === 0 ? [] : [expected]);
    expect(watchdog.watch()({ connector: 'a', task: 0 }).restarts).toBe(times);
  });

  test('a call is not ended while Kafka owes the task an answer, but afterwards', () => {
    const waits = [{ call: 'dead-letter', since: T0 } as const];
    const restarted: number[] = [];
    const calls = { calls: () => [{ call: 'put', since: T0 } as const], waits: () => [...waits] };
    const tasks = [task(spec('a'), null, { calls, restart: (_trace, ms) => restarted.push(ms) })];
    const watchdog = watch(tasks, 'restart');
    expect(restarted).toEqual([]);
    expect(logger.lines).toEqual([
      expect.stringContaining('put() of its plugin has not returned for 60 s'),
      expect.stringContaining('the delivery to its dead letter topic has not been acknowledged by Kafka for 60 s'),
    ]);
    expect(logger.lines[0]).toContain('not restarted while requests of the task to Kafka are unanswered');
    waits.length = 0;
    watchdog.check();
    expect(restarted).toHaveLength(1);
  });

  test('two calls that are stuck at the same time are one restart', () => {
    const restarted: string[] = [];
    const calls = {
      calls: () => [poll, { call: 'commit', since: T0 } as const],
      waits: () => [],
    };
    const watchdog = watch([task(spec('a'), null, { calls, restart: (trace) => restarted.push(trace) })], 'restart');
    expect(restarted).toEqual([expect.stringContaining("poll() of this task's plugin")]);
    expect(watchdog.watch()({ connector: 'a', task: 0 }).restarts).toBe(1);
  });

  test('a commit that Kafka refused does not keep a call of the plugin from being ended: none waits for it', () => {
    const restarted: number[] = [];
    const waits = [{ call: 'offset-commit', since: T0 } as const];
    const calls = { calls: () => [{ call: 'put', since: T0 } as const], waits: () => waits };
    watch([task(spec('a'), null, { calls, restart: (_trace, ms) => restarted.push(ms) })], 'restart');
    expect(restarted).toEqual([60_000]);
  });

  test('records that Kafka does not acknowledge are reported and never cause a restart', () => {
    const metrics = { polled: { value: 7 }, active: { value: 5 } };
    const restarted: number[] = [];
    const deliveries = new DeliveryProgress(metrics as never, () => now);
    const tasks = [task(spec('a'), null, { deliveries, restart: (_trace, ms) => restarted.push(ms) })];
    const watchdog = watch(tasks, 'restart', 80);
    const text = /^Task a-0: the delivery of its records \(5\) has not been acknowledged by Kafka for \d+ s\.$/;
    expect(watchdog.problems()).toEqual([expect.stringMatching(text)]);
    expect(watchdog.watch()({ connector: 'a', task: 0 }).stuck).toEqual([{ call: 'delivery', ms: 75_000 }]);
    // One of them was.
    metrics.active.value = 4;
    watchdog.check();
    expect(watchdog.problems()).toEqual([]);
    expect(restarted).toEqual([]);
  });

  test('one look answers for all tasks, however many are stuck', () => {
    const all = Array.from({ length: 50 }, (_, i) => task(spec(`c${i}`), { call: 'poll', since: T0 }));
    let looks = 0;
    const tasks = new Proxy(all, { get: (of, key) => (key === 'flatMap' && looks++, Reflect.get(of, key) as unknown) });
    const watchdog = watch(tasks);
    looks = 0;
    const of = watchdog.watch();
    expect(all.filter(({ spec: { id } }) => of(id).stuck.length === 1)).toHaveLength(50);
    expect(looks).toBe(1);
  });
});
