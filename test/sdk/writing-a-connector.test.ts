/** The page for plugin authors is run unchanged: its files are a plugin, its tests pass. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../src/logging/logger';
import { createPluginRegistry } from '../../src/plugins/create-registry';
import { connectorPage, writeConnectorPage } from '../helpers/connector-page';

const files = connectorPage();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-doc-'));
  writeConnectorPage(join(folder, 'tick'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('its manifest is found and its code loads by simple names', async () => {
  const registry = createPluginRegistry({ pluginPath: [folder], builtIns: [], logger: silentLogger });
  for (const [name, type] of [
    ['TickSource', 'source'],
    ['LinesSinkConnector', 'sink'],
    ['CutText', 'transformation'],
    ['HasField', 'predicate'],
  ] as const) {
    const description = registry.find(name, type);
    if (!description) throw new Error(name);
    expect((await registry.load(description)).type).toBe(type);
  }
  expect(registry.problems()).toEqual([]);
});

test.each([
  'sourceResumesAfterACrash',
  'invalidSettingsAreExplained',
  'sinkCommitsWhatItWrote',
  'longTextsAreTruncated',
])('its test %s passes', async (name) => {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const tests = require(join(folder, 'tick', 'index.test.js')) as Record<string, () => Promise<void>>;
  await expect(tests[name]?.()).resolves.toBeUndefined();
});

test('every file of the page is tested, the last one in test/integration/dev/connector-page.test.ts', () => {
  expect(files.map((file) => file.name)).toEqual([
    'package.json',
    'index.js',
    'cut-text.js',
    'index.test.js',
    'worker.test.js',
  ]);
});
