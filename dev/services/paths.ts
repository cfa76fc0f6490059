import { dirname, join } from 'node:path';
import { ensureDirSync } from 'fs-extra';

/** The repository's root folder. */
export const ROOT = dirname(dirname(__dirname));

/** Folder of downloads: `MILLRACE_CACHE`, or `.cache` in the repository (git-ignored). Created if missing. */
export function cacheFolder(): string {
  const folder = process.env.MILLRACE_CACHE || join(ROOT, '.cache');
  ensureDirSync(folder);
  return folder;
}
