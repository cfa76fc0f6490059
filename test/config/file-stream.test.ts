import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readText } from '../../packages/texts/src/file-stream';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-file-stream-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});
async function pipe(name: string): Promise<string> {
  await promisify(execFile)('mkfifo', [join(folder, name)]);
  return join(folder, name);
}

test('a file, and one that is absent', async () => {
  await writeFile(join(folder, 'file'), 'ä=1\n');
  expect(await readText(join(folder, 'file'))).toBe('ä=1\n');
  await expect(readText(join(folder, 'absent'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a pipe is read to its end, also by a reader that came before the writer', async () => {
  const path = await pipe('written');
  const text = readText(path);
  await writeFile(path, 'a=1\n'.repeat(50_000));
  expect(await text).toBe('a=1\n'.repeat(50_000));
});

test('a signal ends the wait for a pipe that no process writes to', async () => {
  const ended = new AbortController();
  const text = readText(await pipe('silent'), ended.signal);
  ended.abort();
  await expect(text).rejects.toMatchObject({ name: 'AbortError' });
});
