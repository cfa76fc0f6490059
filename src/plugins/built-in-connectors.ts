/**
 * Finds the plugin packages that ship with the worker: those of its dependencies that are named
 * `@millrace/connector-*`, `@millrace/converters-*` or `@millrace/transforms-*`.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const OWN_FOLDER = join(__dirname, '..', '..');
const NAME = /^@millrace\/(connector|converters|transforms)-/;

export interface BuiltInConnectors {
  readonly folders: readonly string[];
  /** Packages that are not installed. */
  readonly missing: readonly string[];
}

/**
 * By module resolution, because npm installs a dependency beside the worker's package, inside of it, or, in the
 * repository, as a link to the workspace. Never throws.
 */
export function builtInConnectors(
  names: readonly string[] = connectorDependencies(),
  resolve: (request: string) => string = require.resolve,
): BuiltInConnectors {
  const folders: string[] = [];
  const missing: string[] = [];
  for (const name of names) {
    try {
      folders.push(dirname(resolve(`${name}/package.json`)));
    } catch {
      missing.push(name);
    }
  }
  return { folders, missing };
}

function connectorDependencies(): string[] {
  const { dependencies } = JSON.parse(readFileSync(join(OWN_FOLDER, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return Object.keys(dependencies).filter((name) => NAME.test(name));
}
