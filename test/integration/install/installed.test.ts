/** The packed packages, installed into an empty folder outside the repository. Requires npm's cache or its registry. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeSync } from 'fs-extra';
import { packPackages } from '../../../dev/packages/pack-packages';
import { freePort } from '../../../dev/services/free-port';
import { KeptProcess } from '../../../dev/services/kept-process';
import { withoutNpmVariables } from '../../../dev/services/npm-environment';
import { ROOT } from '../../../dev/services/paths';
import { waitFor } from '../../helpers/wait-for';

/** Bounds of an installed worker on Linux x64. */
const MAX_PACKAGES = 155;
const MAX_MEGABYTES = 50;

const run = promisify(execFile);
const env = withoutNpmVariables(process.env);
let place: string;
let folder: string;

beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'millrace-install-'));
  folder = join(place, 'app');
  mkdirSync(folder);
  const tarballs = await packPackages(join(place, 'tarballs'));
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...options, ...tarballs], { cwd: folder, env });
}, 300_000);
afterAll(() => removeSync(place));

const worker = (port: number, brokerPort: number, env: Record<string, string>) =>
  new KeptProcess({
    command: '/bin/sh',
    args: ['-c', `cd ${folder} && exec node_modules/.bin/millrace dev --port ${port} --broker-port ${brokerPort}`],
    folder: mkdtempSync(join(place, 'log-')),
    signal: 'TERM',
    env,
  });

test('the size and the number of the installed packages are bounded, and no test or source is shipped', async () => {
  const { stdout } = await run('du', ['-sm', 'node_modules'], { cwd: folder });
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
  const [port, brokerPort] = [await freePort(), await freePort()];
  const millrace = worker(port, brokerPort, variables);
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
  try {
    await waitFor(
      'the worker to be healthy',
      async () => {
        if (millrace.exitCode !== undefined) throw new Error(`the worker exited:\n${millrace.log()}`);
        return await fetch(`http://127.0.0.1:${port}/health`).then(
          ({ ok }) => ok,
          () => false,
        );
      },
      { timeoutMs: 60_000, detail: () => millrace.log().slice(-4000) },
    );
    await register(`source-${compression}`, {
      'connector.class': 'FileStreamSource',
      ...{ file: source, topic: compression, 'producer.override.compression.type': compression },
    });
    await register(`sink-${compression}`, { 'connector.class': 'FileStreamSink', file: sink, topics: compression });
    const written = () => {
      try {
        return readFileSync(sink, 'utf8');
      } catch {
        return '';
      }
    };
    await waitFor('both lines', () => written() === 'one\ntwo\n', {
      timeoutMs: 60_000,
      detail: () => millrace.log().slice(-4000),
    });
  } finally {
    await millrace.stop();
  }
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
    expect((await run('node', [file], { cwd: folder })).stdout).toBe('functionfunction\n');
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
  const result = await run('node', [tsc, ...options, file], { cwd: folder }).catch((e: { stdout: string }) => e);
  expect(result.stdout).toBe('');
});
