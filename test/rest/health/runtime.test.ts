import { jvmsOf, pluginInUse } from '../../../src/rest/health/runtime';
import { readReport } from '../../../src/rest/reports/worker-report';
import type { PluginDescription } from '../../../src/plugins/registry';

const plugin = (version: string, location = 'built-in', java?: true): PluginDescription => ({
  ...{ type: 'source', class: 'x.A', version, aliases: [], taskClass: null, location, ...(java && { java }) },
});
const NATIVE = plugin('3.7');
const JAR = plugin('3.4', '/jars', true);
const shown = (one: object): object => ({ class: 'x.A', ...one });

test('the plugin that the config chooses, with its place', () => {
  expect(pluginInUse(NATIVE, [NATIVE, JAR], null)).toEqual(
    shown({ version: '3.7', location: 'built-in', runsIn: 'node' }),
  );
  expect(pluginInUse(JAR, [NATIVE, JAR], '3.4')).toEqual(shown({ version: '3.4', location: '/jars', runsIn: 'jvm' }));
  expect(pluginInUse(plugin('undefined'), [], null)).toMatchObject({ version: null });
  expect(pluginInUse(null, [NATIVE, JAR], '3.4')).toBe(null);
});

test('until it is restarted, a connector runs the version that its status names', () => {
  expect(pluginInUse(NATIVE, [NATIVE, JAR], '3.4')).toEqual(
    shown({ version: '3.4', location: '/jars', runsIn: 'jvm' }),
  );
  expect(pluginInUse(NATIVE, [NATIVE, JAR], '2.0')).toEqual(shown({ version: '2.0', location: null, runsIn: null }));
});

const view = (id: string, jvms: unknown): { id: string; report: ReturnType<typeof readReport> } => ({
  id,
  report: jvms === null ? null : readReport({ version: '1', tasks: [], jvms }),
});
const UP = { folder: '/jars', isUp: true, pid: 7, restarts: 1, hungThreads: 2, silentMs: 0, heapUsed: 1, heapMax: 2 };
const part = (worker: string, state = 'RUNNING') => ({ worker, state, isWorkerGone: false }) as never;
const row = (...parts: never[]) => ({ name: 'c', ...(parts[0]! as object), tasks: parts.slice(1) }) as never;
const RUNS = { class: 'x.A', version: '3.4', location: '/jars', runsIn: 'jvm' } as const;
const UNKNOWN = {
  ...{ state: 'unknown', isOwn: null, pid: null, restarts: null, hungThreads: null, silentSeconds: null },
  ...{ heapUsed: null, heapMax: null, residentBytes: null },
};

test('the JVM of its folder on each worker that runs a part of it, or its own', () => {
  const found = jvmsOf(row(part('a'), part('b'), part('a'), part('d')), RUNS, [
    view('a', [
      { ...UP, folder: '/others' },
      { ...UP, residentBytes: 9 },
    ]),
    view('b', [UP, { ...UP, connector: 'c', pid: 8, silentMs: 40_000, heapUsed: null }]),
    view('c', [UP]),
    view('d', [{ ...UP, isUp: false, pid: null, silentMs: null }]),
  ]);
  expect(found).toEqual([
    {
      ...{ worker: 'a', state: 'up', isOwn: false, pid: 7, restarts: 1, hungThreads: 2, silentSeconds: 0 },
      ...{ heapUsed: 1, heapMax: 2, residentBytes: 9 },
    },
    expect.objectContaining({ worker: 'b', state: 'silent', isOwn: true, pid: 8, silentSeconds: 40, heapUsed: null }),
    expect.objectContaining({ worker: 'd', state: 'starting', isOwn: false, pid: null }),
  ]);
});

test('unknown where the worker does not tell; none where nothing runs, or no JVM is needed', () => {
  const silent = [view('a', null), view('b', 'hostile'), view('c', [{ folder: '/others', isUp: true }])];
  const everywhere = row(part('a'), part('b'), part('c'), part('gone'));
  expect(jvmsOf(everywhere, RUNS, silent)).toEqual(['a', 'b', 'c', 'gone'].map((worker) => ({ worker, ...UNKNOWN })));
  expect(jvmsOf(row(part('a', 'STOPPED'), part('b', 'UNASSIGNED'), part('', 'RUNNING')), RUNS, silent)).toEqual([]);
  // A failed one may have lost its JVM, or its JVM starts again and again.
  expect(jvmsOf(row(part('a', 'FAILED')), RUNS, [view('a', [])])).toEqual([]);
  expect(jvmsOf(row(part('a', 'FAILED')), RUNS, [view('a', [UP])])).toMatchObject([{ worker: 'a', restarts: 1 }]);
  expect(jvmsOf(row(part('a')), { ...RUNS, runsIn: 'node' }, [view('a', [UP])])).toEqual([]);
  expect(jvmsOf(row(part('a')), null, [view('a', [UP])])).toEqual([]);
});

test('what another worker reports of JVMs is bounded, and what is no JVM is left out', () => {
  const many = Array.from({ length: 5_000 }, (_, i) => ({ ...UP, folder: `/${i}${'x'.repeat(5_000)}` }));
  const { jvms = [] } = readReport({ tasks: [], jvms: [null, 1, {}, { folder: 1 }, ...many] }) ?? {};
  expect(jvms.length).toBe(1_000);
  expect(jvms[0]?.folder.length).toBe(2048);
  expect(readReport({ tasks: [] })?.jvms).toEqual([]);
});
