/**
 * An exclusive lock of the operating system on an open file. It ends when the owner closes the file or dies, so there
 * are no stale locks. Node.js cannot lock a file itself; on Linux the program `flock` does it for us.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';

/** `O_EXLOCK` of macOS and the BSDs, which Node.js does not export. */
const BSD_EXCLUSIVE_LOCK = 0x20;
const BSD_NO_WAIT = 0x4;
/** `UV_FS_O_EXLOCK` of libuv: no other process can open the file. */
const WINDOWS_EXCLUSIVE = 0x10000000;
const APPEND = constants.O_CREAT | constants.O_WRONLY | constants.O_APPEND;

/** Exit status of `flock --nonblock` when another has the lock. */
const LOCKED = 1;

/**
 * @param file is created if it does not exist
 * @returns the descriptor that holds the lock; null: another one does, of this process or of another
 * @throws Error when the file cannot be opened or locked
 */
export async function openLocked(file: string, platform = process.platform): Promise<number | null> {
  const flags = lockFlags(platform);
  if (flags !== null) {
    try {
      return openSync(file, APPEND | flags);
    } catch (error) {
      if (isLockedError(error)) return null;
      throw error;
    }
  }
  const fd = openSync(file, APPEND);
  let locked = false;
  try {
    locked = await flock(fd);
  } finally {
    if (!locked) closeSync(fd);
  }
  return locked ? fd : null;
}

/** Flags that lock a file when it is opened; null: the platform has none. */
export function lockFlags(platform: NodeJS.Platform): number | null {
  if (platform === 'win32') return WINDOWS_EXCLUSIVE;
  return platform === 'linux' || platform === 'android' ? null : BSD_EXCLUSIVE_LOCK | BSD_NO_WAIT;
}

/** `EAGAIN` of macOS and the BSDs, `EBUSY` of Windows. */
export function isLockedError(error: unknown): boolean {
  return ['EAGAIN', 'EBUSY'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** The lock belongs to the open file, which the child shares: it outlives the child. */
async function flock(fd: number): Promise<boolean> {
  const child = spawn('flock', ['-n', '-x', '3'], { stdio: ['ignore', 'ignore', 'pipe', fd] });
  try {
    const [[status, signal], reason] = await Promise.all([
      once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>,
      text(child.stderr as NodeJS.ReadableStream),
    ]);
    if (status === 0 || status === LOCKED) return status === 0;
    throw new Error(`flock failed: ${reason.trim() || `exit status ${status ?? signal}`}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error('the program flock is not installed (package util-linux or BusyBox)', { cause: error });
  }
}
