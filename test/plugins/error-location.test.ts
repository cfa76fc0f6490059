import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { errorLocation } from '../../src/plugins/error-location';
import { PluginFolders } from './plugin-folder';

const folders = new PluginFolders();
afterAll(() => folders.remove());

async function placeOf(name: string, main: string, files: Record<string, string>): Promise<string | null> {
  const folder = folders.add(name, files);
  const file = join(folder, main);
  try {
    // Jest's own loader reports other errors than Node.js.
    const script = `import(${JSON.stringify(file)}).catch((e) => console.log(JSON.stringify({ name: e.name, stack: e.stack })))`;
    const printed = execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    return (await errorLocation(JSON.parse(printed), file, folder))?.replace(`${folder}/`, '') ?? null;
  } finally {
    folders.remove();
  }
}

test.each<[string, string, Record<string, string>, string | null]>([
  ['a throw, CommonJS', 'i.cjs', { 'i.cjs': '\nthrow new Error("x");' }, 'i.cjs:2:7'],
  ['a throw, ESM', 'i.mjs', { 'i.mjs': '\nthrow new Error("x");' }, 'i.mjs:2:7'],
  ['a syntax error, CommonJS', 'i.cjs', { 'i.cjs': '\n\nconst a = ;' }, 'i.cjs:3'],
  ['a syntax error, ESM', 'i.mjs', { 'i.mjs': '\n\nexport const a = ;' }, 'i.mjs:3'],
  ['in a module it needs', 'i.cjs', { 'i.cjs': 'require("./n.cjs")', 'n.cjs': '\nconst a = ;' }, 'n.cjs:2'],
  [
    'a syntax error in a module it imports, ESM',
    'i.mjs',
    { 'i.mjs': 'import "./lib/n.mjs";', 'lib/n.mjs': '\nexport const a = ;', 'ok.mjs': '' },
    'lib/n.mjs:2',
  ],
  ['a missing export', 'i.mjs', { 'i.mjs': 'import { b } from "./n.mjs";', 'n.mjs': '' }, 'i.mjs:1'],
  ['none of the folder', 'i.cjs', { 'i.cjs': 'JSON.parse("{")' }, null],
])('%s', async (name, main, files, place) => {
  expect(await placeOf(name.replace(/\W/g, '-'), main, files)).toBe(place);
});

test('any thrown value is accepted', async () => {
  for (const thrown of [undefined, null, 'text', { stack: 5 }])
    expect(await errorLocation(thrown, '/x/i.js', '/x')).toBeNull();
});
