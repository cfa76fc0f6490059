/** The page for plug-in authors is run as it stands: its files make a plug-in, its tests pass. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { silentLogger } from '../../src/logging/logger';
import { createPluginRegistry } from '../../src/plugins/create-registry';

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'writing-a-connector.md'), 'utf8');
const files = [...page.matchAll(/```\w+ file=(\S+)\n([\s\S]*?)```/g)].map(([, name = '', text = '']) => ({
  name,
  text,
}));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-doc-'));
  for (const { name, text } of files) {
    const path = join(folder, 'tick', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('its manifest is found and its code loads by simple names', async () => {
  const registry = createPluginRegistry({ pluginPath: [folder], builtIns: [], logger: silentLogger });
  for (const [name, type] of [
    ['TickSource', 'source'],
    ['LinesSinkConnector', 'sink'],
  ] as const) {
    const description = registry.find(name, type);
    if (!description) throw new Error(name);
    expect((await registry.load(description)).type).toBe(type);
  }
  expect(registry.problems()).toEqual([]);
});

test.each(['sourceGoesOnAfterACrash', 'badSettingsAreExplained', 'sinkCommitsWhatItWrote'])(
  'its test %s passes',
  async (name) => {
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const tests = require(join(folder, 'tick', 'index.test.js')) as Record<string, () => Promise<void>>;
    await expect(tests[name]?.()).resolves.toBeUndefined();
  },
);

test('every file of the page was tried', () => {
  expect(files.map((file) => file.name)).toEqual(['package.json', 'index.js', 'index.test.js']);
});
