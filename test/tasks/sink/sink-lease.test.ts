import { SessionLease } from '../../../src/tasks/session-lease';
import { batch, eventually } from '../fakes';
import { ScriptedSink, start, stop, T0 } from './sink-fixture';

function heard(lease = new SessionLease(60_000)): SessionLease {
  lease.renew({ monotonic: performance.now(), wall: Date.now() });
  return lease;
}

describe('connect-runtime 109: the sink of a worker that may have lost its membership', () => {
  test('puts and commits nothing, and gets its partitions as lost when it stops', async () => {
    const lease = heard();
    const task = new ScriptedSink();
    const running = await start(task, {}, {}, undefined, lease.forWork());
    running.consumer.next([batch('t', 0, 0, ['a'])]);
    await eventually(() => task.records.length === 1);
    lease.keepFor(0);
    task.context.requestCommit();
    running.consumer.next([batch('t', 0, 1, ['b'])]);
    await eventually(() => task.values().length === 1);
    await stop(running);
    expect(task.values()).toEqual(['a']);
    expect(task.log).toEqual(['start', 'open 0,1', 'close 0,1', 'stop']);
    expect(running.consumer.commits).toEqual([]);
  });

  test('commits nothing after a preCommit that lasts until the session is over', async () => {
    const lease = heard();
    const task = new ScriptedSink();
    const running = await start(task, {}, {}, undefined, lease.forWork());
    running.consumer.next([batch('t', 0, 0, ['a'])]);
    await eventually(() => task.records.length === 1);
    task.preCommit = (offsets) => {
      lease.keepFor(0);
      return offsets;
    };
    await stop(running);
    expect(task.log).toEqual(['start', 'open 0,1', 'close 0,1', 'stop']);
    expect(running.consumer.commits).toEqual([]);
  });

  test('resumes with the fetched records once the membership is confirmed', async () => {
    const lease = heard();
    const task = new ScriptedSink();
    const running = await start(task, {}, {}, undefined, lease.forWork());
    lease.keepFor(0);
    running.consumer.next([batch('t', 0, 0, ['a'])]);
    await new Promise(setImmediate);
    expect(task.values()).toEqual([]);
    heard(lease);
    await eventually(() => task.values().length === 1);
    await stop(running);
    expect(running.consumer.commits.flat()).toContainEqual({ ...T0, offset: 1 });
  });
});
