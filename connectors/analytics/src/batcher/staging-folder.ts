/** A task's folder for staged files. Removes the folders of dead processes. Sources: analytics-sink §4.1, §4.9. */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConnectError, startInterval } from '@millrace/sdk';
import { ownerOf, parseLock, thisProcess, type StagingLock } from './staging-lock';

const PREFIX = 'analytics-sink-';
/** Folders that are being made. */
const NEW_PREFIX = '.new-analytics-sink-';
const LOCK = 'lock';
/** Written again and again for as long as the folder is used. */
const ALIVE = 'alive';
const NAME_LENGTH = 100;

const KEEP_ALIVE_MS = 60_000;
/** Age of `alive` from which on an owner that this process cannot see counts as dead. */
const SILENT_MS = 3_600_000;

export interface StagingFolder {
  readonly path: string;
  /** Marks the folder as used. @throws Error `ENOENT` when it was removed. */
  keepAlive(): Promise<void>;
  remove(): Promise<void>;
}

interface StaleFolders {
  readonly removed: readonly string[];
  /** Folders that do not say whose they are, such as those of earlier versions. */
  readonly unknown: readonly string[];
}

/**
 * @param onGone called when something else has removed the folder
 * @throws ConnectError `ANALYTICS_TEMPDIR` when `root` is not writable.
 */
export async function createStagingFolder(
  root: string,
  connector: string,
  task: number,
  onGone: () => void,
): Promise<StagingFolder> {
  // For readers of the folder; the random part makes the name unique.
  const safe = connector.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, NAME_LENGTH);
  const rest = `${safe}-${task}-${randomUUID()}`;
  const path = join(root, `${PREFIX}${rest}`);
  const keepAlive = async (): Promise<void> => await writeFile(join(path, ALIVE), '.', { mode: 0o600 });
  try {
    // Renamed when its lock is written, so that no other task sees it without.
    const unfinished = join(root, `${NEW_PREFIX}${rest}`);
    await mkdir(unfinished, { recursive: true, mode: 0o700 });
    await writeFile(join(unfinished, LOCK), JSON.stringify(await thisProcess()), { mode: 0o600 });
    await rename(unfinished, path);
    await keepAlive();
  } catch (error) {
    throw new ConnectError(`Cannot create files in ${root}: ${(error as Error).message}. Change "tempdir.path".`, {
      code: 'ANALYTICS_TEMPDIR',
      cause: error,
      place: { folder: root },
    });
  }
  const timer = startInterval(() => {
    keepAlive().catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') onGone();
    });
  }, KEEP_ALIVE_MS);
  timer.unref();
  return {
    path,
    keepAlive,
    remove: async () => {
      clearInterval(timer);
      await rm(path, { recursive: true, force: true });
    },
  };
}

/**
 * Removes the folders of crashed processes. Their records were not committed and are delivered again.
 *
 * @param own a folder beside them; its file system's clock tells their age
 */
export async function removeStaleFolders(root: string, own: StagingFolder): Promise<StaleFolders> {
  await own.keepAlive();
  const { mtimeMs: now } = await stat(join(own.path, ALIVE));
  const here = await thisProcess();
  const removed: string[] = [];
  const unknown: string[] = [];
  const names = await readdir(root).catch((): string[] => []);
  for (const name of names.filter((candidate) => candidate.startsWith(PREFIX))) {
    const path = join(root, name);
    if (path === own.path) continue;
    const lock = parseLock(await readFile(join(path, LOCK), 'utf8').catch(() => ''));
    if (lock === null && (await exists(path))) unknown.push(path);
    if (!(await isStale(path, lock, here, now))) continue;
    await rm(path, { recursive: true, force: true }).then(
      () => removed.push(path),
      () => undefined,
    );
  }
  return { removed, unknown };
}

async function isStale(path: string, lock: StagingLock | null, here: StagingLock, now: number): Promise<boolean> {
  const owner = await ownerOf(lock, here);
  if (owner !== 'elsewhere') return owner === 'dead';
  const alive = await stat(join(path, ALIVE)).catch(() => null);
  return alive !== null && now - alive.mtimeMs > SILENT_MS;
}

export async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}
