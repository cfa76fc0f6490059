/**
 * The worker setting `file.root`: the directory that must contain the files of every file connector. Source:
 * analytics-sink §9.2.
 */
import { lstat, realpath, type FileHandle } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { ConfigError, type ConfigProblem, type WorkerSettings } from '@millrace/sdk';

/** Null: any directory is allowed. */
export function fileRootOf(settings: WorkerSettings): string | null {
  return settings['file.root'] ?? null;
}

/** The real path of `file`, or why it is outside of the root. */
async function locate(file: string, root: string): Promise<{ readonly target: string } | { readonly problem: string }> {
  let allowed: string;
  try {
    allowed = await realpath(root);
  } catch (error) {
    return {
      problem: `Cannot use the directory of the worker setting "file.root": ${(error as Error).message}.`,
    };
  }
  const target = await resolvePath(isAbsolute(file) ? file : `${process.cwd()}${sep}${file}`);
  if (target?.startsWith(allowed.endsWith(sep) ? allowed : allowed + sep)) return { target };
  return {
    problem: `The file "${file}" is outside of ${root}, the directory that the worker setting "file.root" allows.`,
  };
}

/** For a connector's `validate`. @param file the resolved value of the setting `file`; null: not set */
export async function fileRootProblems(file: string | null, settings: WorkerSettings): Promise<ConfigProblem[]> {
  const root = fileRootOf(settings);
  if (file === null || root === null) return [];
  const located = await locate(file, root);
  return 'problem' in located ? [{ key: 'file', message: located.problem }] : [];
}

/** Resolves with the real path; null without a root. Throws ConfigError `FILE_OUTSIDE_ROOT`. */
export async function requireInRoot(file: string, root: string | null): Promise<string | null> {
  if (root === null) return null;
  const located = await locate(file, root);
  if ('target' in located) return located.target;
  throw new ConfigError(located.problem, { code: 'FILE_OUTSIDE_ROOT', place: { file } });
}

/**
 * Whether the open `handle` is the file of that name in the root: a link may have changed since it was checked or
 * opened. False: the name belongs to another file or to none by now. Throws ConfigError `FILE_OUTSIDE_ROOT`.
 */
export async function isInRoot(file: string, handle: FileHandle, root: string | null): Promise<boolean> {
  const target = await requireInRoot(file, root);
  if (target === null) return true;
  const opened = await handle.stat();
  return await lstat(target).then(
    (named) => named.ino === opened.ino && named.dev === opened.dev,
    () => false,
  );
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
