import { existsSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';

/**
 * Whether the file is in another folder, by `..` or by a link: a review and the permissions of a plugin's folder must
 * cover the code that runs.
 */
export function leavesFolder(file: string, folder: string): boolean {
  if (!existsSync(file)) return false;
  const root = realpathSync(folder);
  return !realpathSync(file).startsWith(root.endsWith(sep) ? root : root + sep);
}
