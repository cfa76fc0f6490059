/** The programs that have a bundle. Read by dev/bundle, too. */
import { dirname, join } from 'node:path';

/** Their modules, from this folder. */
export const PROGRAMS = {
  worker: '../cli/run-process.js',
  'task-thread': '../task-thread.js',
  'plugin-thread': '../plugin-thread.js',
} as const;

/** Hexadecimal digits of the hash of a bundle, in its first line, after two slashes. */
const HASH_LENGTH = 16;

/**
 * Bytecode fits one bundle and one version of Node only.
 * @param source text of the bundle
 */
export function codeCachePath(file: string, source: string): string {
  const hash = source.slice(2, 2 + HASH_LENGTH);
  return join(dirname(file), `${hash}-${process.version}-${process.arch}.cache`);
}
