/** The table of docs/installation.md: which packages with native code have a binary for which platform. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../dev/services/paths';

/** As npm names them. */
export interface Platform {
  readonly os: string;
  readonly cpu: string;
  /** Linux only. */
  readonly libc: string | undefined;
}

export interface DocumentedPlatform extends Platform {
  /** Packages with a binary. */
  readonly packages: readonly string[];
}

const OS: Readonly<Record<string, string>> = { Linux: 'linux', macOS: 'darwin', Windows: 'win32' };
const cells = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

export interface NativePackagesTable {
  /** All packages of the table. */
  readonly packages: readonly string[];
  readonly platforms: readonly DocumentedPlatform[];
}

export function nativePackagesTable(): NativePackagesTable {
  const lines = readFileSync(join(ROOT, 'docs', 'installation.md'), 'utf8').split('\n');
  const header = lines.findIndex((line) => line.startsWith('| platform |'));
  const packages = cells(lines[header]!)
    .slice(1)
    .map((name) => name.replaceAll('`', ''));
  const rows = lines.slice(header + 2);
  const platforms = rows.slice(0, rows.indexOf('')).flatMap((line) => {
    const [name = '', ...has] = cells(line);
    const [, os = '', cpus = '', libc] = /^(\w+) (\w+(?: and \w+)?)(?:, (glibc|musl)\b.*)?$/.exec(name) ?? [];
    const present = packages.filter((_, column) => has[column] === 'yes');
    return cpus.split(' and ').map((cpu) => ({ os: OS[os]!, cpu, libc, packages: present }));
  });
  return { packages, platforms };
}
