/**
 * Starts a worker with an embedded broker from the bundles, which moves a line from a file through a topic into a file
 * and loads the other connectors, and keeps the bytecode that V8 has compiled for it. A build without it is complete:
 * workers then start more slowly.
 */
const { spawn } = require('node:child_process');
const { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const LIMIT_MS = 60_000;
const CONVERTERS = ['key.converter', 'value.converter'].map((key) => [
  key,
  'org.apache.kafka.connect.json.JsonConverter',
]);

/** @param caches paths of the files to be written */
exports.warmUp = async function warmUp(caches) {
  if (caches.every((path) => existsSync(path))) return;
  for (const path of caches) rmSync(path, { force: true });
  const folder = mkdtempSync(join(tmpdir(), 'millrace-build-'));
  const [now, input, output] = ['now', 'in.txt', 'out.txt'].map((name) => join(folder, name));
  writeFileSync(input, 'a line\n');
  const stop = new AbortController();
  const worker = startWorker(folder, { KEEP_CODE_NOW: now }, stop.signal);
  try {
    const url = await until(() => /listens on (http:\S+)/.exec(worker.log())?.[1]);
    const names = ['Source', 'Sink'];
    const headers = { 'Content-Type': 'application/json' };
    for (const name of names) {
      const file = { Source: { file: input, topic: 'lines' }, Sink: { file: output, topics: 'lines' } }[name];
      const config = { 'connector.class': `FileStream${name}`, 'tasks.max': '1', ...file };
      const body = JSON.stringify({ name, config });
      // Until the worker is in its group, it refuses.
      await until(async () => (await fetch(`${url}/connectors`, { method: 'POST', headers, body })).status === 201);
    }
    await until(() => existsSync(output) && readFileSync(output, 'utf8') !== '');
    // Loads them.
    for (const { class: name } of await (await fetch(`${url}/connector-plugins`)).json()) {
      const body = JSON.stringify({ 'connector.class': name });
      await fetch(`${url}/connector-plugins/${name}/config/validate`, { method: 'PUT', headers, body });
    }
    writeFileSync(now, '');
    await until(() => caches.every((path) => existsSync(path)));
    // Another thread may be writing one, too.
    await sleep(200);
  } catch (error) {
    console.warn(`The build has no bytecode of a start: ${error.message}\n${worker.log().slice(-2000)}`);
  } finally {
    stop.abort();
    await worker.ended;
    rmSync(folder, { recursive: true, force: true });
  }

  async function until(probe) {
    for (const began = performance.now(); performance.now() - began < LIMIT_MS; await sleep(20)) {
      if (worker.code() !== null) throw new Error(`the worker has ended with exit code ${worker.code()}`);
      const found = await probe();
      if (found) return found;
    }
    throw new Error(`the worker was not ready within ${LIMIT_MS} ms`);
  }
};

/** Its settings are its own, not those in the environment of the build. */
function startWorker(folder, env, signal) {
  const settings = [
    ['bootstrap.servers', 'embedded'],
    ['embedded.port', '0'],
    ['embedded.data.dir', join(folder, 'data')],
    ['listeners', 'http://127.0.0.1:0'],
    ['group.id', 'build'],
    ...['config', 'offset', 'status'].map((name) => [`${name}.storage.topic`, `build-${name}`]),
    ...CONVERTERS,
  ];
  const properties = join(folder, 'worker.properties');
  writeFileSync(properties, settings.map(([key, value]) => `${key}=${value}\n`).join(''));
  const main = join(__dirname, '..', '..', 'dist', 'main.js');
  const args = ['-r', join(__dirname, 'keep-code.js'), main, 'start', properties];
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { PATH, HOME, TMPDIR, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (log += text));
  const ended = new Promise((resolve) => child.once('close', resolve));
  // Of the abort signal.
  child.on('error', () => undefined);
  return { log: () => log, code: () => child.exitCode, ended };
}
