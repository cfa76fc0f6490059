/**
 * What an installation loads from the registry: every package is listed with its hash, and no script of a package runs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingEntries } from '../../dev/complete-lock-file';
import { ROOT } from '../../dev/services/paths';

interface Entry {
  readonly integrity?: string;
  readonly link?: boolean;
  readonly resolved?: string;
  readonly name?: string;
  readonly hasInstallScript?: boolean;
}
const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const lock = read('package-lock.json') as { packages: Record<string, Entry> };
/** Without this repository's own packages: their folders, and the links to them. */
const fromRegistry = Object.entries(lock.packages).filter(
  ([place, { link }]) => /(^|\/)node_modules\//.test(place) && !link,
);

test('the lock file has the platform packages of every platform', () => {
  // Otherwise `npm ci` rejects it: node dev/complete-lock-file.js
  expect(Object.keys(missingEntries(lock))).toEqual([]);
});

test('every package of the lock file has a hash and names no registry', () => {
  const bare = fromRegistry.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
  expect(bare.map(([place]) => place)).toEqual([]);
  expect(fromRegistry.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  expect(fromRegistry.length).toBeGreaterThan(500);
});

test('no package runs a script during installation, and each that has one was reviewed', () => {
  expect(readFileSync(join(ROOT, '.npmrc'), 'utf8').split('\n')).toContain('ignore-scripts=true');
  const wanting = fromRegistry.filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = wanting.map(([place, { name }]) => name ?? place.replace(/^.*node_modules\//, ''));
  expect(read('package.json').allowScripts).toEqual(Object.fromEntries(names.map((name) => [name, false])));
});

test('an absent platform package is listed with its parent’s version and its platform', () => {
  const lock = {
    packages: {
      '': {},
      'node_modules/a': {
        dev: true,
        optionalDependencies: { '@a/b-linux-x64-gnu': '1.2.3', '@a/b-darwin-arm64': '1.2.3' },
      },
      'node_modules/@a/b-linux-x64-gnu': {},
    },
  };
  expect(missingEntries(lock)).toEqual({
    'node_modules/@a/b-darwin-arm64': { version: '1.2.3', cpu: ['arm64'], dev: true, optional: true, os: ['darwin'] },
  });
});
