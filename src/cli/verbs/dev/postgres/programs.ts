/** PostgreSQL's programs, of this machine or of the npm package, and the user that runs them. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import {
  fetchedPackage,
  type FetchOptions,
  installedPackage,
  PACKAGE_VERSION,
  postgresError,
  postgresPackage,
} from './fetched-package';

const run = promisify(execFile);
const OLDEST = 10;
const VERSION_MS = 10_000;

/** Folders with a folder for each version, whose programs are in `bin`. */
const USUAL = [
  ...['/usr/lib/postgresql', '/usr', '/opt/homebrew/opt', '/usr/local/opt', '/Library/PostgreSQL'],
  '/Applications/Postgres.app/Contents/Versions',
];
const VERSION = /^(?:\d+(?:\.\d+)?|latest|postgresql@?\d*|pgsql-\d+)$/;

export interface Programs {
  /** Folder with `postgres` and `initdb`. */
  readonly bin: string;
  readonly major: number;
}

/** Runs PostgreSQL for root. */
export interface User {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

export interface FindOptions extends FetchOptions {
  /** Of the database. */
  readonly folder: string;
  readonly user: User | undefined;
  /** The version that wrote the existing database; null if there is none. */
  readonly wanted: number | null;
  /** For tests. */
  readonly candidates?: readonly string[];
}

/** Those of the machine, an installed package, or a package that is fetched. Rejects with `DEV_POSTGRES`. */
export async function findPrograms(options: FindOptions): Promise<Programs> {
  const { folder, env, wanted } = options;
  const offered = postgresPackage();
  const candidates = options.candidates ?? [...candidateFolders(env.PATH ?? ''), ...installed(offered?.name)];
  const found = await firstUsable(candidates, options);
  if (found) return found;
  if (wanted !== null && wanted !== Number.parseInt(PACKAGE_VERSION, 10))
    throw postgresError(
      `The database in ${folder} was created by PostgreSQL ${wanted}, which is no longer on this machine: install it, or remove the folder to start over.`,
    );
  if (offered === null)
    throw postgresError(
      `There is no PostgreSQL 10 or newer on this machine, and no package of it for ${process.platform}-${process.arch}: install it and run this again.`,
    );
  const fetched = await fetchedPackage(offered, options);
  const usable = await firstUsable([join(fetched, 'bin')], options);
  if (usable) return usable;
  throw postgresError(
    `PostgreSQL in ${fetched} does not run on this machine: install PostgreSQL 10 or newer, and run this again.`,
  );
}

/** Of the search path first, then of the usual folders, the newest version first. Exported for tests. */
export function candidateFolders(path: string): string[] {
  const usual = USUAL.filter((folder) => existsSync(folder)).flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => VERSION.test(name))
      .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
      .map((name) => join(folder, name, 'bin')),
  );
  const programs = [...path.split(delimiter).filter(isAbsolute), ...usual].map((folder) => join(folder, 'postgres'));
  const found = programs.filter((program) => existsSync(program)).map((program) => dirname(realpathSync(program)));
  return [...new Set(found)].filter((bin) => existsSync(join(bin, 'initdb')));
}

function installed(name: string | undefined): string[] {
  try {
    return name === undefined ? [] : [join(installedPackage(name, __filename), 'bin')];
  } catch {
    return [];
  }
}

/** The first folder whose programs run as the user and are new enough. Another version cannot read existing data. */
async function firstUsable(
  folders: readonly string[],
  { user, wanted }: Pick<FindOptions, 'user' | 'wanted'>,
): Promise<Programs | null> {
  for (const bin of folders) {
    const options = { cwd: '/', timeout: VERSION_MS, ...user };
    const shown = await run(join(bin, 'postgres'), ['--version'], options).catch(() => null);
    const major = Number(/\(PostgreSQL\) (\d+)/.exec(shown?.stdout ?? '')?.[1]);
    if (major >= OLDEST && (wanted === null || major === wanted)) return { bin, major };
  }
  return null;
}

/**
 * PostgreSQL refuses to run as root: for root, the user `postgres` if it exists, otherwise `nobody`, which exists
 * everywhere. Undefined if this process is not root.
 */
export async function unprivilegedUser(): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const ids = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]).catch(() => null);
    if (ids) return { name, uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) };
  }
  throw new Error('PostgreSQL cannot run as root and there is neither a user `postgres` nor `nobody`.');
}
