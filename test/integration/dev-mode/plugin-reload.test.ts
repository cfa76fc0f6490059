/** `plugin.watch`: a worker in a separate process, whose plugins are edited while their tasks run. */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StartedWorker } from '../../../dev/services/worker';
import { waitFor } from '../../helpers/wait-for';
import { dev } from './dev-process';
import { SINK, SOURCE, TRANSFORMATION } from './edited-plugins';

const STRING = 'org.apache.kafka.connect.storage.StringConverter';

let folder: string;
let plugins: string;
const running: StartedWorker[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-reload-'));
  plugins = join(folder, 'plugins');
});
afterEach(async () => {
  for (const worker of running.splice(0).reverse()) await worker.stop();
  rmSync(folder, { recursive: true, force: true });
});

function write(plugin: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(plugins, plugin), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(plugins, plugin, name), text);
}

/** As an editor does: the file is never seen half written. */
function replace(version: string): void {
  const path = join(plugins, 'source', 'label.js');
  writeFileSync(`${path}~`, `export const label = '${version}';\n`);
  renameSync(`${path}~`, path);
}

async function started(env: Readonly<Record<string, string>> = {}): Promise<StartedWorker> {
  const worker = await dev(['--data-dir', join(folder, 'data'), '--broker-port', '0', '--plugin', plugins], {
    CONNECT_PLUGIN_PATH: '',
    CONNECT_SESSION_TIMEOUT_MS: '45000',
    CONNECT_KEY_CONVERTER: STRING,
    CONNECT_VALUE_CONVERTER: STRING,
    ...env,
  });
  running.push(worker);
  await worker.ready();
  return worker;
}

const file = (name: string): string => join(folder, `${name}.txt`);

function lines(name: string): string[] {
  try {
    return readFileSync(file(name), 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}

/** Resolves when a new line that matches was written. */
async function until(name: string, pattern: RegExp, worker: StartedWorker): Promise<void> {
  const before = lines(name).length;
  await waitFor(
    `${pattern} in ${name}`,
    () =>
      lines(name)
        .slice(before)
        .some((line) => pattern.test(line)),
    {
      timeoutMs: 60_000,
      detail: () => `${lines(name).slice(-3).join('\n')}\n${worker.process.log().slice(-4000)}`,
    },
  );
}

const logs = async (worker: StartedWorker, what: string | RegExp): Promise<unknown> =>
  await waitFor(`${what} in the log`, () => worker.process.log().match(what) !== null, {
    timeoutMs: 60_000,
    detail: () => worker.process.log().slice(-4000),
  });

/** Lines are `VERSION NUMBER`; the numbers ascend by one: each stop was clean, and nothing is missing. */
function expectUnbroken(name: string): void {
  const numbers = lines(name).map((line) => Number(/ (\d+)/.exec(line)?.[1]));
  expect(numbers).toEqual(numbers.map((_, i) => i + 1));
}

async function registerTicks(worker: StartedWorker, more: Readonly<Record<string, string>> = {}): Promise<void> {
  await worker.register({
    name: 'ticks',
    config: { 'connector.class': 'com.example.EditedSource', topic: 'ticks', ...more },
  });
}

async function registerFile(worker: StartedWorker, more: Readonly<Record<string, string>> = {}): Promise<void> {
  await worker.register({
    name: 'file',
    config: {
      'connector.class': 'FileStreamSinkConnector',
      topics: 'ticks',
      file: file('ticks'),
      'consumer.override.auto.offset.reset': 'earliest',
      ...more,
    },
  });
}

const taskStates = async (worker: StartedWorker, connector: string): Promise<string[]> =>
  (await worker.status(connector)).tasks.map(({ state }) => state);

test('a source: an edited file, a file that it imports, an atomic rename, an edit without effect', async () => {
  write('source', SOURCE('v1'));
  const worker = await started();
  await registerTicks(worker);
  await registerFile(worker);
  await until('ticks', /^v1 /, worker);
  const sinkSince = worker.process.log().length;

  write('source', { 'label.js': "export const label = 'v2';\n" });
  await until('ticks', /^v2 /, worker);
  await logs(worker, 'Reloaded plugin com.example.EditedSource: restarting ticks');
  replace('v3');
  await until('ticks', /^v3 /, worker);
  // The same text again restarts nothing: the next line of the log is about the next change.
  replace('v3');
  write('unused', SOURCE('v1', 'com.example.Unused'));
  await logs(worker, 'Reloaded plugin com.example.Unused: no connector here uses it');
  expect(worker.process.log().match(/Reloaded plugin com.example.EditedSource/g)).toHaveLength(2);
  expect(worker.process.log().slice(sinkSince)).not.toMatch(/restarting .*file/);
  expectUnbroken('ticks');

  const listed = async (): Promise<string[]> =>
    ((await worker.request('GET', '/connector-plugins')).json as { class: string }[]).map((plugin) => plugin.class);
  expect(await listed()).toContain('com.example.Unused');
  rmSync(join(plugins, 'unused'), { recursive: true });
  await waitFor('the removed plugin to disappear', async () => !(await listed()).includes('com.example.Unused'));
});

test('code that cannot be loaded: tasks continue, the log has the place, the next good edit is used', async () => {
  write('source', SOURCE('v1'));
  const worker = await started();
  await registerTicks(worker);
  await registerFile(worker);
  await until('ticks', /^v1 /, worker);
  write('source', { 'label.js': 'export const label = ;\n' });
  await logs(
    worker,
    /ERROR .*The changed plugin com\.example\.EditedSource is not reloaded until its files change again; ticks continues with the old code: .*label\.js:1/,
  );
  await until('ticks', /^v1 /, worker);
  // A manifest that is being written.
  write('source', { 'package.json': '{ "name": ' });
  await logs(worker, /package\.json cannot be read as JSON/);
  await until('ticks', /^v1 /, worker);
  expect(await taskStates(worker, 'ticks')).toEqual(['RUNNING']);
  write('source', SOURCE('v2'));
  await until('ticks', /^v2 /, worker);
  expectUnbroken('ticks');
});

test('code that fails when it runs: the task fails, and the next good edit restarts it', async () => {
  write('source', SOURCE('v1'));
  const worker = await started({ CONNECT_ERRORS_RESTART_MAX: '0' });
  await registerTicks(worker);
  await registerFile(worker);
  await until('ticks', /^v1 /, worker);
  write('source', { 'label.js': "export const label = { toString() { throw new Error('mistyped'); } };\n" });
  const failed = await worker.statusWhen('ticks', ({ tasks }) => tasks[0]?.state === 'FAILED');
  expect(failed.tasks[0]?.trace).toContain('mistyped');
  write('source', { 'label.js': "export const label = 'v2';\n" });
  await until('ticks', /^v2 /, worker);
  expectUnbroken('ticks');
});

test('a folder that is removed and created again; a plugin that appears after its connector', async () => {
  write('source', SOURCE('v1'));
  const worker = await started({ CONNECT_ERRORS_RESTART_MAX: '0' });
  await registerTicks(worker);
  await registerFile(worker);
  await until('ticks', /^v1 /, worker);
  rmSync(join(plugins, 'source'), { recursive: true });
  await logs(worker, 'Plugin com.example.EditedSource was removed');
  await until('ticks', /^v1 /, worker);
  await worker.request('POST', '/connectors/ticks/restart?includeTasks=true');
  await worker.statusWhen('ticks', ({ connector }) => connector.state === 'FAILED');
  write('source', SOURCE('v2'));
  await until('ticks', /^v2 /, worker);
  expectUnbroken('ticks');
});

test('a sink and a transformation, and nothing else', async () => {
  write('source', SOURCE('v1'));
  write('sink', SINK('v1'));
  write('transformation', TRANSFORMATION('v1'));
  const worker = await started();
  await registerTicks(worker, { transforms: 'mark', 'transforms.mark.type': 'com.example.Mark' });
  await worker.register({
    name: 'sink',
    config: {
      'connector.class': 'com.example.EditedSink',
      topics: 'ticks',
      file: file('sink'),
      'consumer.override.auto.offset.reset': 'earliest',
    },
  });
  await until('sink', /^v1 \d+ .*mark-v1/, worker);
  write('sink', SINK('v2'));
  await until('sink', /^v2 \d+ .*mark-v1/, worker);
  write('transformation', TRANSFORMATION('v2'));
  await until('sink', /^v2 \d+ .*mark-v2/, worker);
  expectUnbroken('sink');
  await logs(worker, 'Reloaded plugin com.example.EditedSink: restarting sink');
  await logs(worker, 'Reloaded plugin com.example.Mark: restarting ticks');
});

test('a paused task stays paused, and a task that hangs in stop does not keep the new one from running', async () => {
  write('source', SOURCE('v1'));
  const worker = await started({ CONNECT_TASK_SHUTDOWN_GRACEFUL_TIMEOUT_MS: '1000' });
  await registerTicks(worker, { 'hang.in.stop': 'true' });
  await registerFile(worker);
  await until('ticks', /^v1 /, worker);
  write('source', SOURCE('v2'));
  await until('ticks', /^v2 /, worker);
  await worker.request('PUT', '/connectors/ticks/pause');
  await worker.statusWhen('ticks', ({ tasks }) => tasks[0]?.state === 'PAUSED');
  write('source', SOURCE('v3'));
  await logs(worker, /(?:Reloaded plugin com.example.EditedSource[^]*){2}/);
  await worker.statusWhen(
    'ticks',
    ({ connector, tasks }) => connector.state === 'PAUSED' && tasks[0]?.state === 'PAUSED',
  );
  expect(lines('ticks').some((line) => line.startsWith('v3'))).toBe(false);
  await worker.request('PUT', '/connectors/ticks/resume');
  await until('ticks', /^v3 /, worker);
  // At least once: the hanging task was cancelled before it had committed.
  const numbers = [...new Set(lines('ticks').map((line) => Number(line.split(' ')[1])))].sort((a, b) => a - b);
  expect(numbers).toEqual(numbers.map((_, i) => i + 1));
});

test('saves in quick succession, during reloads and rebalances, with two workers: the last one runs, once', async () => {
  write('source', SOURCE('v1'));
  const workers = [await started(), await started()];
  const [worker] = workers as [StartedWorker];
  await registerTicks(worker);
  await registerFile(worker);
  await until('ticks', /^v1 /, worker);
  for (let version = 2; version <= 9; version++) {
    write('source', SOURCE(`v${version}`));
    // A new connector is a rebalance.
    if (version % 3 === 0)
      await worker.register({
        name: `more-${version}`,
        config: { 'connector.class': 'com.example.EditedSource', topic: 'others' },
      });
  }
  await until('ticks', /^v9 /, worker);
  await until('ticks', /^v9 /, worker);
  expectUnbroken('ticks');
  for (const name of ['ticks', 'more-3', 'more-6', 'more-9']) await worker.running(name);
});

test('plugin.watch=false: a running worker keeps the plugins that it has loaded', async () => {
  write('source', SOURCE('v1'));
  const worker = await started({ CONNECT_PLUGIN_WATCH: 'false' });
  await registerTicks(worker);
  await registerFile(worker);
  await until('ticks', /^v1 /, worker);
  write('source', SOURCE('v2'));
  await until('ticks', /^v1 /, worker);
  expect(worker.process.log()).not.toMatch(/Watching|Reloaded/);
});
