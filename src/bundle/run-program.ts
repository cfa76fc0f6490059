/**
 * Runs a program of the worker from its bundle: one file with all modules that it loads, and beside it the bytecode
 * that V8 compiled for a start. A start then reads two files instead of resolving, reading and compiling a thousand.
 * `npm run build` writes both (dev/bundle). Without a bundle, the program runs from the modules.
 */
import { readFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { codeCachePath, PROGRAMS } from './programs';

/** `off`: from the modules, so that traces and the debugger have their names and lines. */
const SETTING = 'MILLRACE_BUNDLE';

/** @param folder where the bundles are */
export function runProgram(name: keyof typeof PROGRAMS, folder = __dirname): void {
  if (name !== 'worker') provideSdk(createRequire(__filename));
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- the module to load is a value
  if (loadBundle(join(folder, `${name}.bundle.js`)) === null) require(join(folder, PROGRAMS[name]));
}

/** What the module of the bundle exports. Null: there is no bundle, or none is to be used. */
export function loadBundle(file: string): object | null {
  const source = process.env[SETTING] === 'off' ? null : readOrNull(file)?.toString('latin1');
  if (source == null) return null;
  const cachedData = readOrNull(codeCachePath(file, source)) ?? undefined;
  // V8 rejects the bytecode of other versions and flags, and compiles the source instead.
  const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) });
  const run = script.runInThisContext() as (require: NodeJS.Require, file: string, folder: string) => object;
  return run(createRequire(file), file, dirname(file));
}

/** Of threads, which share it with plugins: `require` and `import` find it as if its modules had been loaded. */
export function provideSdk(require: Pick<NodeJS.Require, 'resolve' | 'cache'>): void {
  const file = require.resolve('@millrace/sdk');
  const exports = require.cache[file] === undefined ? loadBundle(join(dirname(file), 'index.bundle.js')) : null;
  if (exports === null) return;
  const module = new Module(file);
  require.cache[file] = Object.assign(module, { filename: file, loaded: true, exports });
}

function readOrNull(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
