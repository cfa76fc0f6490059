import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPrivateFolder, removeLeftFolders } from '../../../packages/java-host/src/jvm/private-folder';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'b-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

test('only its user may open it, and its socket has a path that systems accept', async () => {
  const folder = await createPrivateFolder(base);
  expect(folder.path.startsWith(join(base, 'millrace-jvm-'))).toBe(true);
  expect(statSync(folder.path).mode & 0o777).toBe(0o700);
  expect(statSync(await folder.write('a', 'x')).mode & 0o777).toBe(0o600);
  expect(Buffer.byteLength(folder.socketPath)).toBeLessThan(104);
  await folder.remove();
  expect(existsSync(folder.path)).toBe(false);
});

test('below a long path, it is in /tmp', async () => {
  const long = join(base, 'x'.repeat(100));
  mkdirSync(long);
  const folder = await createPrivateFolder(long);
  expect(folder.path.startsWith(`${realpathSync('/tmp')}/millrace-jvm-`)).toBe(true);
  await folder.remove();
});

test('folders of workers that have ended are removed, those of running ones and new ones are not', async () => {
  const own = await createPrivateFolder(base);
  const { pid } = spawnSync(process.execPath, ['-e', '0']);
  const of = (name: string, owner: string | null): string => {
    const path = join(base, `millrace-jvm-${name}`);
    mkdirSync(path);
    if (owner !== null) writeFileSync(join(path, 'worker'), owner);
    return path;
  };
  const age = (path: string): void => utimesSync(path, 1, 1);
  const dead = of('dead', JSON.stringify({ pid, started: null }));
  // Another process has its number.
  const reused = of('reused', JSON.stringify({ pid: process.pid, started: '1' }));
  for (const one of [dead, reused]) age(one);
  const starting = of('starting', JSON.stringify({ pid, started: null }));
  // Of a worker in another container.
  const listening = of('listening', JSON.stringify({ pid, started: null }));
  const server = createServer().listen(join(listening, 's'));
  await once(server, 'listening');
  age(listening);
  const empty = of('empty', null);
  const broken = of('broken', '{');
  const old = of('old', null);
  age(old);
  await removeLeftFolders(base);
  expect([own.path, dead, reused, empty, broken, old].map(existsSync)).toEqual([true, false, false, true, true, false]);
  expect([starting, listening].map(existsSync)).toEqual([true, true]);
  server.close();
  // Its JVM was killed: the socket remains, and refuses.
  const killed = of('killed', JSON.stringify({ pid, started: null }));
  spawnSync(process.execPath, [
    '-e',
    `require('node:net').createServer().listen(${JSON.stringify(join(killed, 's'))}, () => process.kill(process.pid, 'SIGKILL'))`,
  ]);
  expect(existsSync(join(killed, 's'))).toBe(true);
  await removeLeftFolders(base);
  expect(existsSync(killed)).toBe(false);
  await own.remove();
});
