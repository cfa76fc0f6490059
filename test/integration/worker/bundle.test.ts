/** The bundles that `npm run build` writes, and workers that start from them. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Script } from 'node:vm';
import { ROOT } from '../../../dev/services/paths';
import { codeCachePath, PROGRAMS } from '../../../src/bundle/programs';

const FOLDER = join(ROOT, 'dist', 'bundle');
const MAIN = join(ROOT, 'dist', 'main.js');
const names = Object.keys(PROGRAMS);

/** What `millrace start --help` prints, and the modules that it loads, as paths from the repository's root. */
function startHelp(env: NodeJS.ProcessEnv = {}): { text: string; modules: string[] } {
  const script = `
    process.argv = ['node', ${JSON.stringify(MAIN)}, 'start', '--help'];
    process.on('exit', () => process.stdout.write('\\0' + JSON.stringify(Object.keys(require.cache))));
    require(${JSON.stringify(MAIN)});
  `;
  const output = execFileSync(process.execPath, ['-e', script], { env: { PATH: process.env.PATH, ...env } });
  const [text = '', modules = ''] = String(output).split('\0');
  return { text, modules: (JSON.parse(modules) as string[]).map((path) => relative(ROOT, path)) };
}

test('a worker loads its bundle and what runs it, and with MILLRACE_BUNDLE=off its modules', () => {
  const [bundled, single] = [startHelp(), startHelp({ MILLRACE_BUNDLE: 'off' })];
  expect(bundled.modules).toEqual(['dist/main.js', 'dist/bundle/run-program.js', 'dist/bundle/programs.js']);
  expect(single.modules).toContain('dist/cli/verbs/start.js');
  expect(bundled.text).toBe(single.text);
});

test.each(names)('%s: the build has kept bytecode, which V8 accepts', (name) => {
  const file = join(FOLDER, `${name}.bundle.js`);
  const source = readFileSync(file, 'latin1');
  const path = codeCachePath(file, source);
  // CI runs tests with other versions of Node on the same build.
  const hash = source.slice(2, 18);
  expect(readdirSync(FOLDER).filter((one) => one.startsWith(hash)).length).toBeGreaterThan(0);
  if (!readdirSync(FOLDER).some((one) => path.endsWith(one))) return;
  expect(new Script(source, { filename: file, cachedData: readFileSync(path) }).cachedDataRejected).toBe(false);
});

test.each(names)('%s: the bundle has one-byte characters only, and imports nothing by itself', (name) => {
  const source = readFileSync(join(FOLDER, `${name}.bundle.js`), 'latin1');
  expect(/[^\0-\x7f]/.exec(source)).toBeNull();
  expect(/[^\w.$"'`]import\((?!\))[^)]/.exec(source)?.[0]).toBeUndefined();
});

test('the licenses of bundled packages are part of the build', () => {
  const licenses = readFileSync(join(FOLDER, 'LICENSES.txt'), 'utf8');
  for (const name of ['express', 'winston', 'kafkajs', 'commander', 'iconv-lite'])
    expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+$`, 'm'));
});
