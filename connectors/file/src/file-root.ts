/**
 * The worker setting `file.root`: the directory that must contain the files of every file connector. Source:
 * analytics-sink §9.2.
 */
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { ConfigError, type ConfigProblem, type WorkerSettings } from '@millrace/sdk';
import { FILE_ROOT, KEY } from './keys';

/** Null: any directory is allowed. */
export function fileRootOf(settings: WorkerSettings): string | null {
  return settings[FILE_ROOT] ?? null;
}

/** Why `file` is outside of the root. Null: it is inside. */
async function fileRootProblem(file: string, root: string): Promise<string | null> {
  let allowed: string;
  try {
    allowed = await realpath(root);
  } catch (error) {
    return `Cannot use the directory of the worker setting "file.root": ${(error as Error).message}.`;
  }
  const target = await resolvePath(isAbsolute(file) ? file : `${process.cwd()}${sep}${file}`);
  if (target?.startsWith(allowed.endsWith(sep) ? allowed : allowed + sep)) return null;
  return `The file "${file}" is outside of ${root}, the directory that the worker setting "file.root" allows.`;
}

/** For a connector's `validate`. @param file the resolved value of the setting `file`; null: not set */
export async function fileRootProblems(file: string | null, settings: WorkerSettings): Promise<ConfigProblem[]> {
  const root = fileRootOf(settings);
  const message = file === null || root === null ? null : await fileRootProblem(file, root);
  return message === null ? [] : [{ key: KEY.file, message }];
}

/** Throws ConfigError `FILE_OUTSIDE_ROOT`. */
export async function requireInRoot(file: string, root: string | null): Promise<void> {
  const problem = root === null ? null : await fileRootProblem(file, root);
  if (problem !== null) throw new ConfigError(problem, { code: 'FILE_OUTSIDE_ROOT', place: { file } });
}

/**
 * The absolute path that opening `path` would reach. Symbolic links are followed before `..`, missing parts are kept as
 * written. Null: it cannot be determined.
 */
async function resolvePath(path: string): Promise<string | null> {
  const missing: string[] = [];
  for (let present = path; ; present = dirname(present)) {
    try {
      return join(await realpath(present), ...missing);
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    }
    const name = basename(present);
    // A dangling link creates the file at its target, and the meaning of `..` depends on what is created.
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
