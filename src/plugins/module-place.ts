import { existsSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';

/**
 * Whether the file is in another folder, by `..` or by a link. Who reviews or protects a plugin's folder expects all of
 * its code there.
 */
export function leavesFolder(file: string, folder: string): boolean {
  if (!existsSync(file)) return false;
  const root = realpathSync(folder);
  return !realpathSync(file).startsWith(root.endsWith(sep) ? root : root + sep);
}
