/** Locates an import error in a plugin's files. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Timeout of the syntax check. Milliseconds. */
const CHECK_MS = 10_000;
/** `file:line` or `file:line:column`, the file as path or URL. */
const AT = /(?:^|\s|\()((?:file:\/\/)?\/[^\n()]*?):(\d+)(?::(\d+))?\)?$/;

/** `file:line:column`, as far as known; null: not in the plugin's folder. */
export async function errorLocation(error: unknown, file: string, folder: string): Promise<string | null> {
  const { stack, name } = (error ?? {}) as { stack?: unknown; name?: unknown };
  const lines = typeof stack === 'string' ? stack.split('\n') : [];
  // A module with a syntax error has no stack frames. For CommonJS, Node prints the location above the message.
  const isSyntax = name === 'SyntaxError';
  const place = isSyntax ? placeIn(lines[0] ?? '', folder) : firstPlace(lines, folder);
  return place ?? (isSyntax ? await parsedPlace(file, folder) : null);
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
