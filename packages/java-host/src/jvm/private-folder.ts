/** A folder for one JVM that only the worker's user can open: its socket, its arguments, its temporary files. */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { JvmError } from './jvm-errors';

const PREFIX = 'millrace-jvm-';
const OWNER = 'worker';
const SOCKET = 's';
/** Of a Unix socket's path, on the systems with the shortest. Bytes, with the zero at the end. */
const LONGEST_PATH = 104;
/** Of a folder that may be new: without a readable owner, or without a JVM that listens. */
const MIN_AGE_MS = 60_000;
/** Others may fill the folder of temporary files. */
const MAX_LOOKED_AT = 1_000;

export interface PrivateFolder {
  readonly path: string;
  readonly socketPath: string;
  readonly tmp: string;
  /** Writes a file for its JVM. Returns its path. */
  write(name: string, text: string): Promise<string>;
  remove(): Promise<void>;
}

/** Below the folder of temporary files, or below /tmp where its path is too long for a socket. */
export async function createPrivateFolder(base = tmpdir()): Promise<PrivateFolder> {
  // mkdtemp appends six characters, and creates a folder that only its owner may use.
  const parent = Buffer.byteLength(join(base, `${PREFIX}XXXXXX`, SOCKET)) < LONGEST_PATH ? base : '/tmp';
  const path = await mkdtemp(join(await realpath(parent), PREFIX));
  const socketPath = join(path, SOCKET);
  if (Buffer.byteLength(socketPath) >= LONGEST_PATH) {
    await rm(path, { recursive: true, force: true });
    throw new JvmError({
      code: 'JVM_START_FAILED',
      message: `The folder of temporary files, ${base}, has too long a path for a socket: set TMPDIR to a shorter one.`,
      detail: null,
      kind: 'final',
    });
  }
  const tmp = join(path, 'tmp');
  await mkdir(tmp, { mode: 0o700 });
  const write = async (name: string, text: string): Promise<string> => {
    const file = join(path, name);
    await writeFile(file, text, { mode: 0o600, flag: 'wx' });
    return file;
  };
  await write(OWNER, JSON.stringify({ pid: process.pid, started: await startOf(process.pid), id: randomUUID() }));
  return { path, socketPath, tmp, write, remove: async () => await remove(path) };
}

/** Removes the folders of this user's workers that have ended without doing so. Never rejects. */
export async function removeLeftFolders(base = tmpdir()): Promise<void> {
  for (const parent of new Set([base, '/tmp'])) {
    const names = await readdir(parent).catch(() => []);
    for (const name of names.filter((one) => one.startsWith(PREFIX)).slice(0, MAX_LOOKED_AT)) {
      const path = join(parent, name);
      if (await isLeft(path).catch(() => false)) await remove(path);
    }
  }
}

async function isLeft(path: string): Promise<boolean> {
  const stats = await stat(path);
  if (!stats.isDirectory() || stats.uid !== userInfo().uid) return false;
  const owner = await readFile(join(path, OWNER), 'utf8').catch(() => null);
  if (owner === null) return Date.now() - stats.mtimeMs > MIN_AGE_MS;
  const { pid, started } = JSON.parse(owner) as { pid: number; started: string | null };
  if (isRunning(pid) && (started === null || (await startOf(pid)) === started)) return false;
  // Containers that share the folder of temporary files do not see each other's processes.
  const answer = await answerOf(join(path, SOCKET));
  return answer === 'ECONNREFUSED' || (answer === 'ENOENT' && Date.now() - stats.mtimeMs > MIN_AGE_MS);
}

/** Of a JVM, which ends with its worker: null, or why there is none. */
async function answerOf(path: string): Promise<string | null> {
  return await new Promise((resolve) => {
    const socket = connect({ path });
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(code));
    socket.once('connect', () => {
      resolve(null);
      socket.destroy();
    });
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Tells a process from a later one with its number. Null where the system does not say it. */
async function startOf(pid: number): Promise<string | null> {
  const stats = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  // Its name, in parentheses, may contain any character.
  return stats?.slice(stats.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

async function remove(path: string): Promise<void> {
  // What cannot be removed now is removed when a worker starts.
  await rm(path, { recursive: true, force: true, maxRetries: 2 }).catch(() => undefined);
}
