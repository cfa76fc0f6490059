import { silentLogger } from '../../../src/logging/logger';
import { CallClock } from '../../../src/tasks/call-clock';
import type { ThreadHandle, Run } from '../../../src/tasks/hosts/thread-handle';
import { CANCELLED_MS, RELEASED_MS, ThreadFailures } from '../../../src/tasks/hosts/thread-failures';

/** A thread with this many tasks, the first of which throws an uncaught error. */
function crashWith(tasks: number): number[] {
  const waits: number[] = [];
  const ends = new ThreadFailures({
    listener: { onFailed: () => undefined } as never,
    logger: silentLogger,
    leaveMs: 60_000,
    forget: (run) => void run.thread.runs.delete(run.number),
    start: () => undefined,
    terminate: async () => undefined,
    schedule: (_thread, ms) => waits.push(ms),
  });
  const thread = { runs: new Map(), cancelledRuns: new Map(), post: () => undefined } as unknown as ThreadHandle;
  for (let number = 1; number <= tasks; number++) {
    const spec = { id: { connector: 'c', task: number }, connectorClass: 'C', connectorConfig: {}, taskConfig: {} };
    thread.runs.set(number, { number, spec, thread, calls: new CallClock() } as unknown as Run);
  }
  ends.onCrash(thread, 1, 'Error: not caught');
  return waits;
}

test('a broken thread without other tasks ends without a wait', () => {
  expect(crashWith(1)).toEqual([CANCELLED_MS]);
  expect(crashWith(2)).toEqual([5_000]);
});

test('a fault left in a thread by a finished run is not charged to the last task there', () => {
  const failed: string[] = [];
  const begun: [string, string][] = [];
  const ends = new ThreadFailures({
    listener: { onFailed: (id: { connector: string }) => failed.push(id.connector) } as never,
    logger: silentLogger,
    leaveMs: 60_000,
    forget: (run) => void run.thread.runs.delete(run.number),
    start: (spec, place) => begun.push([spec.id.connector, place]),
    terminate: async () => undefined,
    schedule: () => undefined,
  });
  const calls = new CallClock();
  const thread = {
    runs: new Map(),
    cancelledRuns: new Map(),
    options: {},
    post: () => undefined,
  } as unknown as ThreadHandle;
  for (const [number, connector] of ['faulty', 'other'].entries()) {
    const spec = { id: { connector, task: 0 }, connectorClass: 'C', connectorConfig: {}, taskConfig: {} };
    thread.runs.set(number, { number, spec, thread, calls } as unknown as Run);
  }
  ends.onCrash(thread, 0, 'Error: not caught');
  thread.cancelledRuns.clear();
  ends.onCrash(thread, null, 'Error: not caught either');
  expect(failed).toEqual(['faulty']);
  ends.onThreadDeath(thread, 'it ended');
  expect(failed).toEqual(['faulty']);
  expect(begun).toEqual([['other', 'alone']]);
});

test.each([
  ['the others leave and keep their state', false],
  ['if its end follows, the others stay', true],
])('a call that does not return: its run is revoked and cancelled; %s', (_case, isReleased) => {
  jest.useFakeTimers();
  const failed: unknown[][] = [];
  const begun: [string, string][] = [];
  const posted: string[] = [];
  const waits: number[] = [];
  const ends = new ThreadFailures({
    listener: { onFailed: (...report: unknown[]) => failed.push(report) } as never,
    logger: silentLogger,
    leaveMs: 60_000,
    forget: (run) => void run.thread.runs.delete(run.number),
    start: (spec, place) => begun.push([spec.id.connector, place]),
    terminate: async () => undefined,
    schedule: (_thread, ms) => waits.push(ms),
  });
  const thread = {
    runs: new Map(),
    cancelledRuns: new Map(),
    options: {},
    post: ({ type, run }: { type: string; run: number }) => posted.push(`${type} ${run}`),
  } as unknown as ThreadHandle;
  const [stuck, other] = ['stuck', 'other'].map((connector, number) => {
    const spec = { id: { connector, task: 0 }, connectorClass: 'C', connectorConfig: {}, taskConfig: {} };
    const run = { number, spec, thread, calls: new CallClock(), moving: null } as unknown as Run;
    thread.runs.set(number, run);
    return run;
  }) as [Run, Run];
  ends.onStuck(stuck, 'Error: stuck\n', 300_000, false);
  expect(stuck.calls.revoked).toBe(true);
  expect(other.calls.revoked).toBe(false);
  expect(posted).toEqual(['cancel 0']);
  expect(failed).toEqual([[stuck.spec.id, 'Error: stuck\n', true, 300_000]]);
  if (isReleased) thread.cancelledRuns.delete(stuck.number);
  jest.advanceTimersByTime(RELEASED_MS);
  jest.useRealTimers();
  if (isReleased) {
    expect([thread.draining, posted, waits]).toEqual([undefined, ['cancel 0'], []]);
    return;
  }
  expect(posted).toEqual(['cancel 0', 'stop 1']);
  expect([thread.draining, waits]).toEqual([true, [5_000]]);
  expect([ends.placeOf(stuck.spec), ends.placeOf(other.spec)]).toEqual(['stuck', 'shared']);
  ends.onTaskLeft(other);
  expect(begun).toEqual([['other', 'shared']]);
});

test('a thread that its task blocked: the time without an answer was no healthy run', async () => {
  const failed: unknown[][] = [];
  const ends = new ThreadFailures({
    listener: { onFailed: (...report: unknown[]) => failed.push(report) } as never,
    logger: silentLogger,
    leaveMs: 60_000,
    forget: (run) => void run.thread.runs.delete(run.number),
    start: () => undefined,
    terminate: async () => undefined,
    schedule: () => undefined,
  });
  const thread = { runs: new Map(), cancelledRuns: new Map(), options: {} } as unknown as ThreadHandle;
  const spec = { id: { connector: 'c', task: 0 }, connectorClass: 'C', connectorConfig: {}, taskConfig: {} };
  const run = { number: 1, spec, thread, calls: new CallClock() } as unknown as Run;
  thread.runs.set(1, run);
  ends.onSilence(thread, { run, frames: [] }, 61_000);
  await new Promise(setImmediate);
  expect(failed).toEqual([[spec.id, expect.stringContaining('TASK_THREAD_SILENT'), true, 61_000]]);
});

test('an uncaught error: its task may send nothing more, and neither may those that do not leave in time', () => {
  const posted: string[] = [];
  let cutOff = (): void => undefined;
  const ends = new ThreadFailures({
    listener: { onFailed: () => undefined } as never,
    logger: silentLogger,
    leaveMs: 60_000,
    forget: (run) => void run.thread.runs.delete(run.number),
    start: () => undefined,
    terminate: async () => undefined,
    schedule: (_thread, _ms, then) => (cutOff = then),
  });
  const thread = {
    runs: new Map(),
    cancelledRuns: new Map(),
    post: ({ type, run }: { type: string; run: number }) => posted.push(`${type} ${run}`),
  } as unknown as ThreadHandle;
  const [faulty, late] = ['faulty', 'late'].map((connector, number) => {
    const spec = { id: { connector, task: 0 }, connectorClass: 'C', connectorConfig: {}, taskConfig: {} };
    const run = { number, spec, thread, calls: new CallClock(), moving: null } as unknown as Run;
    thread.runs.set(number, run);
    return run;
  }) as [Run, Run];
  ends.onCrash(thread, 0, 'Error: not caught');
  expect([faulty.calls.revoked, late.calls.revoked]).toEqual([true, false]);
  cutOff();
  expect(late.calls.revoked).toBe(true);
  expect(posted).toEqual(['cancel 0', 'stop 1', 'cancel 1']);
});
