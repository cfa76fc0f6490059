/** The files that `npm run build` writes for the console. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../dev/services/paths';

const FOLDER = join(ROOT, 'packages', 'console', 'dist', 'ui');
const bundle = async (): Promise<unknown> =>
  await promisify(execFile)(process.execPath, [join(ROOT, 'packages', 'console', 'src', 'bundle.js')]);
const files = (): readonly (readonly [name: string, inode: number, time: number])[] =>
  readdirSync(FOLDER).map((name) => {
    const { ino, mtimeMs } = statSync(join(FOLDER, name));
    return [name, ino, mtimeMs];
  });

test('a build beside a running worker takes no file away and replaces none; what an older one left is removed', async () => {
  const before = files();
  writeFileSync(join(FOLDER, 'console-OLDERONE.js'), '');
  await Promise.all([bundle(), bundle()]);
  expect(files()).toEqual(before);
  const named = [...readFileSync(join(FOLDER, 'index.html'), 'utf8').matchAll(/(?:src|href)="([\w-]+\.\w+)"/g)];
  expect(named.map(([, name]) => name)).toEqual([
    expect.stringMatching(/^style-\w{8}\.css$/),
    expect.stringMatching(/^console-\w{8}\.js$/),
  ]);
  for (const [, name = ''] of named) expect(before.map(([file]) => file)).toContain(name);
});
