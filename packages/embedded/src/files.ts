/** Files and folder entries that must be on the disk, not only with the operating system. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What was created, renamed or removed in the folder survives a power cut afterwards. */
export function syncFolder(path: string): void {
  // Windows keeps no folder apart from what is in it.
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Readers, and a restart after a crash, see the old text or the new one. @param durable the exchange itself is on the
 * disk as well.
 */
export function replaceFile(path: string, text: string, durable: boolean): void {
  const temporary = `${path}.tmp`;
  try {
    writeFileSync(temporary, text, { flush: true });
    renameSync(temporary, path);
  } catch (error) {
    // Of a full disk, it would take what is left.
    rmSync(temporary, { force: true });
    throw error;
  }
  if (durable) syncFolder(dirname(path));
}
