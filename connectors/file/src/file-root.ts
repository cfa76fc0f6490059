/**
 * The worker setting `file.root`: the directory that files have to be in, whatever a connector's configuration says.
 * Source: analytics-sink §9.2.
 */
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { ConfigError, type ConfigProblem, type WorkerSettings } from '@millrace/sdk';

/** Null: files may be anywhere. */
export function fileRootOf(settings: WorkerSettings): string | null {
  return settings['file.root'] ?? null;
}

/** Why the worker does not let a file be used; null: it does. */
export async function fileRootProblem(file: string, root: string): Promise<string | null> {
  let allowed: string;
  try {
    allowed = await realpath(root);
  } catch (error) {
    return `The directory of the worker setting "file.root" cannot be used: ${(error as Error).message}.`;
  }
  const place = await placeOf(isAbsolute(file) ? file : `${process.cwd()}${sep}${file}`);
  if (place?.startsWith(allowed.endsWith(sep) ? allowed : allowed + sep)) return null;
  return `The file "${file}" is not in ${root}, outside of which the worker setting "file.root" allows none.`;
}

/** For a connector's `validate`. @param file What the setting `file` stands for; null: none. */
export async function fileRootProblems(file: string | null, settings: WorkerSettings): Promise<ConfigProblem[]> {
  const root = fileRootOf(settings);
  const message = file === null || root === null ? null : await fileRootProblem(file, root);
  return message === null ? [] : [{ key: 'file', message }];
}

/** Throws ConfigError `FILE_OUTSIDE_ROOT`. */
export async function requireInRoot(file: string, root: string | null): Promise<void> {
  const problem = root === null ? null : await fileRootProblem(file, root);
  if (problem !== null) throw new ConfigError(problem, { code: 'FILE_OUTSIDE_ROOT', place: { file } });
}

/**
 * Where a path leads, links followed before `..` as in opening a file; what is not there yet is taken as it is written.
 * Null: nobody can tell.
 */
async function placeOf(path: string): Promise<string | null> {
  const missing: string[] = [];
  for (let present = path; ; present = dirname(present)) {
    try {
      return join(await realpath(present), ...missing);
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    }
    const name = basename(present);
    // A file is created where a link leads to, and what `..` would mean depends on what is created.
    if (name === '..' || name === '.' || (await isLink(present))) return null;
    missing.unshift(name);
  }
}

async function isLink(path: string): Promise<boolean> {
  return await lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
}
