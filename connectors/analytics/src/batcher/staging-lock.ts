/**
 * Says whose staging folder it is. The folder may be on a volume that containers and machines share, where a process id
 * alone names nobody. Pure, except for `thisProcess`. Source: analytics-sink §4.9.
 */
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

export interface StagingLock {
  readonly host: string;
  /** Id of the machine's boot, from /proc; empty on other systems. */
  readonly boot: string;
  /** The namespace of process ids, which each container has; empty on other systems. */
  readonly pids: string;
  readonly pid: number;
  /** Start time of the process, from /proc: its id may belong to another one later. */
  readonly started: string;
}

export type Ownership = 'alive' | 'dead' | 'elsewhere' | 'unknown';

export async function thisProcess(): Promise<StagingLock> {
  return {
    host: hostname(),
    boot: (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim(),
    pids: await readlink('/proc/self/ns/pid').catch(() => ''),
    pid: process.pid,
    started: await startTime(process.pid),
  };
}

/** Null: the text is of no lock, or of one written by an earlier version. */
export function parseLock(text: string): StagingLock | null {
  try {
    const lock = JSON.parse(text) as Partial<StagingLock> | null;
    const texts = [lock?.host, lock?.boot, lock?.pids, lock?.started];
    return texts.every((each) => typeof each === 'string') && Number.isInteger(lock?.pid) && (lock?.pid ?? 0) > 0
      ? (lock as StagingLock)
      : null;
  } catch {
    return null;
  }
}

/** Whether the owner of a lock lives, as far as a process with the lock `here` can see. */
export async function ownerOf(lock: StagingLock | null, here: StagingLock): Promise<Ownership> {
  if (lock === null) return 'unknown';
  if (lock.host !== here.host || lock.boot !== here.boot || lock.pids !== here.pids) return 'elsewhere';
  try {
    process.kill(lock.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return 'dead';
  }
  return (await startTime(lock.pid)) === lock.started ? 'alive' : 'dead';
}

/** Empty on systems without /proc. */
async function startTime(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // Fields follow the program's name, which may contain any character.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
