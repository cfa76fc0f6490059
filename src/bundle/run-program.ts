/**
 * Runs a program of the worker from its bundle: one file with all modules that it loads, and beside it the bytecode
 * that V8 compiled for a start. A start then reads two files instead of resolving, reading and compiling a thousand.
 * `npm run build` writes both (dev/bundle). Without a bundle, the program runs from the modules.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { codeCachePath, PROGRAMS } from './programs';

/** `off`: from the modules, so that traces and the debugger have their names and lines. */
const SETTING = 'MILLRACE_BUNDLE';

/** Of ES2024, which Node.js 20 has. */
type Resizable = ArrayBuffer & { resize(bytes: number): void };
const ResizableBuffer = ArrayBuffer as unknown as new (bytes: number, options: { maxByteLength: number }) => Resizable;

/** @param folder where the bundles are */
export function runProgram(name: keyof typeof PROGRAMS, folder = __dirname): void {
  if (name !== 'worker') provideSdk(createRequire(__filename));
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- the module to load is a value
  if (loadBundle(join(folder, `${name}.bundle.js`)) === null) require(join(folder, PROGRAMS[name]));
}

/** What the module of the bundle exports. Null: there is no bundle, or none is to be used. */
export function loadBundle(file: string): object | null {
  const text = process.env[SETTING] === 'off' ? null : readOrNull(file);
  if (text === null) return null;
  const source = text.toString('latin1');
  release(text);
  const cachedData = readOrNull(codeCachePath(file, source));
  // V8 rejects the bytecode of other versions and flags, and compiles the source instead.
  const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) });
  release(cachedData);
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

/**
 * In memory that `resize(0)` returns to the system at once: malloc would keep megabytes for each thread that has read
 * its program.
 */
function readOrNull(path: string): Buffer | null {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    const { size } = fstatSync(file);
    const bytes = Buffer.from(new ResizableBuffer(size, { maxByteLength: size }));
    for (let at = 0, read = 1; at < size && read > 0; at += read) read = readSync(file, bytes, at, size - at, at);
    return bytes;
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}

function release(bytes: Buffer | null): void {
  (bytes?.buffer as Resizable | undefined)?.resize(0);
}
