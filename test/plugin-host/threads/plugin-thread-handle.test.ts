/** When a thread that does not answer is terminated; with a simulated one. */
import { EventEmitter } from 'node:events';
import { url } from 'node:inspector';
import { LogLevels } from '../../../src/logging/log-levels';
import type { PluginThreadData } from '../../../src/plugin-host/protocol/messages';
import { PluginThread } from '../../../src/plugin-host/threads/plugin-thread-handle';
import type { ThreadExitError } from '../../../src/plugin-host/threads/thread-exit-error';
import { ThreadHeartbeat } from '../../../src/threads/thread-heartbeat';

jest.mock('node:inspector', () => ({ url: jest.fn() }));
jest.mock('node:worker_threads', () => ({
  get Worker() {
    return FakeWorker;
  },
}));

let beat: SharedArrayBuffer;
class FakeWorker extends EventEmitter {
  readonly stdout = new EventEmitter();
  constructor(_module: string, { workerData }: { workerData: PluginThreadData }) {
    super();
    ({ beat } = workerData);
  }
  async terminate(): Promise<void> {}
  postMessage(): void {}
}

function startThread(): { readonly ends: ThreadExitError[] } {
  const ends: ThreadExitError[] = [];
  new PluginThread({
    module: 'm',
    name: 't',
    data: { settings: {}, catalog: null },
    levels: new LogLevels(),
    silenceMs: 2_000,
    onMessage: () => undefined,
    onEnd: (_thread, end) => ends.push(end),
  });
  return { ends };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a thread that answered once is terminated when it is silent for longer than the limit', () => {
  const { ends } = startThread();
  Atomics.add(new Int32Array(beat), 0, 1);
  expect(new ThreadHeartbeat(beat).count).toBe(1);
  jest.advanceTimersByTime(2_000);
  expect(ends).toEqual([]);
  jest.advanceTimersByTime(1_000);
  expect(ends).toMatchObject([{ end: { kind: 'silent', ms: 2_000 } }]);
});

test('a thread that has not started has a longer limit, and no plugin is the cause', () => {
  const { ends } = startThread();
  jest.advanceTimersByTime(59_000);
  expect(ends).toEqual([]);
  jest.advanceTimersByTime(2_000);
  expect(ends).toMatchObject([{ end: { kind: 'boot' }, notCausedByPlugin: true }]);
});

test('while a debugger is attached, no thread is terminated', () => {
  jest.mocked(url).mockReturnValue('ws://127.0.0.1:9229/1');
  const { ends } = startThread();
  Atomics.add(new Int32Array(beat), 0, 1);
  jest.advanceTimersByTime(600_000);
  expect(ends).toEqual([]);
  jest.mocked(url).mockReturnValue(undefined);
  jest.advanceTimersByTime(1_000);
  expect(ends).toMatchObject([{ end: { kind: 'silent' } }]);
});
