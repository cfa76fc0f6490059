import { join } from 'node:path';
import type { SourceTask, TaskSignal } from '@millrace/sdk';
import { LogLevels } from '../../../src/logging/log-levels';
import { valueOf } from '../../../src/metrics/published-series';
import type { TaskHost, TaskSpec } from '../../../src/tasks/host';
import { InlineTaskHost } from '../../../src/tasks/hosts/inline-task-host';
import { taskLoggerName } from '../../../src/tasks/task-id';
import { ThreadTaskHost } from '../../../src/tasks/hosts/thread-task-host';
import {
  eventually,
  MemoryOffsets,
  PARTITION,
  record,
  RecordingListener,
  RecordingLogger,
  ScriptedSource,
  sourceOf,
  spec,
  world,
} from '../fakes';

/** For tasks that do stop: a pause of seconds must not cancel them. */
const IN_TIME_MS = 60_000;

let open: TaskHost[] = [];
afterEach(async () => {
  await Promise.all(open.map((host) => host.close()));
  open = [];
});

interface Threads {
  host: ThreadTaskHost;
  listener: RecordingListener;
  logger: RecordingLogger;
  offsets: MemoryOffsets;
  run(name: string, does: string, config?: Record<string, string>): Promise<TaskSpec>;
}
function threads(size = 1, idleMs = 60_000, levels = new LogLevels(), silenceMs = 0): Threads {
  const listener = new RecordingListener();
  const logger = new RecordingLogger();
  const offsets = new MemoryOffsets();
  const host = new ThreadTaskHost({
    data: { settings: {}, catalog: null },
    threads: size,
    gracefulTimeoutMs: 200,
    silenceMs,
    offsets,
    listener,
    logger,
    levels,
    idleMs,
    module: join(__dirname, 'fixtures', 'thread.js'),
  });
  open.push(host);
  const run = async (name: string, does: string, config: Record<string, string> = {}): Promise<TaskSpec> => {
    const task = spec('source', { ...config, does }, { id: { connector: name, task: 0 } });
    await host.start(task);
    return task;
  };
  return { host, listener, logger, offsets, run };
}
/** Names of the threads in use. */
const threadsOf = (host: ThreadTaskHost): string[] =>
  [...(host as unknown as { threads: Set<{ options: { name: string } }> }).threads].map((t) => t.options.name);

describe('thread host', () => {
  test('retired threads keep their tasks and get no others; they end with their last task, idle ones at once', async () => {
    const { host, listener, run } = threads(2);
    const first = await run('a', 'works');
    const second = await run('b', 'works');
    await eventually(() => listener.events.length === 2);
    await host.stop([second.id], IN_TIME_MS);
    host.retireThreads();
    expect(threadsOf(host)).toEqual(['tasks-1']);
    await run('b', 'works');
    expect(threadsOf(host)).toEqual(['tasks-1', 'tasks-3']);
    await host.stop([first.id], IN_TIME_MS);
    await eventually(() => threadsOf(host).length === 1);
    expect(threadsOf(host)).toEqual(['tasks-3']);
  });

  test('no thread before the first task; tasks share the pool; statuses are returned', async () => {
    const { host, listener, run } = threads(2);
    expect(threadsOf(host)).toEqual([]);
    const specs = await Promise.all(['a', 'b', 'c'].map((name) => run(name, 'works')));
    expect(threadsOf(host)).toEqual(['tasks-1', 'tasks-2']);
    await eventually(() => listener.events.length === 3 && listener.topics.length === 3);
    expect(listener.topics).toEqual(['t', 't', 't']);
    expect(specs.map((s) => host.has(s.id))).toEqual([true, true, true]);
    expect(
      await host.stop(
        specs.map((s) => s.id),
        IN_TIME_MS,
      ),
    ).toEqual([]);
    expect(listener.events.slice(3).sort()).toEqual(['stopped a-0', 'stopped b-0', 'stopped c-0']);
    expect(specs.map((s) => host.has(s.id))).toEqual([false, false, false]);
  });

  test('the metrics of a plugin are read in the memory of its thread', async () => {
    const { listener, run } = threads();
    await run('a', 'publishes');
    await eventually(() => listener.published.length === 1);
    expect(listener.published.map(valueOf)).toEqual([42]);
  });

  test('a running task cannot be started again, a failed one can, from the status callback itself', async () => {
    const { host, listener, run } = threads();
    const a = await run('a', 'works');
    await expect(host.start(a)).rejects.toThrow('running already');
    const report = listener.onFailed;
    listener.onFailed = (id, trace, retriable) => {
      report(id, trace, retriable);
      void host.start(spec('source', { does: 'works' }, { id }));
    };
    await run('b', 'fails');
    await eventually(() => listener.events.filter((e) => e === 'running b-0').length === 2);
    expect(listener.trace).toBe('java.lang.Y: no\n');
    expect(listener.retriable).toBe(false);
  });

  test('task.isolation=dedicated and task.memory.mb: a thread of its own that ends with the task', async () => {
    const { host, listener, run } = threads();
    await run('a', 'works');
    const b = await run('b', 'works', { 'task.isolation': 'dedicated' });
    await run('c', 'works', { 'task.memory.mb': '64' });
    expect(threadsOf(host)).toEqual(['tasks-1', 'tasks-2', 'tasks-3']);
    await eventually(() => listener.events.length === 3);
    await host.stop([b.id], IN_TIME_MS);
    await eventually(() => threadsOf(host).length === 2);
    expect(threadsOf(host)).toEqual(['tasks-1', 'tasks-3']);
  });

  test('the young generation of a task thread has the same limit on every version of Node.js', async () => {
    const { host, logger, run } = threads();
    await run('a', 'tells its limits');
    await run('b', 'tells its limits', { 'task.memory.mb': '64' });
    await eventually(() => logger.lines.length === 2);
    const limits = logger.lines.map((line) => JSON.parse(line.slice(line.indexOf('{'))) as Record<string, number>);
    expect(limits.map((limit) => limit.maxYoungGenerationSizeMb)).toEqual([12, 12]);
    expect(limits.filter((limit) => limit.maxOldGenerationSizeMb === 64)).toHaveLength(1);
    expect(threadsOf(host)).toEqual(['tasks-1', 'tasks-2']);
  });

  test('threads prepared for tasks: as many as they will share, which then run there', async () => {
    const { host, listener, run } = threads(2);
    host.prepare([{ 'task.isolation': 'dedicated' }]);
    expect(threadsOf(host)).toEqual([]);
    host.prepare([{}]);
    expect(threadsOf(host)).toEqual(['tasks-1']);
    host.prepare([{}, {}, {}]);
    expect(threadsOf(host)).toEqual(['tasks-1', 'tasks-2']);
    await run('a', 'works');
    await run('b', 'works');
    await listener.until('running a-0');
    await listener.until('running b-0');
    expect(threadsOf(host)).toEqual(['tasks-1', 'tasks-2']);
  });

  test('prepared threads end after the idle time if no task comes', async () => {
    const { host } = threads(2, 10);
    host.prepare([{}, {}]);
    await eventually(() => threadsOf(host).length === 0);
    expect(threadsOf(host)).toEqual([]);
  });

  test('an idle thread ends, the next task gets a new one', async () => {
    const { host, listener, run } = threads(1, 10);
    const a = await run('a', 'works');
    await eventually(() => listener.events.length === 1);
    await host.stop([a.id], IN_TIME_MS);
    await eventually(() => threadsOf(host).length === 0);
    await run('b', 'works');
    await listener.until('running b-0');
    expect(threadsOf(host)).toEqual(['tasks-2']);
  });

  test('connect-rest 145: levels reach existing threads and those created later; the class of a task is a logger', async () => {
    const levels = new LogLevels();
    const { host, logger, run } = threads(2, 60_000, levels);
    const task = await run('c', 'nothing');
    expect(levels.find(taskLoggerName(task))).toEqual({ level: 'INFO', lastModified: null });
    levels.set('org.apache', 'DEBUG');
    await eventually(() => logger.lines.includes('info log-level undefined'));
    const given = jest.spyOn(levels, 'snapshot');
    await run('d', 'nothing');
    expect(given.mock.results[0]?.value).toEqual({ initial: 'INFO', rules: [['org.apache', 'DEBUG']] });
    await host.close();
    levels.set('org.apache', 'INFO');
  });

  test('offsets and log lines cross the thread boundary', async () => {
    const { listener, logger, offsets, run } = threads();
    offsets.stored.set('a {"file":"a"}', { n: 4 });
    await run('a', 'reads offsets');
    await eventually(() => logger.lines.length === 2);
    expect(logger.lines).toEqual([
      'info {"type":"answer","request":1,"result":[{"n":4}],"error":null}',
      'info {"type":"answer","request":2,"error":null}',
    ]);
    expect(offsets.of(PARTITION, 'a')).toEqual({ n: 5n });
    await listener.until('running a-0');
  });

  test('a failed write is returned as an error', async () => {
    const { logger, offsets, run } = threads();
    offsets.errors = [new Error('no leader')];
    await run('a', 'reads offsets');
    await eventually(() => logger.lines.length === 2);
    const error = { message: 'no leader', code: 'OFFSET_STORAGE', retriable: false };
    expect(logger.lines).toContain(`info ${JSON.stringify({ type: 'answer', request: 2, result: null, error })}`);
  });

  describe('a thread that ends unexpectedly: FAILED tasks with a trace, marked for a restart', () => {
    const traces = (listener: RecordingListener): Map<string, string> => {
      const found = new Map<string, string>();
      const report = listener.onFailed;
      listener.onFailed = (id, trace, retriable) => {
        found.set(id.connector, trace);
        report(id, trace, retriable);
      };
      return found;
    };

    test.each(['throws', 'crashes'])(
      'an uncaught error (%s): the failing task has its trace, the others restart, uncharged and in their former state',
      async (does) => {
        const { host, listener, logger, run } = threads();
        const found = traces(listener);
        await run('neighbour', 'works');
        const paused = await run('paused', 'works');
        await eventually(() => listener.events.length === 2);
        host.pause(paused.id);
        await run('faulty', does);
        await listener.until('paused paused-0');
        await eventually(() => listener.events.filter((event) => event === 'running neighbour-0').length === 2);
        expect([...found]).toEqual([['faulty', 'java.lang.X: thrown by faulty\n']]);
        expect(listener.retriable).toBe(true);
        expect(listener.events.filter((event) => event.startsWith('restarting')).sort()).toEqual([
          'restarting neighbour-0',
          'restarting paused-0',
        ]);
        expect(logger.lines).toContainEqual(
          expect.stringContaining('failure: uncaught error in task faulty-0 (java.lang.X: thrown by faulty)'),
        );
        expect(['neighbour', 'paused'].map((connector) => host.has({ connector, task: 0 }))).toEqual([true, true]);
        await eventually(() => threadsOf(host).join() === 'tasks-2');
        // It is isolated from now on, unless it is configured otherwise.
        await run('faulty', does);
        expect(threadsOf(host)).toEqual(['tasks-2', 'tasks-3']);
        await eventually(() => listener.events.filter((event) => event === 'failed faulty-0').length === 2);
        await run('faulty', 'works');
        await eventually(() => threadsOf(host).join() === 'tasks-2');
      },
    );

    test('an error of unknown origin: each task restarts alone, and the one that repeats it fails', async () => {
      const { host, listener, run } = threads();
      const found = traces(listener);
      await run('a', 'works');
      await run('b', 'unknown crash');
      await eventually(() => found.size === 1);
      expect([...found]).toEqual([['b', 'java.lang.X: whose?\n']]);
      expect(listener.events.filter((event) => event.startsWith('restarting')).sort()).toEqual([
        'restarting a-0',
        'restarting b-0',
      ]);
      await eventually(() => threadsOf(host).length === 1);
      expect(host.has({ connector: 'a', task: 0 })).toBe(true);
    });

    test('a thread that does not answer is terminated: the task that blocks it fails, the other one restarts', async () => {
      const { host, listener, run } = threads(1, 60_000, new LogLevels(), 1_000);
      const found = traces(listener);
      await run('neighbour', 'works');
      await listener.until('running neighbour-0');
      await run('faulty', 'blocks');
      await eventually(() => found.size === 1);
      expect(found.get('faulty')).toMatch(
        /did not answer for \d s and was terminated: .*task faulty-0 blocks it, in start \(.*thread\.js:\d+\)\. \[code: TASK_THREAD_SILENT\]\n/,
      );
      await listener.until('restarting neighbour-0');
      await eventually(() => listener.events.filter((event) => event === 'running neighbour-0').length === 2);
      expect(threadsOf(host)).toEqual(['tasks-2']);
    });

    test('a cancelled task that runs forever: its thread is terminated anyway, the other task restarts', async () => {
      const { host, listener, run } = threads(1, 60_000, new LogLevels(), 0);
      await run('neighbour', 'works');
      await listener.until('running neighbour-0');
      const { id } = await run('faulty', 'blocks');
      await listener.until('running faulty-0');
      expect(await host.stop([id], 50)).toEqual([id]);
      await listener.until('restarting neighbour-0');
      await eventually(() => listener.events.filter((event) => event === 'running neighbour-0').length === 2);
      expect(listener.events).not.toContain('failed faulty-0');
      expect(threadsOf(host)).toEqual(['tasks-2']);
    });

    test.each([
      ['exits', {}, 'ended it (exit code 3)'],
      ['uncaught', {}, 'left uncaught'],
      ['eats memory', { 'task.memory.mb': '16' }, 'ran out of the 16 MB that task.memory.mb allows'],
    ])('%s', async (does, config: Record<string, string>, text) => {
      const { listener, run } = threads();
      await run('a', does, config);
      await listener.until('failed a-0');
      expect(listener.trace).toContain(text);
      expect(listener.retriable).toBe(true);
    });
  });

  describe('connect-runtime 66: a task that does not stop in time', () => {
    test('is cancelled: its later calls are ignored, an endless loop ends with its thread', async () => {
      const { host, listener, run } = threads();
      const a = await run('a', 'blocks', { 'task.isolation': 'dedicated' });
      await listener.until('running a-0');
      expect(await host.stop([a.id], 50)).toEqual([a.id]);
      expect(host.has(a.id)).toBe(false);
      await eventually(() => threadsOf(host).length === 0);
      expect(listener.events).toEqual(['running a-0']);
    });

    test('in a shared thread: the other tasks continue, new tasks get another thread, the old one ends with its last task', async () => {
      const { host, listener, run } = threads();
      const stuck = await run('stuck', 'ignores stop');
      const good = await run('good', 'works');
      await eventually(() => listener.events.length === 2);
      expect(await host.stop([stuck.id], 50)).toEqual([stuck.id]);
      await run('next', 'works');
      await listener.until('running next-0');
      expect(threadsOf(host)).toEqual(['tasks-1', 'tasks-2']);
      await host.stop([good.id], IN_TIME_MS);
      await eventually(() => threadsOf(host).length === 1);
      expect(threadsOf(host)).toEqual(['tasks-2']);
      expect(listener.events).toEqual(['running stuck-0', 'running good-0', 'running next-0', 'stopped good-0']);
    });
  });

  test('connect-runtime 109: a task that others may run by now writes nothing more, and its thread is reused', async () => {
    const { host, listener, offsets, run } = threads();
    const { id } = await run('a', 'closes late');
    await listener.until('running a-0');
    expect(await host.cancel([id], IN_TIME_MS)).toEqual([]);
    expect(host.has(id)).toBe(false);
    await run('b', 'works');
    await listener.until('running b-0');
    expect(listener.events).toEqual(['running a-0', 'running b-0']);
    expect(offsets.writes).toEqual([]);
    expect(threadsOf(host)).toEqual(['tasks-1']);
  });

  test('connect-runtime 109: a task that does not close in time is logged, and its thread ends', async () => {
    const { host, listener, run } = threads();
    const { id } = await run('a', 'ignores stop');
    await listener.until('running a-0');
    expect(await host.cancel([id], 10)).toEqual([id]);
    await eventually(() => threadsOf(host).length === 0);
  });

  test('pause and resume reach the task', async () => {
    const { host, logger, run } = threads();
    const a = await run('a', 'works');
    host.pause(a.id);
    host.resume(a.id);
    await eventually(() => logger.lines.length === 2);
    expect(logger.lines).toEqual(['info pause 1', 'info resume 1']);
  });
});

describe('signals', () => {
  const signal = (type: string): TaskSignal => ({ id: 's', type, data: {} });

  test('in a thread: accepted, rejected, and the task ends first', async () => {
    const { host, listener, run } = threads();
    const { id } = await run('a', 'works');
    await listener.until('running a-0');
    await host.signal(id, signal('good'));
    await expect(host.signal(id, signal('bad'))).rejects.toMatchObject({ failure: 'rejected', message: 'bad' });
    const notRunning = { failure: 'not running', message: 'Task a-0 is not running, so it accepts no signals' };
    await expect(host.signal(id, signal('ends'))).rejects.toMatchObject(notRunning);
    await expect(host.signal(id, signal('good'))).rejects.toMatchObject(notRunning);
  });

  test('inline: a task without the method, and one that ends before it has accepted the signal', async () => {
    const task: ScriptedSource & { onSignal?: SourceTask['onSignal'] } = new ScriptedSource([]);
    const listener = new RecordingListener();
    const host = new InlineTaskHost(world(sourceOf(task)), listener);
    open.push(host);
    const { id } = spec('source');
    await host.start(spec('source'));
    await listener.until('running c-0');
    await expect(host.signal(id, signal('x'))).rejects.toMatchObject({ failure: 'unsupported' });
    const got: TaskSignal[] = [];
    task.onSignal = (received) => void got.push(received);
    await host.signal(id, signal('x'));
    expect(got).toEqual([signal('x')]);
    task.onSignal = () => Promise.reject(new Error('unknown table'));
    await expect(host.signal(id, signal('x'))).rejects.toMatchObject({ failure: 'rejected', message: 'unknown table' });
    task.onSignal = () => new Promise(() => undefined);
    const pending = expect(host.signal(id, signal('x'))).rejects.toMatchObject({ failure: 'not running' });
    await host.stop([id], IN_TIME_MS);
    await pending;
  });
});

describe('inline host', () => {
  test('runs a task, restarts it from its failure callback, stops it', async () => {
    const task = new ScriptedSource([[record(1)], new Error('boom')]);
    const w = world(sourceOf(task));
    const listener = new RecordingListener();
    const host = new InlineTaskHost(w, listener);
    open.push(host);
    const report = listener.onFailed;
    listener.onFailed = (id, trace, retriable) => {
      report(id, trace, retriable);
      expect(host.has(id)).toBe(false);
      void host.start(spec('source'));
    };
    await host.start(spec('source'));
    await eventually(() => listener.events.length === 3);
    expect(await host.stop([spec('source').id], IN_TIME_MS)).toEqual([]);
    expect(listener.events).toEqual(['running c-0', 'failed c-0', 'running c-0', 'stopped c-0']);
  });

  test('connect-runtime 66: a task stuck in poll is cancelled', async () => {
    const task = new ScriptedSource([]);
    task.poll = () => new Promise(() => undefined);
    const w = world(sourceOf(task));
    const listener = new RecordingListener();
    const host = new InlineTaskHost(w, listener);
    open.push(host);
    await host.start(spec('source'));
    await listener.until('running c-0');
    const { id } = spec('source');
    expect(await host.stop([id], 30)).toEqual([id]);
    expect(host.has(id)).toBe(false);
    expect(listener.events).toEqual(['running c-0']);
    expect(w.offsets.writes).toEqual([]);
  });
});
