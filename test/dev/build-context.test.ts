/** An image's build context: it contains sources, but not a developer's keys and settings. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { copyBuildContext, DECOYS, ignoredBy } from '../../dev/build-context';
import { ROOT } from '../../dev/services/paths';

const dockerignore = readFileSync(join(ROOT, '.dockerignore'), 'utf8');

test('no private file of a developer is in the build context', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-context-'));
  try {
    const [from, to] = [join(folder, 'from'), join(folder, 'to')] as const;
    for (const path of [...DECOYS, 'src/main.ts', 'apps/users/src/main.ts', 'package.json']) {
      mkdirSync(dirname(join(from, path)), { recursive: true });
      writeFileSync(join(from, path), 'private');
    }
    copyFileSync(join(ROOT, '.dockerignore'), join(from, '.dockerignore'));
    expect(copyBuildContext(from, to).sort()).toEqual(['apps/users/src/main.ts', 'package.json', 'src/main.ts']);
    expect(DECOYS.filter((path) => existsSync(join(to, path)))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('every source file that is built is in the build context', () => {
  const isIgnored = ignoredBy(dockerignore);
  const built = ['src', 'packages', 'connectors', 'apps', 'package.json', 'package-lock.json'];
  const settings = ['LICENSE', 'tsconfig.json', 'tsconfig.base.json', 'worker.properties'];
  const tracked = execFileSync('git', ['ls-files', '--', ...built, ...settings], { cwd: ROOT, encoding: 'utf8' });
  const files = tracked.split('\n').filter((file) => file !== '' && !file.endsWith('.md'));
  expect(files).toEqual(expect.arrayContaining([...settings, 'package-lock.json', 'src/main.ts']));
  expect(files.filter(isIgnored)).toEqual([]);
});

test.each([
  ['*', 'a', true],
  ['*', 'a/b', true],
  ['*\n!src', 'src/a/b.ts', false],
  ['*\n!src\n**/*.key', 'src/a/b.key', true],
  ['*\n!src\n**/.*', 'src/.env', true],
  ['*\n!src\n**/.*', 'src/.vscode/settings.json', true],
  ['**/dist', 'dist', true],
  ['**/dist', 'a/b/dist/c.js', true],
  ['**/dist', 'a/distance', false],
  ['docs/*.md', 'docs/a/b.md', false],
  ['a?c', 'abc', true],
  ['a?c', 'a/c', false],
  ['a.c', 'abc', false],
  ['# a', 'a', false],
])('%j and %s: excluded is %p', (text, path, left) => expect(ignoredBy(text)(path)).toBe(left));
