/** docs/installation.md lists which native packages exist for which platform, as package-lock.json does. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../dev/services/paths';
import { nativePackagesTable, type Platform } from '../helpers/native-packages-table';

interface Entry {
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
const { packages: entries } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Readonly<Record<string, Entry>>;
};
const { packages, platforms } = nativePackagesTable();

function hasBinary(name: string, { os, cpu, libc }: Platform): boolean {
  const binaries = Object.keys(entries[`node_modules/${name}`]?.optionalDependencies ?? {});
  const fits = (allowed: readonly string[] | undefined, value: string | undefined) =>
    allowed === undefined || allowed.includes(value!);
  return binaries.some((binary) => {
    const entry = entries[`node_modules/${binary}`];
    return entry?.os?.includes(os) && entry.cpu?.includes(cpu) && fits(entry.libc, libc);
  });
}

test('the table has all optional packages, and every platform', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'packages', 'record-codecs', 'package.json'), 'utf8'));
  const optional = [manifest.optionalDependencies, manifest.peerDependencies].flatMap((names) => Object.keys(names));
  expect([...packages].sort()).toEqual(optional.sort());
  expect(platforms.map(({ os, cpu, libc }) => [os, cpu, libc].filter(Boolean).join(' '))).toEqual([
    ...['linux x64 glibc', 'linux arm64 glibc', 'linux x64 musl', 'linux arm64 musl'],
    ...['darwin x64', 'darwin arm64', 'win32 x64', 'win32 arm64'],
  ]);
});

test.each(platforms)('$os $cpu $libc: $packages', (platform) => {
  expect(packages.filter((name) => hasBinary(name, platform))).toEqual(platform.packages);
});

test('each package without a fallback in Node.js or JavaScript is named with its error', () => {
  const page = readFileSync(join(ROOT, 'docs', 'installation.md'), 'utf8');
  for (const name of packages)
    expect(page).toMatch(new RegExp(`^\\|[^|]+\\|[^|]*\`${name}\`[^|]*\\| (JavaScript|\`[A-Z_]+\`) \\|`, 'm'));
});
