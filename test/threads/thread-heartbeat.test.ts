/** A thread's silence is detected, and a suspension of the whole process is not mistaken for one. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { SilenceWatch, ThreadHeartbeat } from '../../src/threads/thread-heartbeat';

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

test('starts with a beat of its own', () => {
  const beat = new ThreadHeartbeat();
  expect(beat.count).toBe(0);
  beat.start();
  expect(beat.count).toBe(1);
  expect(new ThreadHeartbeat(beat.memory).count).toBe(1);
});
