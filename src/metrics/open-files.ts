/** File descriptors of the process, on Linux. */
import { readdirSync, readFileSync } from 'node:fs';

/** @throws Error where there is no /proc */
export function openFiles(): number {
  // One of them is open for this reading only.
  return readdirSync('/proc/self/fd').length - 1;
}

/**
 * @returns the soft limit; null: unlimited
 * @throws Error where there is no /proc
 */
export function maxFiles(): number | null {
  return maxFilesIn(readFileSync('/proc/self/limits', 'utf8'));
}

/** @param limits text of /proc/PID/limits */
export function maxFilesIn(limits: string): number | null {
  const [, limit] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  return limit === undefined ? null : Number(limit);
}
