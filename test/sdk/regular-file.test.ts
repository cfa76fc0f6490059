import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRegularFile, readRegularFileSync } from '@millrace/sdk';

const folder = mkdtempSync(join(tmpdir(), 'millrace-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'file');
const link = join(folder, 'link');
const pipe = join(folder, 'pipe');
const large = join(folder, 'large');
beforeAll(() => {
  writeFileSync(file, 'content');
  symlinkSync(file, link);
  execFileSync('mkfifo', [pipe]);
  mkdirSync(join(folder, 'folder'));
  writeFileSync(large, '12345678901');
});

/** The text, or why there is none. */
const ways: readonly (readonly [string, (path: string) => Promise<string>])[] = [
  ['readRegularFile', async (path) => (await readRegularFile(path, 10)).toString()],
  ['readRegularFileSync', async (path) => Promise.resolve(readRegularFileSync(path, 10).toString())],
];

describe.each(ways)('%s', (_, read) => {
  const text = (path: string): Promise<string> => read(path).catch((error: Error) => error.message);

  test('a file, also through a link', async () => {
    expect([await text(file), await text(link)]).toEqual(['content', 'content']);
  });

  test.each([pipe, join(folder, 'folder'), '/dev/zero', '/dev/ptmx'])('%s is not opened', async (path) => {
    expect(await text(path)).toBe('it is not a regular file');
  });

  test('a file that is too large is not read', async () => {
    expect(await text(large)).toBe('it has 11 bytes; at most 10 are allowed');
  });

  test('a file of /proc is empty', async () => {
    expect(await text('/proc/self/environ')).toBe('');
  });

  test('a missing file', async () => {
    expect(await text(join(folder, 'missing'))).toMatch(/^ENOENT: /);
  });
});
