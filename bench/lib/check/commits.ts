/** The commits of a check, each built in a folder of its own in the cache. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, ROOT } from '../../../dev/services/paths';

export interface Commit {
  readonly id: string;
  readonly subject: string;
  /** Why this one. */
  readonly reason: string;
}

const BUILD_TIMEOUT_MS = 600_000;

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

function tryGit(...args: string[]): string | null {
  try {
    return git(...args);
  } catch {
    return null;
  }
}

/** Throws an error with one sentence if the repository has no such commit. */
function commit(name: string, reason: string): Commit {
  const id = tryGit('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
  if (id === null) throw new Error(`This repository has no commit '${name}'.`);
  return { id, subject: git('log', '-1', '--format=%s', id), reason };
}

export const newCommit = (name: string | null): Commit =>
  name === null ? commit('HEAD', 'HEAD, without uncommitted changes') : commit(name, 'as given');

/** @param name (Default: the newest release before the new commit, else its merge base with main, else its parent) */
export function oldCommit(name: string | null, after: Commit): Commit {
  if (name !== null) return commit(name, 'as given');
  const release = tryGit('describe', '--tags', '--abbrev=0', '--match', 'v*', `${after.id}^`);
  if (release !== null) return commit(release, `the newest release, ${release}`);
  const base = tryGit('merge-base', 'main', after.id);
  if (base !== null && base !== after.id) return commit(base, 'the merge base with main; there is no release tag');
  return commit(`${after.id}^`, 'the parent; there is no release tag, and the commit is on main');
}

/** Resolves with the folder of the built commit. A folder that was built before is used again. */
export async function checkOut({ id }: Commit, signal: AbortSignal): Promise<string> {
  const folder = join(cacheFolder(), 'check', id.slice(0, 16));
  const built = join(folder, '.built');
  if (existsSync(built)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const run = (command: string, ...args: string[]) => runToEnd(command, args, folder, signal);
  await run('sh', '-c', `git -C "$1" archive "$2" | tar -x`, 'sh', ROOT, id);
  const lock = (root: string): string => readFileSync(join(root, 'package-lock.json'), 'utf8');
  const present = join(ROOT, 'node_modules');
  if (existsSync(present) && lock(ROOT) === lock(folder)) await run('cp', '-al', present, join(folder, 'node_modules'));
  else await run('npm', 'ci', '--no-audit', '--no-fund');
  await run('npm', 'run', 'build');
  writeFileSync(built, `${id}\n`);
  return folder;
}

async function runToEnd(command: string, args: readonly string[], cwd: string, signal: AbortSignal): Promise<void> {
  const { code, output } = await runBounded({ command, args, cwd, timeoutMs: BUILD_TIMEOUT_MS, signal });
  if (code !== 0) throw new Error(`\`${command} ${args.join(' ')}\` failed in ${cwd}:\n${output.slice(-4000)}`);
}

export interface BoundedRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Runs a command in a process group of its own, which is killed at the end of the time and when the signal is aborted.
 * @returns the exit code, null if it was killed, and the end of its output
 */
export async function runBounded(run: BoundedRun): Promise<{ code: number | null; output: string }> {
  run.signal.throwIfAborted();
  const child = spawn(run.command, run.args, {
    cwd: run.cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(run.env && { env: run.env }),
  });
  let output = '';
  const keep = (data: Buffer): void => void (output = (output + data.toString()).slice(-20_000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  const timer = setTimeout(kill, run.timeoutMs);
  run.signal.addEventListener('abort', kill, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    run.signal.throwIfAborted();
    return { code, output };
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener('abort', kill);
  }
}
