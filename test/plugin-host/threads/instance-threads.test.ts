/** What becomes of connectors' instances when a thread ends; with threads that only pretend. */
import { silentLogger } from '../../../src/logging/logger';
import { copyError } from '../../../src/plugin-host/protocol/error-copy';
import type { HostedConnector, InstanceEvents } from '../../../src/plugin-host/host';
import { InstanceThreads } from '../../../src/plugin-host/threads/instance-threads';
import type { PluginThread, PluginThreadOptions } from '../../../src/plugin-host/threads/plugin-thread-handle';
import { ThreadExitError, type PluginThreadExit } from '../../../src/plugin-host/threads/thread-exit-error';

interface FakeCall {
  readonly name: string;
  begun: boolean;
  resolve(value?: unknown): void;
  reject(error: unknown): void;
}

/** Answers calls at once, except those that it is set to keep. */
class FakeThread {
  gone = false;
  readonly seen: string[] = [];
  readonly kept: FakeCall[] = [];
  readonly keeps = new Set<string>();
  constructor(private readonly events: Pick<PluginThreadOptions, 'onEnd'>) {}

  call(name: string): { readonly answer: Promise<unknown>; readonly begun: boolean } {
    this.seen.push(name);
    let call!: FakeCall;
    const answer = new Promise<unknown>((resolve, reject) => (call = { name, begun: true, resolve, reject }));
    answer.catch(() => undefined);
    if (this.gone) call.reject(new ThreadExitError({ kind: 'closed' }, '', 0));
    else if (this.keeps.has(name)) this.kept.push(call);
    else call.resolve([]);
    return { answer, begun: true };
  }

  post(): void {}

  /** `owner`: number of the instance in the thread's recorded step. */
  endWith(owner: number, cause: PluginThreadExit = { kind: 'silent', ms: 5 }): void {
    this.gone = true;
    const end = new ThreadExitError(cause, '', owner);
    for (const call of this.kept) call.reject(end);
    this.events.onEnd(this as unknown as PluginThread, end);
  }

  async terminate(): Promise<void> {
    this.gone = true;
  }
}

const threads: FakeThread[] = [];
/** Connectors that were restarted together. */
const restarted: (readonly string[])[] = [];
let instances: InstanceThreads;
beforeEach(() => {
  threads.length = 0;
  restarted.length = 0;
  instances = new InstanceThreads({
    createThread: (events) => {
      const thread = new FakeThread(events);
      threads.push(thread);
      return thread as unknown as PluginThread;
    },
    idleMs: 60_000,
    onRestart: (connectors) => restarted.push(connectors),
  });
});
afterEach(async () => await instances.close());

const thread = (n: number): FakeThread => threads[n - 1] as FakeThread;
const settle = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));
const hosted = (connector: string, config: Record<string, string> = {}): HostedConnector =>
  ({ connector, description: { class: 'C' }, config, workerSettings: {} }) as unknown as HostedConnector;
function events(): InstanceEvents & { readonly raised: unknown[] } {
  const raised: unknown[] = [];
  return { raised, logger: silentLogger, raiseError: (error: unknown) => raised.push(error) } as never;
}

test('a stop interrupted by another connector’s fault succeeds: nothing is left to stop', async () => {
  const recorded = events();
  const restarted = await instances.create(hosted('restarted'), recorded);
  await restarted.start?.();
  await instances.create(hosted('cause'), events());
  thread(1).keeps.add('stop');
  const stopped = restarted.stop?.();
  await settle();
  thread(1).endWith(2);
  await stopped;
  expect(recorded.raised).toEqual([]);
  expect(thread(2).seen).toEqual(['create']);
  // Started again, it is stopped as ever.
  await restarted.start?.();
  await restarted.stop?.();
  expect(thread(2).seen).toEqual(['create', 'start', 'stop']);
});

test('an instance that was started again in another thread is stopped there', async () => {
  const restarted = await instances.create(hosted('restarted'), events());
  await restarted.start?.();
  await instances.create(hosted('cause'), events());
  thread(1).endWith(2);
  await restarted.stop?.();
  expect(thread(2).seen).toEqual(['create', 'start', 'stop']);
});

test('the connector whose answer is awaited is the cause, whatever it requested meanwhile', async () => {
  const [ofCause, ofRestarted] = [events(), events()];
  const cause = await instances.create(hosted('cause'), ofCause);
  await cause.start?.();
  await instances.create(hosted('restarted'), ofRestarted);
  thread(1).keeps.add('taskConfigs');
  const configs = Promise.resolve(cause.taskConfigs(1)).catch((error: Error) => error);
  await settle();
  await cause.stop?.();
  thread(1).endWith(0);
  expect(await configs).toMatchObject({ code: 'PLUGIN_SILENT' });
  expect([ofCause.raised.length, ofRestarted.raised.length]).toEqual([1, 0]);
});

test('the connector that is the cause has a dedicated thread until its config changes', async () => {
  const cause = await instances.create(hosted('cause', { does: 'spin' }), events());
  thread(1).endWith(1);
  cause.release?.();
  await instances.create(hosted('other'), events());
  const again = await instances.create(hosted('cause', { does: 'spin' }), events());
  expect(threads).toHaveLength(3);
  again.release?.();
  await instances.create(hosted('cause', { does: 'nothing' }), events());
  expect(threads).toHaveLength(3);
  expect(thread(2).seen).toEqual(['create', 'create']);
});

test('a fault left by a stopped connector is not charged to another one', async () => {
  const gone = await instances.create(hosted('gone'), events());
  const others = [events(), events()];
  await instances.create(hosted('b'), others[0] as never);
  await instances.create(hosted('c'), others[1] as never);
  gone.release?.();
  thread(1).endWith(1, { kind: 'crash', error: copyError(new Error('left behind')), owner: 1, call: 0 });
  await settle();
  expect(others.map(({ raised }) => raised)).toEqual([[], []]);
  // It is known who it was: the others need not be parted.
  expect(restarted).toEqual([['b', 'c']]);
  expect(thread(2).seen).toEqual(['create', 'create']);
});

test('the same with a single other connector in the thread', async () => {
  const gone = await instances.create(hosted('gone'), events());
  const other = events();
  await instances.create(hosted('b'), other);
  gone.release?.();
  thread(1).endWith(1);
  expect(other.raised).toEqual([]);
  expect(thread(2).seen).toEqual(['create']);
});

test('a failed instance is not created again when another one ends its thread', async () => {
  const recorded = events();
  const failed = await instances.create(hosted('failed'), recorded);
  await failed.start?.();
  instances.onMessage({ type: 'raise', instance: 1, error: copyError(new Error('no database')) });
  await instances.create(hosted('cause'), events());
  await instances.create(hosted('restarted'), events());
  thread(1).endWith(2);
  await settle();
  expect(restarted).toEqual([['restarted']]);
  expect(thread(2).seen).toEqual(['create']);
  expect(recorded.raised).toHaveLength(1);
  // What there was to stop has ended with the thread.
  await failed.stop?.();
  failed.release?.();
  expect(thread(2).seen).toEqual(['create']);
});

test('a thread that has not started: its connectors fail, and none is isolated', async () => {
  const recorded = events();
  const instance = await instances.create(hosted('c'), recorded);
  thread(1).endWith(0, { kind: 'boot', reason: 'it did not load its code' });
  expect(recorded.raised).toEqual([expect.objectContaining({ code: 'PLUGIN_THREAD_NOT_STARTED', retriable: true })]);
  instance.release?.();
  await instances.create(hosted('c'), events());
  await instances.create(hosted('d'), events());
  expect(threads).toHaveLength(2);
});

test('after close, no thread is created', async () => {
  await instances.close();
  await expect(instances.create(hosted('late'), events())).rejects.toMatchObject({ code: 'PLUGIN_CLOSED' });
  expect(threads).toEqual([]);
});
