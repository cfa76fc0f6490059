/** Locks of files. Those of macOS and Windows are flags, which only these platforms honor. */
import { closeSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLockedError, lockFlags, openLocked } from '../../../packages/embedded/src/storage/file-lock';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'file-lock-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test('one descriptor has the lock until it is closed', async () => {
  const file = join(folder, 'lock');
  const first = await openLocked(file);
  expect(first).toBeGreaterThan(0);
  expect(await openLocked(file)).toBeNull();
  const other = await openLocked(join(folder, 'other'));
  expect(other).toBeGreaterThan(0);
  closeSync(other as number);
  closeSync(first as number);
  const next = await openLocked(file);
  expect(next).toBeGreaterThan(0);
  closeSync(next as number);
});

test('a file that cannot be opened', async () => {
  await expect(openLocked(join(folder, 'no', 'lock'))).rejects.toMatchObject({ code: 'ENOENT', syscall: 'open' });
});

test('flags and errors of the platforms', () => {
  expect(['linux', 'darwin', 'freebsd', 'win32'].map((of) => lockFlags(of as NodeJS.Platform))).toEqual([
    ...[null, 0x24, 0x24, 0x10000000],
  ]);
  const errors = ['EAGAIN', 'EBUSY', 'EACCES'].map((code) => Object.assign(new Error(code), { code }));
  expect(errors.map(isLockedError)).toEqual([true, true, false]);
});
