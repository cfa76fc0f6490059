/**
 * The folder in which Millrace keeps programs that it has fetched: one of this user, outside of the current folder. A
 * program in the current folder may be part of a checkout, and running it would run what its author wrote.
 */
import { chmodSync, lstatSync, mkdirSync, realpathSync, statSync, type Stats } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { postgresError } from './error';

export interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

const OTHERS_WRITE = 0o022;
const ALL_WRITE = 0o002;
const STICKY = 0o1000;

/**
 * `millrace` in XDG_CACHE_HOME, or in the usual cache folder.
 * @param isRoot another user runs the programs then, who cannot read the home folder
 */
export function programFolder(
  { env }: Pick<Place, 'env'>,
  isRoot = process.getuid?.() === 0,
  platform: NodeJS.Platform = process.platform,
): string {
  const named = env.XDG_CACHE_HOME;
  const home = isRoot ? '/' : env.HOME && isAbsolute(env.HOME) ? env.HOME : homedir();
  const usual = platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, isRoot ? 'var/cache' : '.cache');
  return join(named && isAbsolute(named) ? named : usual, 'millrace');
}

/** Creates the folder. Throws `DEV_POSTGRES` unless only this user can write it, and it is not in the current one. */
export function openProgramFolder(folder: string, { cwd, env }: Place): void {
  try {
    // Whatever the umask is: another user runs the programs for root.
    if (mkdirSync(folder, { recursive: true }) !== undefined) chmodSync(folder, 0o755);
  } catch (cause) {
    throw refused(folder, `cannot be created (${(cause as Error).message})`, cause);
  }
  checkOwner(folder);
  const path = realpathSync(folder);
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    const { mode } = statSync(parent);
    if ((mode & ALL_WRITE) !== 0 && (mode & STICKY) === 0)
      throw refused(folder, `can be replaced by any user: all can write ${parent}`);
    if (parent === dirname(parent)) break;
  }
  const current = realpathSync(cwd);
  // The home folder is nobody’s checkout, and commands run there, too.
  if (isWithin(path, current) && !isWithin(real(env.HOME || homedir()), current))
    throw refused(folder, 'is in the current folder');
}

/** Throws `DEV_POSTGRES`. */
export function checkOwner(folder: string): void {
  const stats: Stats = lstatSync(folder);
  if (!stats.isDirectory()) throw refused(folder, 'is not a folder');
  if (stats.uid !== process.getuid?.()) throw refused(folder, 'belongs to another user');
  if ((stats.mode & OTHERS_WRITE) !== 0) throw refused(folder, 'can be written by other users');
}

function refused(folder: string, why: string, cause?: unknown): Error {
  return postgresError(
    `PostgreSQL is not installed, and is not fetched: the folder ${folder}, where it would be kept, ${why}. Install PostgreSQL 10 or newer, or name another cache folder with XDG_CACHE_HOME.`,
    cause,
  );
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
