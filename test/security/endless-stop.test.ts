/** Code of a plugin that never ends, in a call that nothing can interrupt: SIGTERM ends the worker nevertheless. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

/** `hang` is done by the connector in `validate` or `start`, or by the task in `poll`. */
const PLUGIN = `
const { promises, readFileSync, writeFileSync } = require('node:fs');
const HANGS = {
  thread: (fifo) => void readFileSync(fifo),
  pool: (fifo) => void promises.readFile(fifo).catch(() => undefined),
};
const hang = ({ where, how, fifo }, here) => {
  if (where !== here) return;
  writeFileSync(fifo + '.reached', '');
  HANGS[how](fifo);
};
class Task {
  start(config) {
    this.config = config;
  }
  async poll() {
    hang(this.config, 'poll');
    await new Promise((resolve) => setTimeout(resolve, 100));
    return null;
  }
  stop() {}
}
module.exports = {
  type: 'source',
  config: [],
  validate: (config) => (hang(config, 'validate'), []),
  create: (config) => ({ start: () => hang(config, 'start'), taskConfigs: () => [config], stop: () => writeFileSync(config.fifo + '.stopping', '') }),
  createTask: () => new Task(),
};
`;

const CLASS = 'com.example.Hanging';

let folder: string;
let worker: StartedWorker;
let fifo: string;

async function restartWith(settings: Record<string, string>): Promise<void> {
  await (worker as StartedWorker | undefined)?.stop();
  worker = await startWorker({
    group: uniqueName('endless'),
    settings: { 'plugin.path': join(folder, 'plugins'), ...settings },
  });
  await worker.ready();
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-endless-'));
  fifo = join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  const plugin = join(folder, 'plugins', 'hanging');
  mkdirSync(plugin, { recursive: true });
  const plugins = [{ type: 'source', class: CLASS }];
  writeFileSync(
    join(plugin, 'package.json'),
    JSON.stringify({ name: 'hanging', version: '1.0.0', millrace: { plugins } }),
  );
  writeFileSync(join(plugin, 'index.js'), PLUGIN);
  await restartWith({ 'task.shutdown.graceful.timeout.ms': '500' });
});
afterEach(async () => {
  await worker?.stop();
  await rm(folder, { recursive: true, force: true });
});

const hanging = (where: string, how: string): Record<string, string> => ({
  'connector.class': CLASS,
  where,
  how,
  fifo,
});

async function exists(mark: 'reached' | 'stopping'): Promise<void> {
  await waitFor(`.${mark}`, async () => await Promise.resolve(existsSync(`${fifo}.${mark}`) || null));
}

const FORCED = /^millrace: The process is killed because something in it does not end: (.*) \(STOP_FORCED\)$/m;

test.each([
  ['poll', 'thread', 'thread "tasks'],
  ['poll', 'pool', 'thread "tasks'],
  ['start', 'thread', 'thread "'],
])('%s of a connector that blocks its %s: the worker ends after SIGTERM, and says why', async (where, how, name) => {
  await worker.register({ name: 'c', config: hanging(where, how) });
  await exists('reached');
  process.kill(worker.pid, 'SIGTERM');
  expect(await worker.exited()).toBe(137);
  expect(FORCED.exec(worker.process.log())?.[1]).toContain(name);
  expect(worker.process.log()).not.toContain('Millrace has stopped');
});

test('a second SIGTERM ends a worker that still waits for a task', async () => {
  await restartWith({ 'task.shutdown.graceful.timeout.ms': '86400000' });
  await worker.register({ name: 'c', config: hanging('poll', 'thread') });
  await exists('reached');
  process.kill(worker.pid, 'SIGTERM');
  await exists('stopping');
  process.kill(worker.pid, 'SIGTERM');
  expect(await worker.exited()).toBe(137);
  expect(FORCED.exec(worker.process.log())?.[1]).toContain('thread "tasks');
});

test('a validation that never ends: the worker ends after SIGTERM', async () => {
  const request = worker.request('PUT', `/connector-plugins/${CLASS}/config/validate`, hanging('validate', 'thread'));
  request.catch(() => undefined);
  await exists('reached');
  process.kill(worker.pid, 'SIGTERM');
  expect(await worker.exited()).toBe(137);
  expect(FORCED.exec(worker.process.log())?.[1]).toContain('thread "');
});
