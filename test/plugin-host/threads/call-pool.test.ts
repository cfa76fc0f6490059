/** Which calls are repeated, where, and how often; with fake threads. */
import { CallPool } from '../../../src/plugin-host/threads/call-pool';
import type { PluginThread, PluginThreadOptions } from '../../../src/plugin-host/threads/plugin-thread-handle';
import { ThreadExitError, type PluginThreadExit } from '../../../src/plugin-host/threads/thread-exit-error';

type Events = Pick<PluginThreadOptions, 'onEnd' | 'onProgress'>;

interface FakeCall {
  readonly what: string;
  begun: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

class FakeThread {
  served = 0;
  gone = false;
  readonly ready = Promise.resolve();
  readonly calls: FakeCall[] = [];
  constructor(private readonly events: Events) {}

  get busy(): number {
    return this.calls.length;
  }

  call(_name: string, config: { what: string }): { number: number; answer: Promise<unknown>; readonly begun: boolean } {
    const number = ++this.served;
    let call!: FakeCall;
    const answer = new Promise<unknown>((resolve, reject) => {
      call = { what: config.what, begun: false, resolve, reject };
    });
    answer.catch(() => undefined);
    if (this.gone) call.reject(new ThreadExitError({ kind: 'closed' }, '', 0));
    else this.calls.push(call);
    return {
      number,
      answer,
      get begun() {
        return call.begun;
      },
    };
  }

  begin(): void {
    for (const call of this.calls) call.begun = true;
    this.events.onProgress?.(this as unknown as PluginThread);
  }

  answer(): void {
    this.begin();
    for (const call of this.calls.splice(0)) call.resolve(`${call.what} answered`);
    this.events.onProgress?.(this as unknown as PluginThread);
  }

  /** `holder`: number of the call in its recorded step. */
  endWith(end: PluginThreadExit = { kind: 'silent', ms: 5 }, holder = 0): void {
    this.gone = true;
    const ended = new ThreadExitError(end, 'the check of "k"', 0, holder);
    for (const call of this.calls.splice(0)) call.reject(ended);
    this.events.onEnd(this as unknown as PluginThread, ended);
  }

  async terminate(): Promise<void> {
    this.gone = true;
    for (const call of this.calls.splice(0)) call.reject(new ThreadExitError({ kind: 'closed' }, '', 0));
  }
}

const threads: FakeThread[] = [];
let pool: CallPool;
function makePool({ maxThreads = 4, callMs = 60_000 } = {}): void {
  threads.length = 0;
  pool = new CallPool({
    createThread: (events) => {
      const thread = new FakeThread(events);
      threads.push(thread);
      return thread as unknown as PluginThread;
    },
    maxThreads,
    idleMs: 60_000,
    callMs,
  });
}
const call = (what: string, key = what, name: 'validate' | 'alterOffsets' = 'validate'): Promise<unknown> =>
  (pool as unknown as { call(...args: unknown[]): Promise<unknown> })
    .call({ what, key }, name, { what })
    .catch((error: { code?: string; message: string }) => error);
const thread = (n: number): FakeThread => threads[n - 1] as FakeThread;
const whatOf = (n: number): string[] => thread(n).calls.map(({ what }) => what);
const settle = async (): Promise<void> => await jest.advanceTimersByTimeAsync(0);

beforeEach(() => {
  jest.useFakeTimers();
  makePool();
});
afterEach(async () => {
  await pool.close();
  jest.useRealTimers();
});

test('calls share a thread while it accepts them', async () => {
  const answers = Promise.all([call('a'), call('b')]);
  await settle();
  expect(threads).toHaveLength(1);
  thread(1).begin();
  const third = call('c');
  await settle();
  thread(1).answer();
  expect(await answers).toEqual(['a answered', 'b answered']);
  expect(await third).toBe('c answered');
  expect(threads).toHaveLength(1);
});

test('a call that a thread does not start moves to the next one, and so do later calls', async () => {
  const held = call('a');
  await settle();
  thread(1).begin();
  const [second, third] = [call('b'), call('c')];
  await jest.advanceTimersByTimeAsync(500);
  expect(whatOf(2)).toEqual(['b', 'c']);
  thread(2).answer();
  expect(await Promise.all([second, third])).toEqual(['b answered', 'c answered']);
  thread(1).answer();
  expect(await held).toBe('a answered');
});

test('calls in progress in a thread that died are repeated once, alone; the one that ends it again is rejected', async () => {
  const outcomes = Promise.all([call('a'), call('b')]);
  await settle();
  thread(1).begin();
  const unbegun = call('c');
  await settle();
  thread(1).endWith();
  await settle();
  // Never begun, so it is repeated in a shared thread.
  const alone = threads.slice(1).map(({ calls }) => calls.map(({ what }) => what));
  expect(alone.sort()).toEqual([['a'], ['b'], ['c']]);
  const of = (what: string): FakeThread => threads.find(({ calls }) => calls[0]?.what === what) as FakeThread;
  of('c').answer();
  of('b').answer();
  of('a').endWith({ kind: 'exit', code: 3 });
  expect(await outcomes).toEqual([
    expect.objectContaining({
      code: 'PLUGIN_THREAD_DIED',
      message: 'The check of "k" called process.exit(3): correct the plugin.',
    }),
    'b answered',
  ]);
  expect(await unbegun).toBe('c answered');
});

test('calls in progress that did not block the thread share a thread again once', async () => {
  const outcomes = Promise.all([call('a'), call('b')]);
  await settle();
  thread(1).begin();
  thread(1).endWith({ kind: 'silent', ms: 5 }, 1);
  await settle();
  const beside = call('c');
  await settle();
  const places = threads.slice(1).map(({ calls }) => calls.map(({ what }) => what));
  expect(places.sort()).toEqual([['a'], ['b', 'c']]);
  const of = (what: string): FakeThread => threads.find(({ calls }) => calls[0]?.what === what) as FakeThread;
  of('a').endWith();
  // The recorded step may be wrong, so it is trusted once.
  of('b').begin();
  of('b').endWith({ kind: 'silent', ms: 5 }, 7);
  await settle();
  of('b').answer();
  of('c').answer();
  expect(await outcomes).toEqual([expect.objectContaining({ code: 'PLUGIN_SILENT' }), 'b answered']);
  expect(await beside).toBe('c answered');
});

test('a thread that has not started makes no call the cause', async () => {
  const first = call('a');
  await settle();
  thread(1).endWith({ kind: 'boot', reason: 'it did not load its code' });
  expect(await first).toMatchObject({ code: 'PLUGIN_THREAD_NOT_STARTED', place: {} });
  const again = [call('a'), call('b')];
  await settle();
  expect(whatOf(2)).toEqual(['a', 'b']);
  thread(2).answer();
  await Promise.all(again);
});

test('alone in a new thread from the beginning, it is rejected at once, and for a minute gets threads of its own', async () => {
  const first = call('a');
  await settle();
  thread(1).begin();
  thread(1).endWith();
  expect(await first).toMatchObject({ code: 'PLUGIN_SILENT', place: { step: 'the check of "k"' } });
  expect(threads).toHaveLength(1);
  const [again, other] = [call('a'), call('b')];
  await settle();
  expect([whatOf(2), whatOf(3)]).toEqual([['a'], ['b']]);
  thread(2).answer();
  thread(3).answer();
  expect(await Promise.all([again, other])).toEqual(['a answered', 'b answered']);
  // A thread of its own ends with the call.
  expect([thread(2).gone, thread(3).gone]).toEqual([true, false]);
  await jest.advanceTimersByTimeAsync(60_000);
  void call('a');
  void call('c');
  await settle();
  expect(whatOf(4)).toEqual(['a', 'c']);
});

test('the number of threads is limited, and one of them is for shared calls', async () => {
  makePool({ maxThreads: 3 });
  const first = call('a');
  await settle();
  thread(1).begin();
  thread(1).endWith();
  await first;
  const blockers = Array.from({ length: 5 }, () => call('a'));
  const other = call('b');
  await settle();
  expect(threads.slice(1).map(({ calls }) => calls.map(({ what }) => what))).toEqual([['a'], ['a'], ['b']]);
  thread(4).answer();
  expect(await other).toBe('b answered');
  for (let n = 2; n <= threads.length; n++) {
    if (n !== 4) thread(n).answer();
    await settle();
  }
  expect(await Promise.all(blockers)).toEqual(blockers.map(() => 'a answered'));
});

test('a call that does not end is abandoned, and its thread gets no others', async () => {
  makePool({ callMs: 1000 });
  const never = call('a');
  await settle();
  thread(1).begin();
  await jest.advanceTimersByTimeAsync(1000);
  expect(await never).toMatchObject({ code: 'PLUGIN_CALL_TIMEOUT' });
  const other = call('b');
  await settle();
  thread(2).answer();
  expect(await other).toBe('b answered');
  await jest.advanceTimersByTimeAsync(1000);
  expect(thread(1).gone).toBe(true);
});

test('a thread replaced before the call was sent: the call runs in the next one', async () => {
  makePool({ maxThreads: 1 });
  const first = call('a');
  await settle();
  thread(1).begin();
  thread(1).endWith();
  await first;
  const shares = call('b');
  await settle();
  thread(2).answer();
  await shares;
  // The first finds the idle thread; the second needs one of its own, for which that one is ended.
  const [shared, alone] = [call('c'), call('a')];
  await settle();
  expect([thread(2).gone, whatOf(3)]).toEqual([true, ['a']]);
  thread(3).answer();
  await settle();
  thread(4).answer();
  expect(await Promise.all([shared, alone])).toEqual(['c answered', 'a answered']);
});

test('a change of offsets has a thread of its own, and is never repeated', async () => {
  const held = call('a');
  await settle();
  thread(1).begin();
  const change = call('change', 'change', 'alterOffsets');
  await jest.advanceTimersByTimeAsync(5_000);
  expect(threads.flatMap(({ calls }) => calls.map(({ what }) => what))).toEqual(['a', 'change']);
  thread(2).answer();
  expect(await change).toBe('change answered');
  expect(thread(2).gone).toBe(true);
  thread(1).answer();
  expect(await held).toBe('a answered');
});

test('after close, no call is sent', async () => {
  const open = call('a');
  await settle();
  await pool.close();
  expect([await open, await call('b')]).toEqual([
    expect.objectContaining({ code: 'PLUGIN_CLOSED' }),
    expect.objectContaining({ code: 'PLUGIN_CLOSED' }),
  ]);
});
