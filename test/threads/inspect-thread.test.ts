/** A thread that does not answer can be inspected for its running code and position, and continues unaffected. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Session } from 'node:inspector';
import { inspectThread } from '../../src/threads/inspect-thread';
import { waitFor } from '../helpers/wait-for';

/** On a busy machine the debugger is slow. */
const IN_TIME_MS = 60_000;
/** Line 6 is where it spins. */
const CODE = `const { workerData, parentPort } = require('node:worker_threads');
const { AsyncLocalStorage } = require('node:async_hooks');
const owner = new AsyncLocalStorage();
globalThis[Symbol.for('millrace.threads.owner')] = () => owner.getStore();
const state = new Int32Array(workerData.state);
function spin() { while (Atomics.load(state, 0) === 0); }
function match() { for (let t = 'aaaaaaaaaaaa'; Atomics.load(state, 0) === 0; t += 'a') /^(a+)+$/.test(t + "b"); }
function wait() { Atomics.wait(state, 0, 0); }
function read() { require('node:fs').readFileSync(workerData.pipe); }
const work = { spin, match, wait, read };
parentPort.on('message', (what) => owner.run(7, async () => {
  await null;
  setTimeout(() => {
    parentPort.postMessage('begins');
    work[what]();
    parentPort.postMessage('is over');
  }, 1);
}));
`;

let folder: string;
let file: string;
/** An open for reading waits in native code until the pipe is opened for writing. */
let pipe: string;
const threads: Worker[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-view-'));
  file = join(folder, 'thread.js');
  writeFileSync(file, CODE);
  pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(threads.splice(0).map((thread) => thread.terminate()));
});

function started(): { thread: Worker; letGo: () => void } {
  const state = new SharedArrayBuffer(4);
  const thread = new Worker(file, { workerData: { state, pipe } });
  threads.push(thread);
  return {
    thread,
    letGo: () => {
      Atomics.store(new Int32Array(state), 0, 1);
      Atomics.notify(new Int32Array(state), 0);
    },
  };
}
const said = async (thread: Worker): Promise<unknown> => ((await once(thread, 'message')) as unknown[])[0];

test.each([
  ['spin', 6],
  ['match', 7],
  ['wait', 8],
])('%s: its owner, its function and its line; it continues afterwards', async (what, line) => {
  started();
  const { thread, letGo } = started();
  started();
  thread.postMessage(what);
  expect(await said(thread)).toBe('begins');
  const view = await inspectThread(thread.threadId, IN_TIME_MS);
  expect(view?.owner).toBe(7);
  expect(view?.frames[0]).toEqual({ name: what, file, line });
  const over = said(thread);
  letGo();
  expect(await over).toBe('is over');
});

test('a thread that waits in native code does not answer, and continues when it returns', async () => {
  const { thread } = started();
  thread.postMessage('read');
  expect(await said(thread)).toBe('begins');
  // It says so before it is in native code, and until then it answers.
  const silent = async (): Promise<boolean> => (await inspectThread(thread.threadId, 300)) === null;
  await waitFor('a thread that does not answer', silent);
  const over = said(thread);
  writeFileSync(pipe, '');
  expect(await over).toBe('is over');
  thread.postMessage('spin');
  expect(await said(thread)).toBe('begins');
});

test('a thread that is gone: no answer', async () => {
  const { thread } = started();
  await once(thread, 'online');
  const { threadId } = thread;
  await thread.terminate();
  const closed = jest.spyOn(Session.prototype, 'disconnect');
  expect(await inspectThread(threadId, 300)).toBeNull();
  await new Promise((resolve) => setImmediate(resolve));
  expect(closed).toHaveBeenCalledTimes(1);
});

test('a thread may be inspected many times, and terminated right after', async () => {
  for (let i = 0; i < 5; i++) {
    const { thread } = started();
    thread.postMessage('spin');
    await said(thread);
    const views = await Promise.all([1, 2].map(() => inspectThread(thread.threadId, IN_TIME_MS)));
    expect(views.map((view) => view?.owner)).toEqual([7, 7]);
    await thread.terminate();
  }
});
