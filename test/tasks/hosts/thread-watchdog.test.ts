/** Detection of task threads that do not answer, and the state after they answer again. */
import { MemoryLogger } from '@millrace/sdk/testing';
import type { Logger } from '../../../src/logging/logger';
import { CallClock } from '../../../src/tasks/call-clock';
import type { BlockingTask } from '../../../src/tasks/hosts/blocking-task';
import type { Run, ThreadHandle } from '../../../src/tasks/hosts/thread-handle';
import { ThreadWatchdog } from '../../../src/tasks/hosts/thread-watchdog';

const CHECK_MS = 500;
const LIMIT_MS = 60_000;

const runOf = (connector: string, number: number, thread: ThreadHandle): Run =>
  ({ number, spec: { id: { connector, task: 0 } }, thread, calls: new CallClock() }) as Run;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a thread that answers again keeps nothing of its silence; the next one has its own cause', async () => {
  const beat = { count: 1 };
  const thread = {
    options: { name: 'tasks-1' },
    beat,
    runs: new Map<number, Run>(),
    cancelledRuns: new Map<number, Run>(),
  } as unknown as ThreadHandle;
  const [a, b] = [runOf('a', 1, thread), runOf('b', 2, thread)];
  for (const run of [a, b]) thread.runs.set(run.number, run);
  let cause: BlockingTask = { run: a, frames: [] };
  const find = jest.fn(async () => cause);
  const end = jest.fn();
  const log = new MemoryLogger();
  const logger: Logger = Object.assign(log, { child: () => logger });
  const watchdog = new ThreadWatchdog({ threads: () => [thread], limitMs: () => LIMIT_MS, end, logger, find });
  const check = async (): Promise<void> => {
    await jest.advanceTimersByTimeAsync(CHECK_MS);
    watchdog.check();
  };
  const silence = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += CHECK_MS) await check();
  };

  await check();
  await silence(6_000);
  expect(find).toHaveBeenCalledTimes(1);
  expect(watchdog.problems()).toEqual([expect.stringMatching(/tasks-1 has not answered for 6 s: task a-0 blocks it/)]);
  expect([watchdog.isBlockedByOther(a), watchdog.isBlockedByOther(b)]).toEqual([false, true]);

  beat.count++;
  await check();
  expect(log.lines.at(-1)).toBe('warn Thread tasks-1 answers again after 6 s');
  expect(watchdog.problems()).toEqual([]);
  expect([watchdog.isBlockedByOther(a), watchdog.isBlockedByOther(b)]).toEqual([false, false]);
  log.lines.length = 0;
  beat.count++;
  await check();
  expect(log.lines).toEqual([]);

  cause = { run: b, frames: [] };
  await silence(4_000);
  expect([watchdog.isBlockedByOther(a), watchdog.isBlockedByOther(b)]).toEqual([true, true]);
  await silence(LIMIT_MS - 4_000);
  expect(find).toHaveBeenCalledTimes(2);
  expect(log.lines).toEqual([
    expect.stringMatching(/^error Thread tasks-1 has not answered for .*: task b-0 blocks it/),
  ]);
  expect(end).toHaveBeenCalledTimes(1);
  expect(end).toHaveBeenCalledWith(thread, cause, LIMIT_MS);
});
