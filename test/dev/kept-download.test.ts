import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptDownload } from '../../dev/services/kept-download';

let cache: string;
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'millrace-downloads-'));
});
afterEach(async () => {
  await rm(cache, { recursive: true, force: true });
});

const download = (text: string, fill: (partial: string) => Promise<void>): Promise<string> =>
  keptDownload({ folder: join(cache, 'tool'), mark: { file: 'version', text }, fill });

test('a download is kept until another version is wanted', async () => {
  const fill = jest.fn(async (partial: string) => await writeFile(join(partial, 'program'), 'it'));
  const folder = await download('1', fill);
  expect(await download('1', fill)).toBe(folder);
  expect(fill).toHaveBeenCalledTimes(1);
  await download('2', async (partial) => await writeFile(join(partial, 'other'), ''));
  expect((await readdir(folder)).sort()).toEqual(['other', 'version']);
  expect(await readFile(join(folder, 'version'), 'utf8')).toBe('2');
  expect(await readdir(cache)).toEqual(['tool']);
});

test('a download that fails leaves what was there and nothing else', async () => {
  const fails = async (partial: string): Promise<never> => {
    await writeFile(join(partial, 'half'), '');
    throw new Error('no network');
  };
  await expect(download('1', fails)).rejects.toThrow('no network');
  expect(await readdir(cache)).toEqual([]);
  const folder = await download('1', async (partial) => await writeFile(join(partial, 'program'), 'it'));
  await expect(download('2', fails)).rejects.toThrow('no network');
  expect(await readdir(cache)).toEqual(['tool']);
  expect((await readdir(folder)).sort()).toEqual(['program', 'version']);
});
