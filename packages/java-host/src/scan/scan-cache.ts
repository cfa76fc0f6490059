/** Remembers what scans of jars have found, as long as the jars are the same: in memory, and on disk if it can. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { readRegularFile } from '@millrace/sdk';
import type { JavaUnit } from '../java-plugin';

/** Changes with what a scan finds. */
const FORMAT = 2;
/** Bytes. */
const MAX_FILE = 4 * 1024 * 1024;

/** Null: there is no home folder. */
export function defaultCacheFolder(env: NodeJS.ProcessEnv = process.env): string | null {
  try {
    return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millrace', 'java-plugins');
  } catch {
    return null;
  }
}

export class ScanCache {
  private readonly memory = new Map<string, unknown>();

  /** @param folder null: in memory only */
  constructor(private readonly folder: string | null) {}

  /** By names, sizes and times of the jars. Rejects if one is gone. */
  async keyOf({ location, classPath }: JavaUnit): Promise<string> {
    const hash = createHash('sha256').update(`${FORMAT}\0${location}\0`);
    for (const path of classPath) {
      const { size, mtimeMs } = await stat(path);
      hash.update(`${path}\0${size}\0${mtimeMs}\0`);
    }
    return hash.digest('hex');
  }

  /** What `put` got, unless the file was changed by others; undefined: unknown. Never rejects. */
  async get(key: string): Promise<unknown> {
    if (this.memory.has(key) || this.folder === null) return this.memory.get(key);
    try {
      return JSON.parse(
        (await readRegularFile(join(this.folder, `${key}.json`), MAX_FILE)).toString('utf8'),
      ) as unknown;
    } catch {
      return undefined;
    }
  }

  /** Never rejects: on disk, it is kept if the folder can be written. */
  async put(key: string, found: unknown): Promise<void> {
    this.memory.set(key, found);
    if (this.folder === null) return;
    const temporary = join(this.folder, `${key}.${randomBytes(6).toString('hex')}.tmp`);
    try {
      await createFolder(this.folder);
      await writeFile(temporary, JSON.stringify(found), { mode: 0o600, flag: 'wx' });
      await rename(temporary, join(this.folder, `${key}.json`));
    } catch {
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  }
}

/** With the two above it, but not the user's home, which a service may not have. */
async function createFolder(folder: string): Promise<void> {
  for (const path of [dirname(dirname(folder)), dirname(folder), folder])
    await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
}
