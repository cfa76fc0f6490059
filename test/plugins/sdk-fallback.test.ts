/** Module hooks change the whole process, so each case runs in one of its own, on the built worker. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageJson, PluginFolders } from './plugin-folder';

const DIST = join(__dirname, '..', '..', 'dist', 'plugins', 'create-registry.js');
const SDK = join(__dirname, '..', '..', 'packages', 'sdk', 'dist', 'index.js');

let folders: PluginFolders;
beforeEach(() => (folders = new PluginFolders()));
afterEach(() => folders.remove());

/** Loads every class in a main or worker thread and prints what the plugins got as SDK. */
async function load(thread: 'main' | 'worker', classes: string[]): Promise<unknown> {
  const script = join(folders.root, 'script.cjs');
  folders.add('.', {
    'script.cjs': `
      const { Worker, isMainThread } = require('node:worker_threads');
      const { createPluginRegistry } = require(${JSON.stringify(DIST)});
      const logger = { warn: console.error };
      async function main() {
        const registry = createPluginRegistry({ pluginPath: [${JSON.stringify(folders.root)}], builtIns: [], logger });
        const result = {};
        for (const name of ${JSON.stringify(classes)}) {
          const plugin = await registry.load(registry.find(name));
          result[name] = plugin.sdk === require(${JSON.stringify(SDK)}).ConnectError ? 'the worker’s' : plugin.sdk;
        }
        console.log(JSON.stringify(result));
      }
      if (isMainThread && process.argv[2] === 'worker') new Worker(__filename);
      else main().catch((error) => { console.error(error); process.exitCode = 1; });
    `,
  });
  const { stdout } = await promisify(execFile)(process.execPath, [script, thread]);
  return JSON.parse(stdout);
}

const PARTS = 'type: "sink", config: [], createTask: () => ({})';
const ESM = { 'index.mjs': `import { ConnectError as sdk } from "@millrace/sdk"; export default { ${PARTS}, sdk };` };
const CJS = {
  'index.js': `const { ConnectError: sdk } = require("@millrace/sdk"); module.exports = { ${PARTS}, sdk };`,
};
const esm = packageJson({ type: 'sink', class: 'Esm', module: './index.mjs' });
const cjs = packageJson({ type: 'sink', class: 'Cjs' });

test('the worker was built', () => {
  expect(existsSync(DIST) && existsSync(SDK)).toBe(true);
});

test.each(['main', 'worker'] as const)(
  'folders without a copy of the SDK get the worker’s (%s thread)',
  async (thread) => {
    folders.add('esm', { 'package.json': esm, ...ESM });
    folders.add('cjs', { 'package.json': cjs, ...CJS });
    expect(await load(thread, ['Esm', 'Cjs'])).toEqual({ Esm: 'the worker’s', Cjs: 'the worker’s' });
  },
);

test('each folder’s own node_modules take precedence', async () => {
  const copy = (text: string) => ({
    'node_modules/@millrace/sdk/package.json': { name: '@millrace/sdk', main: 'index.js' },
    'node_modules/@millrace/sdk/index.js': `exports.ConnectError = ${JSON.stringify(text)};`,
  });
  folders.add('none', { 'package.json': packageJson({ type: 'sink', class: 'None' }), ...CJS });
  folders.add('esm', { 'package.json': esm, ...ESM, ...copy('own of esm') });
  folders.add('cjs', { 'package.json': cjs, ...CJS, ...copy('own of cjs') });
  expect(await load('main', ['None', 'Esm', 'Cjs'])).toEqual({
    None: 'the worker’s',
    Esm: 'own of esm',
    Cjs: 'own of cjs',
  });
});
