/** The packed packages, installed into an empty folder outside the repository. Requires npm's cache or its registry. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../dev/services/free-port';
import { ROOT } from '../../../dev/services/paths';
import { execute, Installation, textOf, waitForProcess } from './installation';

/** Bounds of an installed worker on Linux x64. */
const MAX_PACKAGES = 155;
const MAX_MEGABYTES = 50;

let installation: Installation;
let folder: string;
beforeAll(async () => {
  installation = await Installation.create();
  ({ folder } = installation);
}, 300_000);
afterAll(async () => await installation?.remove());

test('the size and the number of the installed packages are bounded, and no test or source is shipped', async () => {
  const { stdout } = await execute('du', ['-sm', 'node_modules'], folder);
  const files = readdirSync(join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' });
  const isPackage = (path: string) => /(^|node_modules\/)(@[^/]+\/)?[^/@]+\/package\.json$/.test(path);
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
  ['with native packages', 'snappy', {}],
  ['without native packages', 'lz4', { MILLRACE_NATIVE: 'off' }],
])('millrace dev %s moves lines from a file through a topic into a file', async (_title, compression, variables) => {
  const port = await freePort();
  const args = ['dev', '--port', `${port}`, '--broker-port', '0', '--data-dir', `.${compression}`];
  const millrace = installation.start('node_modules/.bin/millrace', args, folder, variables);
  const [source, sink] = [join(folder, `${compression}-in.txt`), join(folder, `${compression}-out.txt`)];
  writeFileSync(source, 'one\ntwo\n');
  const text = 'org.apache.kafka.connect.storage.StringConverter';
  const register = async (name: string, config: Record<string, string>) => {
    const response = await fetch(`http://127.0.0.1:${port}/connectors`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name, config: { 'key.converter': text, 'value.converter': text, ...config } }),
    });
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  };
  const ready = () => millrace.log().includes('Millrace is ready');
  await waitForProcess('the worker to be ready', { process: millrace, probe: ready });
  await register(`source-${compression}`, {
    'connector.class': 'FileStreamSource',
    ...{ file: source, topic: compression, 'producer.override.compression.type': compression },
  });
  await register(`sink-${compression}`, { 'connector.class': 'FileStreamSink', file: sink, topics: compression });
  await waitForProcess('both lines', { process: millrace, probe: () => textOf(sink) === 'one\ntwo\n' });
  expect(await millrace.stop()).toBe(0);
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
