/** Locates an import error in a plugin's files. */
import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Timeout of the syntax check of a file. Milliseconds. */
const CHECK_MS = 10_000;
/** How many files that the module may import are checked, the newest ones first. */
const MAX_CHECKED = 20;
const MAX_DEPTH = 8;
const CODE = /\.[cm]?[jt]s$/;
/** `file:line` or `file:line:column`, the file as path or URL. */
const AT = /(?:^|\s|\()((?:file:\/\/)?\/[^\n()]*?):(\d+)(?::(\d+))?\)?$/;

/** `file:line:column`, as far as known; null: not in the plugin's folder. */
export async function errorLocation(error: unknown, file: string, folder: string): Promise<string | null> {
  const { stack, name } = (error ?? {}) as { stack?: unknown; name?: unknown };
  const lines = typeof stack === 'string' ? stack.split('\n') : [];
  // A module with a syntax error has no stack frames. For CommonJS, Node prints the location above the message.
  const isSyntax = name === 'SyntaxError';
  const place = isSyntax ? placeIn(lines[0] ?? '', folder) : firstPlace(lines, folder);
  if (place !== null || !isSyntax) return place;
  for (const checked of [file, ...newestCode(folder).filter((other) => other !== file)]) {
    const found = await parsedPlace(checked, folder);
    if (found !== null) return found;
  }
  return null;
}

/** Files of the folder that the module may import; the error is probably in the one that was edited last. */
function newestCode(folder: string): string[] {
  return codeIn(folder)
    .map((path) => ({ path, time: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.time - a.time)
    .slice(0, MAX_CHECKED)
    .map(({ path }) => path);
}

/** Links are not followed. */
function codeIn(folder: string, depth = 0): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) return CODE.test(entry.name) ? [path] : [];
      return depth === MAX_DEPTH || entry.name === 'node_modules' || entry.name.startsWith('.')
        ? []
        : codeIn(path, depth + 1);
    });
  } catch {
    return [];
  }
}

function firstPlace(lines: readonly string[], folder: string): string | null {
  for (const line of lines) {
    const place = /^\s+at /.test(line) ? placeIn(line, folder) : null;
    if (place !== null) return place;
  }
  return null;
}

function placeIn(line: string, folder: string): string | null {
  const [, named, row, column] = AT.exec(line) ?? [];
  if (named === undefined) return null;
  const path = named.startsWith('file:') ? fileURLToPath(named) : named;
  return path.startsWith(folder) ? [path, row, column].filter((part) => part !== undefined).join(':') : null;
}

/** Runs `node --check`, which parses the module without executing it, to get the location. */
async function parsedPlace(file: string, folder: string): Promise<string | null> {
  return await new Promise((resolve) => {
    execFile(process.execPath, ['--check', file], { timeout: CHECK_MS, env: {} }, (error, _, stderr) => {
      resolve(error === null ? null : placeIn(stderr.split('\n', 1)[0] ?? '', folder));
    });
  });
}
