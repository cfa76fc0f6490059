/** Changes to files and folders that survive a power failure. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Flushes the creation, renaming and removal of files in the folder to disk. */
export function syncFolder(path: string): void {
  // Windows cannot sync a folder.
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Replaces the file atomically: readers, and a restart after a crash, see either the old or the new text.
 * @param durable also flush the rename to disk.
 */
export function replaceFile(path: string, text: string, durable: boolean): void {
  const temporary = `${path}.tmp`;
  try {
    writeFileSync(temporary, text, { flush: true });
    renameSync(temporary, path);
  } catch (error) {
    // On a full disk, the temporary file would occupy the remaining space.
    rmSync(temporary, { force: true });
    throw error;
  }
  if (durable) syncFolder(dirname(path));
}
