import { PerformanceObserver } from 'node:perf_hooks';
import { Script } from 'node:vm';
import { IdleHeap } from '../../src/threads/idle-heap';

const MIB = 2 ** 20;

function idleHeap() {
  const state = { young: 16, used: 20, busy: 0, collections: 0 };
  const heap = new IdleHeap({
    heap: () => ({ youngBytes: state.young * MIB, usedBytes: state.used * MIB }),
    busyShare: () => state.busy,
    collect: () => void state.collections++,
  });
  return { state, heap };
}

test('an idle thread with a large young generation collects, until it is small', () => {
  const { state, heap } = idleHeap();
  heap.check();
  heap.check();
  expect(state.collections).toBe(2);
  state.young = 1;
  heap.check();
  expect(state.collections).toBe(2);
});

test('a busy thread does not collect', () => {
  const { state, heap } = idleHeap();
  state.busy = 0.2;
  heap.check();
  expect(state.collections).toBe(0);
});

test('a large heap, whose collection would stop the thread for long, is left to V8', () => {
  const { state, heap } = idleHeap();
  state.used = 100;
  heap.check();
  expect(state.collections).toBe(0);
});

test('collections that change nothing end, until the thread has worked again', () => {
  const { state, heap } = idleHeap();
  for (let i = 0; i < 20; i++) heap.check();
  expect(state.collections).toBe(4);
  state.busy = 1;
  heap.check();
  state.busy = 0;
  heap.check();
  expect(state.collections).toBe(5);
});

test('a collection leaves the flags as they were, so that bytecode of the build stays valid', async () => {
  const source = 'function f() { return 1 } f()';
  const cachedData = new Script(source).createCachedData();
  const collected = new Promise<void>((resolve) => {
    const observer = new PerformanceObserver(() => {
      observer.disconnect();
      resolve();
    });
    observer.observe({ entryTypes: ['gc'] });
  });
  const heap = () => ({ youngBytes: 16 * MIB, usedBytes: 20 * MIB });
  new IdleHeap({ heap, busyShare: () => 0 }).check();
  await collected;
  expect(new Script(source, { cachedData }).cachedDataRejected).toBe(false);
});
