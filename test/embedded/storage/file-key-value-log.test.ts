/** What was acknowledged is there after a crash, whatever it cut short (kafka-client §4). */
import fs from 'node:fs';
import { appendFile, mkdtemp, open as openFile, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileKeyValueLog } from '../../../packages/embedded/src/storage/file-key-value-log';

let dir: string;
let path: string;
const lines: string[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'millrace-log-'));
  path = join(dir, 'groups.log');
  lines.length = 0;
});
afterEach(() => rm(dir, { recursive: true }));

const open = (compactAbove?: number) =>
  FileKeyValueLog.open(path, { fsync: 'always', log: (line) => void lines.push(line), compactAbove });
async function contents(log: FileKeyValueLog): Promise<string> {
  const all = [];
  for await (const [key, value] of log.load()) all.push(`${key}=${value}`);
  return all.join(' ');
}

it('keeps the last value of each key, in the order of their last change', async () => {
  const log = await open();
  await Promise.all([log.append('a', '1'), log.append('b', '2\n"ü"'), log.append('a', '3'), log.append('c', '4')]);
  await log.append('c', null);
  await log.close();
  const again = await open();
  expect(await contents(again)).toBe('b=2\n"ü" a=3');
  expect(lines).toEqual([]);
  await again.close();
});

it.each([
  ['half a line', '0badc0de ["a"'],
  ['a line that is not what was written', '00000000 ["a","2"]\n'],
  ['noise', '\x00\x00\x00\x00\n\x00'],
])('cuts %s and appends after the valid lines', async (_, tail) => {
  const log = await open();
  await log.append('a', '1');
  await log.close();
  await appendFile(path, tail);
  const again = await open();
  expect(lines).toEqual([expect.stringContaining(`Truncated ${tail.length} bytes`)]);
  await again.append('b', '2');
  await again.close();
  const third = await open();
  expect(await contents(third)).toBe('a=1 b=2');
  await third.close();
});

it('writes to the rewritten file, also if its folder cannot be flushed', async () => {
  const log = await open(2_000);
  const flush = jest.spyOn(fs, 'fsyncSync').mockImplementation(() => {
    throw new Error('EMFILE: too many open files');
  });
  for (let i = 0; i < 100; i++) await log.append('changes', String(i));
  flush.mockRestore();
  expect(lines[0]).toMatch(/Cannot compact .*EMFILE/);
  await log.append('last', 'y');
  await log.close();
  const again = await open();
  expect(await contents(again)).toBe('changes=99 last=y');
  await again.close();
});

it.each([
  [undefined, 0],
  [{ flush: true }, 1],
])('without fsync, a change with options %j is flushed %i times', async (options, times) => {
  const log = await FileKeyValueLog.open(path, { fsync: 'never', log: () => undefined });
  const handle = await openFile(path);
  const flush = jest.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'datasync');
  await log.append('a', '1', options);
  expect(flush).toHaveBeenCalledTimes(times);
  flush.mockRestore();
  await Promise.all([handle.close(), log.close()]);
});

it('is rewritten when most of it is superseded, and loses nothing', async () => {
  const log = await open(2_000);
  await log.append('stays', 'x');
  for (let i = 0; i < 200; i++) await log.append('changes', String(i));
  await log.append('last', 'y');
  await log.close();
  expect((await stat(path)).size).toBeLessThan(2_500);
  const again = await open();
  expect(await contents(again)).toBe('stays=x changes=199 last=y');
  await again.close();
  expect(await readFile(path, 'utf8')).not.toContain('"changes","1"');
});

it('fails all writes after one that may be incomplete', async () => {
  const log = await open();
  await log.close();
  await expect(log.append('a', '1')).rejects.toThrow();
  await expect(log.append('b', '2')).rejects.toThrow();
});
