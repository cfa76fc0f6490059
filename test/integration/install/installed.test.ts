/** The packed packages, installed into an empty folder outside the repository. Requires npm's cache or its registry. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../dev/services/free-port';
import { ROOT } from '../../../dev/services/paths';
import { execute, Installation, waitForProcess } from './installation';
import { movesLines } from './moves-lines';

/** Bounds of an installed worker on Linux x64: the packages of others, the size of all. */
const MAX_PACKAGES = 138;
const MAX_MEGABYTES = 48;

let installation: Installation;
let folder: string;
beforeAll(async () => {
  installation = await Installation.create();
  ({ folder } = installation);
});
afterAll(async () => await installation?.remove());

test('the size and the number of the installed packages are bounded, and no test or source is shipped', async () => {
  const { stdout } = await execute('du', ['-sm', 'node_modules'], folder);
  const files = readdirSync(join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' });
  const isPackage = (path: string) =>
    /(^|node_modules\/)(@[^/]+\/)?[^/@]+\/package\.json$/.test(path) && !/^@?millrace\//.test(path);
  const packages = files.filter(
    (path) => isPackage(path) && path.split('/node_modules/').at(-1)!.split('/').length < 4,
  );
  const megabytes = Number.parseInt(stdout, 10);
  process.stdout.write(`installed: ${packages.length} packages, ${megabytes} MB\n`);
  expect(packages.length).toBeLessThanOrEqual(MAX_PACKAGES);
  expect(megabytes).toBeLessThanOrEqual(MAX_MEGABYTES);
  const ours = files.filter((path) => /^(millrace|@millrace\/[^/]+)\//.test(path));
  expect(ours.filter((path) => /\.test\.|\.js\.map$|\.tsbuildinfo$|\/src\//.test(path))).toEqual([]);
  expect(ours.filter((path) => /\.ts$/.test(path) && !path.endsWith('.d.ts'))).toEqual([]);
});

test.each([
  ['with native packages', 'lz4', {}],
  ['without native packages', 'snappy', { MILLRACE_NATIVE: 'off' }],
])('millrace dev %s moves lines from a file through a topic into a file', async (_title, compression, variables) => {
  await movesLines(installation, { compression, variables });
});

test('the SDK and its test kit have named exports for ESM and CommonJS', async () => {
  const names = 'typeof schema + typeof runSourceTask';
  writeFileSync(
    join(folder, 'a.mjs'),
    `import { schema } from '@millrace/sdk'; import { runSourceTask } from '@millrace/sdk/testing'; console.log(${names});`,
  );
  writeFileSync(
    join(folder, 'b.cjs'),
    `const { schema } = require('@millrace/sdk'); const { runSourceTask } = require('@millrace/sdk/testing'); console.log(${names});`,
  );
  for (const file of ['a.mjs', 'b.cjs']) {
    expect((await execute('node', [file], folder)).stdout).toBe('functionfunction\n');
  }
});

test.each(['c.mts', 'd.cts'])('types of the SDK, its test kit and the broker: %s', async (file) => {
  writeFileSync(
    join(folder, file),
    `import { schema, type SourceRecord } from '@millrace/sdk';
import { runSourceTask } from '@millrace/sdk/testing';
import { startEmbeddedBroker } from '@millrace/embedded';
export const used: readonly unknown[] = [schema('INT64'), runSourceTask, startEmbeddedBroker];
export type Topic = SourceRecord['topic'];
// @ts-expect-error: not a type of Connect
schema('INT65');
`,
  );
  const tsc = join(ROOT, 'node_modules', 'typescript-7', 'bin', 'tsc');
  const types = ['--typeRoots', join(ROOT, 'node_modules', '@types'), '--types', 'node'];
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'node16', ...types];
  const result = await execute('node', [tsc, ...options, file], folder).catch((e: { stdout: string }) => e);
  expect(result.stdout).toBe('');
});

test('a plugin in a folder of its own depends on the SDK, is tested with its test kit, and runs', async () => {
  const plugin = join(installation.place, 'ticker');
  mkdirSync(plugin);
  const sdk = installation.tarballs.filter((tarball) => /millrace-sdk-/.test(tarball));
  expect(sdk).toHaveLength(1);
  const manifest = { plugins: [{ type: 'source', class: 'com.example.Ticker' }] };
  const file = (name: string, text: string) => writeFileSync(join(plugin, name), text);
  file(
    'package.json',
    JSON.stringify({ name: 'ticker', version: '1.0.0', type: 'module', main: 'index.js', millrace: manifest }),
  );
  file(
    'index.js',
    `import { schema, sleep } from '@millrace/sdk';
export default {
  type: 'source',
  config: [{ name: 'topic', type: 'STRING', importance: 'HIGH', documentation: 'Where to.' }],
  createTask() {
    let topic, signal, tick = 0;
    return {
      start(config, context) { ({ topic } = config); ({ signal } = context); },
      async poll() {
        await sleep(10, signal);
        return [{ topic, keySchema: null, key: null, valueSchema: schema('STRING'), value: 'tick ' + ++tick, sourcePartition: {}, sourceOffset: { tick } }];
      },
      stop() {},
    };
  },
};
`,
  );
  file(
    'ticker.test.mjs',
    `import assert from 'node:assert';
import { test } from 'node:test';
import { runSourceTask } from '@millrace/sdk/testing';
import ticker from './index.js';
test('the ticker example writes records', async () => {
  const { records } = await runSourceTask(ticker, { topic: 't' }, { until: 2 });
  assert.deepEqual(records.slice(0, 2).map(({ value }) => value), ['tick 1', 'tick 2']);
});
`,
  );
  await installation.install(plugin, sdk);
  expect((await execute('node', ['--test', 'ticker.test.mjs'], plugin)).stdout).toMatch(/pass 1/);

  const port = await freePort();
  const data = join(installation.place, 'ticker-data');
  const bin = join(folder, 'node_modules', '.bin', 'millrace');
  const args = ['dev', '--port', `${port}`, '--broker-port', '0', '--data-dir', data, '--plugin', plugin];
  const worker = installation.start(bin, args, plugin);
  await waitForProcess('the worker to be ready', {
    process: worker,
    probe: () => worker.log().includes('Millrace is ready'),
  });
  writeFileSync(
    join(plugin, 'ticks.json'),
    JSON.stringify({
      name: 'ticks',
      config: {
        'connector.class': 'Ticker',
        topic: 'ticks',
        'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
      },
    }),
  );
  const url = ['--url', `http://127.0.0.1:${port}`];
  await execute(bin, ['apply', '-f', 'ticks.json', ...url], plugin);
  const consumed = await execute(bin, ['consume', 'ticks', '--data-dir', data, '-n', '2', '-o', 'json'], plugin);
  expect(consumed.stdout).toMatch(/"value":"tick 1".*\n.*"value":"tick 2"/);
  expect(await worker.stop()).toBe(0);
});

test('npm install -g: the command, its page of errors and the connectors are found', async () => {
  const prefix = join(installation.place, 'global');
  await installation.install(installation.place, ['-g', '--prefix', prefix, ...installation.tarballs]);
  const bin = join(prefix, 'bin', 'millrace');
  expect((await execute(bin, ['--version'], installation.place)).stdout).toMatch(/^millrace \d/);
  expect((await execute(bin, ['explain', 'CLI_USAGE'], installation.place)).stdout).toMatch(/^CLI_USAGE: /);
  const [port, data] = [await freePort(), join(installation.place, 'global-data')];
  const args = ['dev', '--port', `${port}`, '--broker-port', '0', '--data-dir', data];
  const worker = installation.start(bin, args, installation.place);
  await waitForProcess('the worker to be ready', {
    process: worker,
    probe: () => worker.log().includes('Millrace is ready'),
  });
  const { stdout } = await execute(bin, ['get', 'plugins', '--url', `http://127.0.0.1:${port}`], installation.place);
  for (const name of ['PostgresConnector', 'KustoSinkConnector', 'FileStreamSinkConnector'])
    expect(stdout).toContain(name);
  expect(await worker.stop()).toBe(0);
});
