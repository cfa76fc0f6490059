/**
 * Loads an ESM or CommonJS module, or the bundle beside it: `index.bundle.js` for `index.js`. In a file of its own,
 * which bundles leave out: code that V8 restores from its cache cannot import.
 */
import { pathToFileURL } from 'node:url';
import { loadBundle } from '../bundle/run-program';

/** As with `import()`, a module runs once. */
const bundled = new Map<string, Record<string, unknown>>();

/** Resolves with what `import()` would: the exports of a CommonJS module are also its `default`. */
export async function importModule(file: string): Promise<Record<string, unknown>> {
  const known = bundled.get(file);
  if (known) return known;
  const exports = loadBundle(file.replace(/(?:\.js)?$/, '.bundle.js'));
  if (exports === null) return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  const namespace = { ...exports, default: exports };
  bundled.set(file, namespace);
  return namespace;
}
