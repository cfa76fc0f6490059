import { isProcessingFailure, type SourceTask } from '../../../packages/sdk/src';
import { javaSourceTask } from '../../../packages/java-host/src/plugins/java-source-task';
import type { HostValue } from '../../../packages/java-host/src/wire/host-value';
import { ScriptedHost } from '../scripted-host';
import { batchBytes } from './batch-bytes';
import { error, NEVER, polls, type Setup, startSourceTask } from './started-source-task';
import { jvmsOf, of, plugin, processing } from './task-parts';

let host: ScriptedHost;
afterEach(() => host.close());

const started = (setup: Setup = {}) => startSourceTask(setup, (its) => (host = its));
const values = (records: Awaited<ReturnType<SourceTask['poll']>>): string[] | null =>
  records && records.map(({ value }) => String(value));

describe('a Java source task', () => {
  it('opens its session and takes the processing', async () => {
    const { peer, opened, result } = await started();
    expect(result).toEqual({ steps: 1, converters: true });
    expect(opened).toEqual([
      [
        { location: '/plugins/my', classPath: ['/plugins/my/my.jar'] },
        {
          kind: 'source-task',
          connector: 'c',
          task: 2,
          class: 'my.Task',
          config: { t: '1' },
        },
      ],
    ]);
    expect(peer.requests('process')[0]?.args[0]).toMatchObject({
      steps: [
        {
          alias: 's',
          name: 'my.Step',
          settings: { a: 'b' },
          predicate: { alias: 'p', name: 'my.Predicate', settings: {} },
          negate: true,
        },
      ],
      key: { name: 'my.Key', settings: { x: 'y' } },
    });
    expect(peer.requests('start')[0]?.args[0]).toEqual({ transactions: false });
  });

  it('is of the class that its config has, in the JVM that its connector sizes', async () => {
    host = await ScriptedHost.start({ open: () => ({}), process: () => ({ steps: 0, converters: false }) });
    const { jvms, opened } = jvmsOf(host);
    const task = javaSourceTask(plugin, 'my.Task', jvms);
    await task.takeProcessing?.(processing, {
      ...of,
      config: { 'task.class': 'other.Task' },
      connectorConfig: { 'jvm.heap.mb': '512' },
    });
    expect(opened[0]?.[0]).toMatchObject({ connector: 'c', heapMb: 512 });
    expect(opened[0]?.[1]).toMatchObject({ class: 'other.Task' });
    task.release?.();
  });

  it('asks for the next batch when one has arrived, and not before', async () => {
    const { task, peer } = await started({
      batches: [
        { number: 1, records: [{}] },
        { number: 2, records: [{}, {}] },
      ],
    });
    expect(polls(peer)).toBe(0);
    expect(values(await task.poll())).toEqual(['v0']);
    await peer.until(() => polls(peer) === 2);
    expect(values(await task.poll())).toEqual(['v0', 'v1']);
    await peer.until(() => polls(peer) === 3);
    // The first batch is done with; the second one is being worked on.
    expect(peer.requests('release').map(({ args }) => args)).toEqual([[1]]);
  });

  it('holds one batch at most while the task is paused', async () => {
    const batches = [1, 2, 3].map((number) => ({ number, records: [{}] }));
    const { task, peer } = await started({ batches });
    await task.poll();
    await peer.until(() => polls(peer) === 2);
    await peer.call('configs');
    expect(polls(peer)).toBe(2);
    expect(await task.poll()).toHaveLength(1);
  });

  it('returns null for an empty poll, and polls again', async () => {
    const { task } = await started({ batches: [null, { records: [{}] }] });
    expect(await task.poll()).toBeNull();
    expect(await task.poll()).toHaveLength(1);
  });

  it('rejects with what poll has thrown, also ahead, and polls again', async () => {
    const { task } = await started({ batches: [new Error(), { records: [{}] }, new Error(), { records: [{}, {}] }] });
    await expect(task.poll()).rejects.toMatchObject({ retriable: true, javaClass: 'a.B' });
    expect(await task.poll()).toHaveLength(1);
    await expect(task.poll()).rejects.toMatchObject({ retriable: true });
    expect(await task.poll()).toHaveLength(2);
  });

  describe.each([[[]], [['commit']]])('whose class overrides %j', (overrides) => {
    const batches = [4, 4, 0].map((transaction, i) => ({ number: i + 1, first: i, transaction, records: [{}] }));

    it('returns the parts of a batch as they arrive, and asks for the next one meanwhile', async () => {
      const { task, peer } = await started({ overrides, batches });
      const released = (): unknown[] => peer.requests('release').map(({ args }) => args[0]);
      expect([values(await task.poll()), task.isWithinBatch]).toEqual([['v0'], true]);
      await peer.until(() => polls(peer) === 2);
      expect([values(await task.poll()), task.isWithinBatch]).toEqual([['v1'], true]);
      await peer.until(() => polls(peer) === 3);
      expect(released()).toEqual([1]);
      expect([values(await task.poll()), task.isWithinBatch]).toEqual([['v2'], false]);
      await peer.until(() => released().length === 2);
      const ahead = overrides.length === 0 ? 1 : 0;
      await peer.until(() => polls(peer) === 3 + ahead);
    });

    it('joins the parts of a batch for its transaction', async () => {
      const { task, peer } = await started({
        overrides,
        batches: [...batches, { number: 4, records: [{}] }],
        context: { exactlyOnce: true },
      });
      expect([values(await task.poll()), task.isWithinBatch]).toEqual([['v0', 'v1', 'v2'], false]);
      expect(values(await task.poll())).toEqual(['v0']);
      expect(peer.requests('release').map(({ args }) => args[0])).toEqual([1, 2, 3]);
    });
  });

  it('passes on transactions of records, and of the whole batch with its last part', async () => {
    const requests: unknown[] = [];
    const { task, peer } = await started({
      batches: [
        { number: 1, transaction: 4, records: [{ flags: 16 }] },
        { number: 2, first: 1, transaction: 2, records: [{}] },
        { number: 3, transaction: 1, records: [] },
      ],
      context: {
        exactlyOnce: true,
        transactionContext: {
          commitTransaction: (record) => requests.push(['commit', record?.sourceOffset]),
          abortTransaction: (record) => requests.push(['abort', record?.sourceOffset]),
        },
      },
    });
    expect(peer.requests('start')[0]?.args[0]).toEqual({ transactions: true });
    expect(await task.poll()).toHaveLength(2);
    expect(requests).toEqual([
      ['commit', { at: 0 }],
      ['abort', undefined],
    ]);
    expect(await task.poll()).toEqual([]);
    expect(requests[2]).toEqual(['commit', undefined]);
  });

  it('processes a failed record again', async () => {
    const failure = { stage: 'TRANSFORMATION', class: 'my.Step', error: error('retriable') };
    const { task, peer } = await started({
      answers: {
        retry: (part, index) =>
          batchBytes({ number: Number(part), first: Number(index), records: [{ value: 'again' }] }),
      },
      batches: [{ number: 9, first: 4, records: [{ flags: 2, failure }] }],
    });
    const [record] = (await task.poll()) as unknown as { outcome: unknown }[];
    const outcome = record?.outcome;
    if (!isProcessingFailure(outcome)) throw new Error('no failure');
    expect(String(((await outcome.retry()) as { value: unknown }).value)).toBe('again');
    expect(peer.requests('retry')[0]?.args).toEqual([9, 4]);
    // It can be retried until the next poll.
    expect(peer.requests('release')).toEqual([]);
  });

  it('fails with a record that has failed if it has taken nothing', async () => {
    const failure = { stage: 'KEY_CONVERTER', class: 'Data', error: error('data') };
    const { task } = await started({
      taken: { steps: 0, converters: false },
      batches: [{ records: [{ flags: 2, failure }] }],
    });
    await expect(task.poll()).rejects.toMatchObject({ javaClass: 'a.B' });
  });

  it('has commit and commitRecord only where the class has them', async () => {
    const { task } = await started();
    expect([task.commit, task.commitRecord]).toEqual([undefined, undefined]);
  });

  it('tells of acknowledged records in their order, before commit and stop', async () => {
    const { task, peer } = await started({
      overrides: ['commit', 'commitRecord'],
      batches: [
        { number: 1, records: [{}, {}] },
        { number: 2, records: [{}] },
        { number: 3, records: [{}] },
      ],
    });
    const [a, b] = (await task.poll()) ?? [];
    const [c] = (await task.poll()) ?? [];
    if (!a || !b || !c) throw new Error('no records');
    task.commitRecord?.(a, { topic: 't', partition: 1, offset: 258 });
    task.commitRecord?.(b, null);
    task.commitRecord?.(c, null);
    await task.commit?.(new Map());
    expect(
      peer.received.map((frame) => ('method' in frame ? frame.method : '')).filter((m) => /^commit/.test(m)),
    ).toEqual(['committed', 'committed', 'commit']);
    const [first, second] = peer.requests('committed');
    expect(first?.args[0]).toBe(1);
    expect((first?.args[1] as Buffer).toString('hex')).toBe(
      '00000000' + '01' + '00000001' + '0000000000000102' + '0000000174' + '00000001' + '00',
    );
    expect(second?.args).toEqual([2, Buffer.from('0000000000', 'hex')]);
    const [d] = (await task.poll()) ?? [];
    if (!d) throw new Error('no record');
    task.commitRecord?.(d, null);
    await task.stop();
    expect(peer.received.map((frame) => ('method' in frame ? frame.method : '')).slice(-3)).toEqual([
      'committed',
      'commit',
      'stop',
    ]);
    expect(peer.requests('commit').at(-1)?.args).toEqual([false]);
  });

  it('tells of a record only when all before it are acknowledged: Kafka may lose those in a crash', async () => {
    const { task, peer } = await started({
      overrides: ['commit', 'commitRecord'],
      batches: [
        { number: 1, records: [{}, {}] },
        { number: 2, records: [] },
        { number: 3, records: [{}, {}] },
      ],
    });
    const [a, b] = (await task.poll()) ?? [];
    expect(await task.poll()).toEqual([]);
    const [c, d] = (await task.poll()) ?? [];
    if (!a || !b || !c || !d) throw new Error('no records');
    task.commitRecord?.(d, null);
    task.commitRecord?.(b, null);
    await task.commit?.(new Map());
    expect(peer.requests('committed')).toEqual([]);
    task.commitRecord?.(a, null);
    await task.commit?.(new Map());
    const told = (): unknown[] =>
      peer.requests('committed').map(({ args: [part, bytes] }) => [part, (bytes as Buffer).toString('hex')]);
    expect(told()).toEqual([[1, '0000000000' + '0000000100']]);
    task.commitRecord?.(c, null);
    await task.commit?.(new Map());
    expect(told().slice(1)).toEqual([[3, '0000000000' + '0000000100']]);
  });

  it('stops only when the last acknowledged records have been told of, also without commit', async () => {
    let committed: (result: null) => void = () => undefined;
    const { task, peer } = await started({
      answers: { commit: () => new Promise((resolve) => (committed = resolve)) },
      overrides: ['commitRecord'],
      batches: [{ records: [{}] }],
    });
    for (const record of (await task.poll()) ?? []) task.commitRecord?.(record, null);
    const stop = task.stop();
    await peer.until(() => peer.requests('commit').length === 1);
    expect([peer.requests('committed').length, peer.requests('stop').length]).toEqual([1, 0]);
    committed(null);
    await stop;
    expect(peer.requests('stop')).toHaveLength(1);
  });

  it('tells of acknowledged records at the end of a turn', async () => {
    const { task, peer } = await started({ overrides: ['commitRecord'], batches: [{ records: [{}, {}] }] });
    for (const record of (await task.poll()) ?? []) task.commitRecord?.(record, null);
    await peer.until(() => peer.requests('committed').length > 0);
    expect((peer.requests('committed')[0]?.args[1] as Buffer).length).toBe(10);
  });

  it('reads offsets and its config for the task', async () => {
    const asked: unknown[] = [];
    const offsets = {
      offset: () => Promise.resolve(null),
      offsets: (partitions: readonly unknown[]) => {
        asked.push(...partitions);
        return Promise.resolve([{ lsn: 2n ** 60n }, null]);
      },
    };
    const { peer } = await started({ context: { offsets } });
    expect((await peer.call('offsets', [{ a: 1 }, JSON.parse('{"__proto__": 2}')])).value).toEqual([
      { lsn: 2n ** 60n },
      null,
    ]);
    expect(asked.map((partition) => Object.entries(partition as object))).toEqual([[['a', 1]], [['__proto__', 2]]]);
    expect((await peer.call('configs')).value).toEqual({ now: '1' });
    expect(await peer.call('offsets', 5)).toMatchObject({ type: 'error' });
  });

  it('ends a poll that hangs when it is stopped, and stop when it is released', async () => {
    const { task, peer, abort } = await started({ answers: { stop: () => NEVER } });
    const poll = task.poll();
    await peer.until(() => polls(peer) === 1);
    abort();
    expect(await poll).toBeNull();
    expect(await task.poll()).toBeNull();
    const stop = expect(task.stop()).rejects.toMatchObject({ code: 'JVM_SESSION_CLOSED' });
    await peer.until(() => peer.requests('stop').length === 1);
    task.release?.();
    await stop;
    await peer.closed;
  });

  it('does not return what arrives after it is stopped', async () => {
    let arrive: (batch: Buffer) => void = () => undefined;
    const { task, peer, abort } = await started({
      answers: { poll: () => new Promise((resolve) => (arrive = resolve)) },
    });
    const poll = task.poll();
    await peer.until(() => polls(peer) === 1);
    abort();
    arrive(batchBytes({ records: [{}] }));
    expect(await poll).toBeNull();
    await task.stop();
    expect(polls(peer)).toBe(1);
  });

  it('fails when its JVM ends', async () => {
    const { task, peer } = await started();
    const poll = expect(task.poll()).rejects.toMatchObject({ code: 'JVM_ENDED', retriable: false, restartable: true });
    await peer.until(() => polls(peer) === 1);
    peer.socket.destroy();
    await poll;
  });

  it('fails with a batch that cannot be read', async () => {
    const { task } = await started({ answers: { poll: () => Buffer.of(1) } });
    await expect(task.poll()).rejects.toMatchObject({ code: 'JAVA_HOST_PROTOCOL' });
  });

  it('refuses a preview', async () => {
    await expect(started({ context: { preview: true } })).rejects.toMatchObject({ code: 'JAVA_PREVIEW' });
  });

  it('released while it is opened closes its session', async () => {
    let open: (result: HostValue) => void = () => undefined;
    host = await ScriptedHost.start({ open: () => new Promise((resolve) => (open = resolve)) });
    const { jvms } = jvmsOf(host);
    const task = javaSourceTask(plugin, 'my.Task', jvms);
    const taking = expect(task.takeProcessing?.(processing, of)).rejects.toMatchObject({ code: 'JVM_SESSION_CLOSED' });
    while (host.peers.length === 0 || host.peer(0).requests('open').length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    task.release?.();
    open({});
    await taking;
    await host.peer(0).closed;
  });

  it('released while its constructor hangs closes its session', async () => {
    host = await ScriptedHost.start({ open: () => NEVER });
    const task = javaSourceTask(plugin, 'my.Task', jvmsOf(host).jvms);
    const taking = expect(task.takeProcessing?.(processing, of)).rejects.toMatchObject({ code: 'JVM_SESSION_CLOSED' });
    while (host.peers.length === 0 || host.peer(0).requests('open').length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    task.release?.();
    await taking;
    await host.peer(0).closed;
  });

  it("rejects with the settings' error of a converter", async () => {
    await expect(
      started({ answers: { process: () => Promise.reject(error('config') as never) } }),
    ).rejects.toMatchObject({
      javaClass: 'a.B',
    });
  });

  it('has nothing to commit or to stop once its JVM has ended', async () => {
    const { task, peer } = await started({ overrides: ['commit'] });
    const polled = task.poll();
    host.endPeers();
    await expect(polled).rejects.toThrow();
    await task.commit?.(new Map());
    await task.stop();
    expect([...peer.requests('commit'), ...peer.requests('stop')]).toEqual([]);
  });
});
