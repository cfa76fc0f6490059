/** A task's folder for staged files. Removes the folders of dead processes. Sources: analytics-sink §4.1, §4.9. */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConnectError } from '@millrace/sdk';

const PREFIX = 'analytics-sink-';
const LOCK = 'lock';
const NAME_LENGTH = 100;

export interface StagingFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** @throws ConnectError `ANALYTICS_TEMPDIR` when `root` is not writable. */
export async function createStagingFolder(root: string, connector: string, task: number): Promise<StagingFolder> {
  // For readers of the folder; the random part makes the name unique.
  const safe = connector.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, NAME_LENGTH);
  const path = join(root, `${PREFIX}${safe}-${task}-${randomUUID()}`);
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await writeFile(join(path, LOCK), `${process.pid} ${await startTime(process.pid)}`, { mode: 0o600 });
  } catch (error) {
    throw new ConnectError(`Cannot create files in ${root}: ${(error as Error).message}. Change "tempdir.path".`, {
      code: 'ANALYTICS_TEMPDIR',
      cause: error,
      place: { folder: root },
    });
  }
  return { path, remove: async () => await rm(path, { recursive: true, force: true }) };
}

/**
 * Removes the folders of crashed processes and returns them. Their records were not committed and are delivered again.
 */
export async function removeStaleFolders(root: string): Promise<string[]> {
  const removed: string[] = [];
  const names = await readdir(root).catch((): string[] => []);
  for (const name of names.filter((candidate) => candidate.startsWith(PREFIX))) {
    const path = join(root, name);
    // A folder without a lock may be new, with its lock not written yet.
    const lock = await readFile(join(path, LOCK), 'utf8').catch(() => null);
    if (lock === null || (await isAlive(lock))) continue;
    await rm(path, { recursive: true, force: true }).then(
      () => removed.push(path),
      () => undefined,
    );
  }
  return removed;
}

async function isAlive(lock: string): Promise<boolean> {
  const [pid = 0, started = ''] = [Number(lock.split(' ')[0]), lock.split(' ')[1]];
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  // The pid may belong to another process by now.
  return (await startTime(pid)) === started;
}

/** Start time of a process from /proc; empty on other systems. */
async function startTime(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // Fields follow the program's name, which may contain any character.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
