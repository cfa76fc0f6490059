import { type Peer, type ScriptedHost } from '../scripted-host';
import { batchBytes } from './batch-bytes';
import { NEVER, polls, type Setup, startSourceTask } from './started-source-task';

let host: ScriptedHost;
afterEach(() => host.close());

const started = (setup: Setup = {}) => startSourceTask(setup, (its) => (host = its));

describe('a Java source task whose class has commit, which may acknowledge all that was polled', () => {
  const batches = [1, 2].map((number) => ({ number, records: [{}] }));
  const commits = (peer: Peer): number => peer.requests('commit').length;

  it('is not asked for a batch before the runtime has handed over the one before', async () => {
    const { task, peer } = await started({ overrides: ['commit'], batches });
    await task.poll();
    await task.commit?.(new Map());
    expect([polls(peer), commits(peer)]).toEqual([1, 1]);
    await task.poll();
    expect(polls(peer)).toBe(2);
  });

  describe('while parts of a batch have not been returned', () => {
    const parts = [4, 4, 0, 0].map((transaction, i) => ({ number: i + 1, transaction, records: [{}] }));
    const order = (peer: Peer): string[] =>
      peer.received.map((frame) => ('method' in frame ? frame.method : '')).filter((m) => /^(poll|commit)/.test(m));

    it('is told to commit once the runtime has handed them over, before it polls again', async () => {
      let committed: (result: null) => void = () => undefined;
      const { task, peer } = await started({
        overrides: ['commit'],
        answers: { commit: () => new Promise((resolve) => (committed = resolve)) },
        batches: parts,
      });
      await task.poll();
      await task.commit?.(new Map());
      await task.poll();
      await task.commit?.(new Map());
      await task.poll();
      expect(order(peer)).toEqual(['poll', 'poll', 'poll']);
      const next = task.poll();
      await peer.until(() => commits(peer) === 1);
      expect(order(peer)).toEqual(['poll', 'poll', 'poll', 'commit']);
      committed(null);
      expect(await next).toHaveLength(1);
      expect(order(peer)).toEqual(['poll', 'poll', 'poll', 'commit', 'poll']);
    });

    it('is told of acknowledged records before', async () => {
      const { task, peer } = await started({ overrides: ['commit', 'commitRecord'], batches: parts });
      const [first] = (await task.poll()) ?? [];
      await task.commit?.(new Map());
      await task.poll();
      await task.poll();
      if (!first) throw new Error('no record');
      task.commitRecord?.(first, null);
      await task.poll();
      expect(order(peer).slice(3)).toEqual(['committed', 'commit', 'poll']);
    });

    it('is told to commit once, and at once by a call that comes when they are returned', async () => {
      const { task, peer } = await started({ overrides: ['commit'], batches: parts });
      await task.poll();
      await task.commit?.(new Map());
      await task.poll();
      await task.poll();
      await task.commit?.(new Map());
      expect(order(peer)).toEqual(['poll', 'poll', 'poll', 'commit']);
      await task.poll();
      expect(commits(peer)).toBe(1);
    });

    it('is not told to commit when it is stopped between them', async () => {
      const { task, peer, abort } = await started({ overrides: ['commit'], batches: parts });
      await task.poll();
      await task.commit?.(new Map());
      abort();
      expect(await task.poll()).toBeNull();
      expect(task.isWithinBatch).toBe(true);
      await task.commit?.(new Map());
      await task.stop();
      expect([commits(peer), peer.requests('stop').length]).toEqual([0, 1]);
    });

    it('is not told to commit when it is stopped while it waits for one', async () => {
      let asked = 0;
      const { task, peer, abort } = await started({
        overrides: ['commit'],
        answers: { poll: () => (++asked === 1 ? batchBytes({ transaction: 4, records: [{}] }) : NEVER) },
      });
      await task.poll();
      const polling = task.poll();
      await peer.until(() => polls(peer) === 2);
      abort();
      expect(await polling).toBeNull();
      await task.commit?.(new Map());
      await task.stop();
      expect(commits(peer)).toBe(0);
    });

    it('ends a commit that hangs when it is stopped, and polls no more', async () => {
      const { task, peer, abort } = await started({
        overrides: ['commit'],
        answers: { commit: () => NEVER },
        batches: parts,
      });
      await task.poll();
      await task.commit?.(new Map());
      await task.poll();
      await task.poll();
      const polling = task.poll();
      await peer.until(() => commits(peer) === 1);
      abort();
      expect(await polling).toBeNull();
      expect(polls(peer)).toBe(3);
    });

    it('fails when its JVM ends in the commit that was held back', async () => {
      const { task, peer } = await started({
        overrides: ['commit'],
        answers: { commit: () => NEVER },
        batches: parts,
      });
      await task.poll();
      await task.commit?.(new Map());
      await task.poll();
      await task.poll();
      const polling = expect(task.poll()).rejects.toMatchObject({ code: 'JVM_ENDED' });
      await peer.until(() => commits(peer) === 1);
      host.endPeers();
      await polling;
    });

    it('is left to the next call in a transaction, which may not be committed by the next poll', async () => {
      let arrive: (batch: Buffer) => void = () => undefined;
      let asked = 0;
      const { task, peer } = await started({
        overrides: ['commit'],
        context: { exactlyOnce: true },
        answers: {
          poll: () =>
            ++asked === 1
              ? batchBytes({ transaction: 4, records: [{}] })
              : new Promise((resolve) => (arrive = resolve)),
        },
      });
      const joining = task.poll();
      await peer.until(() => polls(peer) === 2);
      await task.commit?.(new Map());
      arrive(batchBytes({ number: 2, records: [{}] }));
      expect(await joining).toHaveLength(2);
      const polling = task.poll();
      await peer.until(() => polls(peer) === 3);
      expect(commits(peer)).toBe(0);
      await task.commit?.(new Map());
      expect(commits(peer)).toBe(1);
      arrive(batchBytes({ number: 3, records: [{}] }));
      expect(await polling).toHaveLength(1);
    });
  });

  it('is not told to commit what arrives after it is stopped', async () => {
    let arrive: (batch: Buffer) => void = () => undefined;
    const poll = (): Promise<Buffer> => new Promise((resolve) => (arrive = resolve));
    const { task, peer, abort } = await started({ overrides: ['commit'], answers: { poll } });
    const polling = task.poll();
    await peer.until(() => polls(peer) === 1);
    abort();
    expect(await polling).toBeNull();
    const committing = task.commit?.(new Map());
    arrive(batchBytes({ records: [{}] }));
    await committing;
    await task.stop();
    expect(commits(peer)).toBe(0);
  });

  it('is told to commit when its last poll has no records', async () => {
    let arrive: (batch: null) => void = () => undefined;
    const poll = (): Promise<null> => new Promise((resolve) => (arrive = resolve));
    const { task, peer, abort } = await started({ overrides: ['commit'], answers: { poll } });
    const polling = task.poll();
    await peer.until(() => polls(peer) === 1);
    abort();
    await polling;
    const committing = task.commit?.(new Map());
    arrive(null);
    await committing;
    expect(commits(peer)).toBe(1);
  });

  it('is not told to commit when it is stopped within a batch', async () => {
    const { task, peer, abort } = await started({ overrides: ['commit'], batches });
    await task.poll();
    abort();
    await task.commit?.(new Map());
    expect(commits(peer)).toBe(0);
  });
});
