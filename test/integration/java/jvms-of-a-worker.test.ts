/** What a worker does with the JVM of a folder of jars: its log, levels, metrics, faults and end. */
import { appendFileSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtJavaHost } from '../../../dev/services/java-host';
import { pluginPath } from '../../../dev/services/plugin-jars';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { isRunning } from '../../helpers/is-running';
import { parsePrometheus, valueIn } from '../../helpers/prometheus';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const SOURCE = 'org.apache.kafka.connect.file.FileStreamSourceConnector';
const PACKAGE = 'org.apache.kafka.connect.file';

let folder: string;
let plugins: string;
let worker: StartedWorker;
beforeAll(async () => {
  await builtJavaHost();
  plugins = await pluginPath('file');
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-jvms-'));
  writeFileSync(join(folder, 'lines'), 'one\n');
  worker = await startWorker({
    group: uniqueName('jvms'),
    settings: {
      'plugin.path': plugins,
      'jvm.idle.timeout.ms': '500',
      'errors.restart.backoff.ms': '100',
      'jvm.metrics.domains': 'java.lang',
    },
    env: { CONNECT_SOME_SECRET: 'hunter2', TMPDIR: folder },
  });
  await worker.ready();
});
afterEach(async () => {
  await worker.stop();
  rmSync(folder, { recursive: true, force: true });
});

const register = async (name: string, more: Record<string, string> = {}): Promise<void> => {
  const config = { 'connector.class': SOURCE, 'connector.plugin.version': '[4.3.1]', file: join(folder, 'lines') };
  await worker.register({ name, config: { ...config, topic: uniqueName('t'), ...more } });
  await worker.running(name);
};
const pids = (): number[] =>
  [...worker.process.log().matchAll(/The JVM of .* starts \(Java .*, process (\d+)\)/g)].map(([, pid]) => Number(pid));
const newest = (): number => pids().at(-1) as number;

test('log lines, levels and metrics of a connector in a jar', async () => {
  await register('files');
  const log = (): string => worker.process.log();
  expect(log()).toContain(`[${SOURCE}] Starting file source connector reading from`);
  const loggers = await worker.request('GET', '/admin/loggers');
  expect(Object.keys(loggers.json)).toContain(SOURCE);
  expect((await worker.request('PUT', `/admin/loggers/${PACKAGE}`, { level: 'TRACE' })).json).toContain(SOURCE);
  appendFileSync(join(folder, 'lines'), 'two\n');
  await waitFor('a line at the level TRACE', () => log().includes(`TRACE [${PACKAGE}.FileStreamSourceTask]`));
  const scrape = async () => parsePrometheus((await worker.request('GET', '/metrics')).body);
  const labels = { folder: realpathSync(join(plugins, 'file')) };
  const metrics = await waitFor('the MBeans of the JVM', async () => {
    const found = await scrape();
    return found.has('java_lang_Threading_ThreadCount') ? found : null;
  });
  expect(metrics.has('java_lang_Memory_HeapMemoryUsage_used')).toBe(true);
  expect(valueIn(metrics, 'millrace_jvm_up', labels)).toBe(1);
  expect(valueIn(metrics, 'millrace_jvm_restarts_total', labels)).toBe(0);
  expect(valueIn(metrics, 'millrace_jvm_heap_max_bytes', labels)).toBeLessThanOrEqual(512 * 1024 * 1024);
  expect(valueIn(metrics, 'millrace_jvm_sessions', labels)).toBeGreaterThanOrEqual(2);
});

test('the health of a connector names its jar, and the process and heap of its JVM', async () => {
  await register('files');
  const healthOf = async (name: string) => (await worker.request('GET', `/connectors/${name}/health`)).json;
  const health = await waitFor('the heap of the JVM', async () => {
    const found = await healthOf('files');
    return found.jvms[0]?.heap_used_bytes > 0 ? found : null;
  });
  expect(health.plugin).toEqual({
    ...{ class: SOURCE, version: '4.3.1', location: realpathSync(join(plugins, 'file')), runs_in: 'jvm' },
  });
  expect(health.jvms).toEqual([
    expect.objectContaining({ state: 'up', own: false, pid: newest(), restarts: 0, hung_threads: 0 }),
  ]);
  expect(health.jvms[0].heap_max_bytes).toBeLessThanOrEqual(512 * 1024 * 1024);
  const native = { 'connector.class': SOURCE, file: join(folder, 'lines'), topic: uniqueName('t') };
  await worker.register({ name: 'native', config: native });
  await worker.running('native');
  expect(await healthOf('native')).toMatchObject({ plugin: { runs_in: 'node' }, jvms: [] });
  const { json: listed } = await worker.request('GET', '/connector-plugins?locations=true');
  const ofClass = (listed as { class: string }[]).filter((plugin) => plugin.class === SOURCE);
  expect(ofClass).toEqual([
    expect.objectContaining({ runs_in: 'node', selected_by: null }),
    expect.objectContaining({ runs_in: 'jvm', selected_by: '[4.3.1]' }),
  ]);
});

test('a killed JVM fails its tasks with the reason, and they run again in another one', async () => {
  await register('files');
  const first = newest();
  process.kill(first, 'SIGKILL');
  await waitFor('another JVM', () => newest() !== first);
  // One of the two may have been restarted before the other.
  await worker.statusWhen(
    'files',
    ({ connector, tasks }) => connector.state === 'RUNNING' && tasks[0]?.state === 'RUNNING',
  );
  expect(worker.process.log()).toContain('ended by the signal SIGKILL: the machine may be out of memory');
  expect(isRunning(newest())).toBe(true);
});

test('a connector with jvm.heap.mb has a JVM of its own; without connectors, all of them end', async () => {
  await register('shared');
  await register('own', { 'jvm.heap.mb': '64' });
  const started = pids();
  expect(new Set(started).size).toBeGreaterThanOrEqual(2);
  const refused = await worker.request('PUT', '/connectors/own/config', {
    ...(await worker.request('GET', '/connectors/own/config')).json,
    'jvm.heap.mb': '999999',
  });
  expect(refused.json.message).toContain('The worker allows 4096 (jvm.heap.max.mb)');
  for (const name of ['shared', 'own']) await worker.request('DELETE', `/connectors/${name}`);
  await waitFor('the JVMs to end', () => pids().every((pid) => !isRunning(pid)));
});

test('SIGTERM of the worker ends its JVM, and SIGKILL within 10 s', async () => {
  await register('files');
  const first = newest();
  await worker.stop();
  expect(isRunning(first)).toBe(false);
  worker = await startWorker({ group: uniqueName('jvms'), settings: { 'plugin.path': plugins } });
  await worker.ready();
  await register('killed');
  const second = newest();
  await worker.crash();
  const killedAt = performance.now();
  await waitFor('the JVM to end', () => !isRunning(second));
  expect(performance.now() - killedAt).toBeLessThan(10_000);
});
