/** Downloads into the cache, which persists between runs. */
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ensureDir, remove } from 'fs-extra';
import { waitFor } from './wait-for';

export interface Download {
  /** Folder of the download. */
  readonly folder: string;
  /** A file in that folder, and its content if the download is complete and current. */
  readonly mark: { readonly file: string; readonly text: string };
  /** Downloads into a folder. If it fails, the folder is removed. */
  readonly fill: (partial: string) => Promise<void>;
}

/** Resolves with the folder. A lock file keeps other processes from downloading at the same time. */
export async function keptDownload({ folder, mark, fill }: Download): Promise<string> {
  const isThere = async () => (await readFile(join(folder, mark.file), 'utf8').catch(() => '')) === mark.text;
  if (await isThere()) return folder;
  await ensureDir(dirname(folder));
  await withLock(`${folder}.lock`, async () => {
    if (await isThere()) return;
    const partial = `${folder}.partial`;
    // That of a process that was killed.
    await remove(partial);
    try {
      await mkdir(partial);
      await fill(partial);
      await writeFile(join(partial, mark.file), mark.text);
      await remove(folder);
      await rename(partial, folder);
    } finally {
      await remove(partial);
    }
  });
  return folder;
}

/** Runs `work` while holding a lock file. The lock of a dead process is removed. */
async function withLock(file: string, work: () => Promise<void>): Promise<void> {
  await waitFor(
    `another process to finish downloading (${file})`,
    async () => {
      const handle = await open(file, 'wx').catch((error: { code?: string }) => {
        if (error.code === 'EEXIST') return null;
        throw error;
      });
      if (!handle) {
        const owner = Number(await readFile(file, 'utf8').catch(() => '0'));
        if (owner > 0 && !existsSync(`/proc/${owner}`) && existsSync('/proc')) await remove(file);
        return false;
      }
      await handle.writeFile(String(process.pid));
      await handle.close();
      return true;
    },
    { timeoutMs: 600_000, everyMs: 200 },
  );
  try {
    await work();
  } finally {
    await remove(file);
  }
}
