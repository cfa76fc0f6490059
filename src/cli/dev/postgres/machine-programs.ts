/** PostgreSQL's programs on this machine. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { User } from './unprivileged-user';

const run = promisify(execFile);
const OLDEST = 10;
const LIMIT_MS = 10_000;

export interface Programs {
  /** Folder with `postgres` and `initdb`. */
  readonly bin: string;
  readonly major: number;
}

/** Folders with a folder for each version, and the path of the programs in it. */
const USUAL: readonly (readonly [folder: string, inside: string])[] = [
  ['/usr/lib/postgresql', 'bin'],
  ['/usr', 'bin'],
  ['/opt/homebrew/opt', 'bin'],
  ['/usr/local/opt', 'bin'],
  ['/Library/PostgreSQL', 'bin'],
  ['/Applications/Postgres.app/Contents/Versions', 'bin'],
];

/** Of the search path first, then of the usual folders, the newest version first. */
export function candidateFolders(path: string): string[] {
  const usual = USUAL.flatMap(([folder, inside]) =>
    names(folder)
      .filter((name) => /^(?:\d+(?:\.\d+)?|latest|postgresql@?\d*|pgsql-\d+)$/.test(name))
      .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
      .map((name) => join(folder, name, inside)),
  );
  const found = [...path.split(delimiter).filter((folder) => folder.startsWith('/')), ...usual].flatMap((folder) => {
    const program = join(folder, 'postgres');
    return existsSync(program) ? [dirname(realpathSync(program))] : [];
  });
  return [...new Set(found)].filter((bin) => existsSync(join(bin, 'initdb')));
}

/**
 * The first folder whose programs run as `user` and are new enough; null if there is none.
 * @param wanted the version that wrote an existing data folder: no other can read it
 */
export async function firstUsable(
  folders: readonly string[],
  user: User | undefined,
  wanted: number | null,
): Promise<Programs | null> {
  for (const bin of folders) {
    const major = await majorVersion(bin, user);
    if (major !== null && major >= OLDEST && (wanted === null || major === wanted)) return { bin, major };
  }
  return null;
}

async function majorVersion(bin: string, user: User | undefined): Promise<number | null> {
  try {
    const ids = user && { uid: user.uid, gid: user.gid };
    const { stdout } = await run(join(bin, 'postgres'), ['--version'], { cwd: '/', timeout: LIMIT_MS, ...ids });
    const [, major] = /\(PostgreSQL\) (\d+)/.exec(stdout) ?? [];
    return major === undefined ? null : Number(major);
  } catch {
    return null;
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
