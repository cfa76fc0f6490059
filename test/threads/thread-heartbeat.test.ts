/** A thread's silence is detected, and a suspension of the whole process is not mistaken for one. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { SilenceChecks, SilenceWatch, ThreadHeartbeat } from '../../src/threads/thread-heartbeat';

const EVERY_MS = 100;

function watched(): { beat: { count: number }; clock: { now: number }; watch: SilenceWatch } {
  const beat = { count: 1 };
  const clock = { now: 0 };
  return { beat, clock, watch: new SilenceWatch(beat, EVERY_MS, () => clock.now) };
}

test('silence grows from check to check and ends with the next beat', () => {
  const { beat, clock, watch } = watched();
  const looks = [1, 2, 3].map(() => {
    clock.now += EVERY_MS;
    return watch.checkHeartbeat();
  });
  expect(looks).toEqual([100, 200, 300]);
  beat.count++;
  clock.now += EVERY_MS;
  expect(watch.checkHeartbeat()).toBe(0);
});

test('a suspended process counts one check, not its sleep', () => {
  const { clock, watch } = watched();
  clock.now += 3_600_000;
  expect(watch.checkHeartbeat()).toBe(EVERY_MS);
});

test('a real thread beats while it is idle and is silent while it spins', async () => {
  const beat = new ThreadHeartbeat();
  const code = `
    const { workerData, parentPort } = require('node:worker_threads');
    const turns = new Int32Array(workerData);
    setInterval(() => Atomics.add(turns, 0, 1), 5);
    parentPort.once('message', () => { parentPort.postMessage('spins'); for (;;); });
  `;
  const thread = new Worker(code, { eval: true, workerData: beat.memory });
  try {
    const first = beat.count;
    while (beat.count === first) await new Promise(setImmediate);
    thread.postMessage('spin');
    await once(thread, 'message');
    const spinning = beat.count;
    const watch = new SilenceWatch(beat, EVERY_MS);
    while (watch.checkHeartbeat() < EVERY_MS) await new Promise(setImmediate);
    expect(beat.count).toBe(spinning);
  } finally {
    await thread.terminate();
  }
});

test('a thread that has loaded its code counts a beat of its own', () => {
  const beat = new ThreadHeartbeat();
  expect(beat.count).toBe(0);
  beat.beat();
  expect(beat.count).toBe(1);
  expect(new ThreadHeartbeat(beat.memory).count).toBe(1);
});

const ANSWERING = `
  const { workerData, parentPort } = require('node:worker_threads');
  const turns = new Int32Array(workerData);
  let work = () => undefined;
  parentPort.on('message', (message) => {
    if (message === 'spin') for (parentPort.postMessage('spins'); ; );
    if (message === 'work') (work = () => setImmediate(work))(parentPort.postMessage('works'));
    if (message === 'beat') Atomics.add(turns, 0, 1);
  });
  Atomics.add(turns, 0, 1);
  parentPort.postMessage('loaded');
`;

test('a thread that sleeps answers without being woken, one that works when it is asked, one that spins never', async () => {
  const memory = new ThreadHeartbeat().memory;
  const thread = new Worker(ANSWERING, { eval: true, workerData: memory });
  let asked = 0;
  const beat = new ThreadHeartbeat(memory).of(thread, () => {
    asked++;
    thread.postMessage('beat');
  });
  const until = async (message: string): Promise<void> => {
    thread.postMessage(message);
    await once(thread, 'message');
  };
  try {
    await once(thread, 'message');
    const sleeping = new SilenceWatch(beat, EVERY_MS);
    while (!sleeping.isCalm) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(sleeping.checkHeartbeat()).toBeLessThan(EVERY_MS);
    }
    const { count } = beat;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(beat.count).toBeGreaterThan(count);

    await until('work');
    const working = new SilenceWatch(beat, EVERY_MS);
    working.checkHeartbeat();
    const before = beat.count;
    while (beat.count === before) {
      working.checkHeartbeat();
      await new Promise(setImmediate);
    }
    expect(asked).toBeGreaterThan(0);

    await until('spin');
    const spinning = beat.count;
    asked = 0;
    const watch = new SilenceWatch(beat, EVERY_MS);
    while (watch.checkHeartbeat() < 2 * EVERY_MS) await new Promise(setImmediate);
    expect(beat.count).toBe(spinning);
    expect(asked).toBeLessThanOrEqual(1);
  } finally {
    await thread.terminate();
  }
});

/** A thread that waits for `waitedMs` of its time; its other time it works. */
function reported(): { pulse: { count: number; waitedMs: number; ask: jest.Mock }; clock: { now: number } } {
  return { pulse: { count: 1, waitedMs: 0, ask: jest.fn() }, clock: { now: 0 } };
}

test('after a long interval, a thread that has worked since some time in it may be blocked since then', () => {
  const { pulse, clock } = reported();
  const watch = new SilenceWatch(pulse, EVERY_MS, () => clock.now);
  const pass = (ms: number, waited: number): void => {
    clock.now += ms;
    pulse.waitedMs += waited;
    pulse.count += waited;
  };
  pass(2_500, 2_490);
  expect([watch.checkHeartbeat(2_500), watch.isCalm]).toEqual([0, true]);
  expect(pulse.ask).not.toHaveBeenCalled();
  pass(2_500, 500);
  expect([watch.checkHeartbeat(2_500), watch.isCalm]).toEqual([2_000, false]);
  expect(pulse.ask).toHaveBeenCalledTimes(1);
  pass(EVERY_MS, 0);
  expect(watch.checkHeartbeat()).toBe(2_100);
  pulse.count++;
  pass(EVERY_MS, 0);
  expect(watch.checkHeartbeat()).toBe(0);
  pass(EVERY_MS, EVERY_MS);
  expect([watch.checkHeartbeat(), watch.isCalm]).toEqual([0, true]);
});

test('checks are frequent while a thread works, and seldom while all sleep, but within each limit', () => {
  jest.useFakeTimers();
  try {
    for (const [limitMs, calmMs] of [
      [0, 2_500],
      [60_000, 2_500],
      [5_000, 1_250],
      [1_000, 500],
    ] as const) {
      let isCalm = true;
      const intervals: number[] = [];
      const checks = new SilenceChecks(
        (everyMs) => {
          intervals.push(everyMs);
          return isCalm;
        },
        () => limitMs,
      );
      checks.start();
      jest.advanceTimersByTime(500 + calmMs);
      isCalm = false;
      jest.advanceTimersByTime(calmMs + 500);
      expect(intervals).toEqual([500, calmMs, calmMs, 500]);
      checks.stop();
      jest.advanceTimersByTime(10_000);
      expect(intervals).toHaveLength(4);
    }
  } finally {
    jest.useRealTimers();
  }
});
