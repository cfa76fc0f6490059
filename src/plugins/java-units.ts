/**
 * Finds what Java's `plugin.path` would load as one unit each: a jar, or a folder with jars or classes at any depth.
 * Reads names only.
 */
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { JavaUnit } from '@millrace/java-host';
import type { PluginProblem } from './registry';

const ARCHIVE = /\.(?:jar|zip)$/i;
const CLASS = /\.class$/i;

export const isArchive = (name: string): boolean => ARCHIVE.test(name);

/** What one entry of `plugin.path` may have. */
const MAX_DIRECTORIES = 5_000;
const MAX_ARCHIVES = 10_000;
const MAX_DEPTH = 32;

interface Walk {
  /** Real path of the entry of `plugin.path`. */
  readonly root: string;
  readonly problems: PluginProblem[];
  directories: number;
  archives: number;
  exceeded: boolean;
}

/**
 * A folder with a `package.json` is not a unit, nor are names with a leading dot and `node_modules`. Links are followed
 * as long as they stay in the unit or in `root`. Never throws.
 * @param root real path of an entry of `plugin.path`
 */
export function javaUnits(root: string, problems: PluginProblem[]): JavaUnit[] {
  const walk: Walk = { root, problems, directories: 0, archives: 0, exceeded: false };
  const units = new Map<string, JavaUnit>();
  for (const name of isArchive(root) ? [''] : namesIn(root)) {
    const unit = unitAt(join(root, name), walk);
    if (unit) units.set(unit.location, unit);
  }
  if (walk.exceeded) problems.push(tooMany(root));
  return [...units.values()];
}

function unitAt(path: string, walk: Walk): JavaUnit | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === true && isArchive(path)) {
    const location = realpathSync(path);
    return take(walk, 'archives') ? { location, classPath: [location] } : null;
  }
  if (stats?.isDirectory() !== true) return null;
  const location = realpathSync(path);
  const found = { archives: new Set<string>(), classes: false };
  visit(location, { location, walk, found, visited: new Set(), depth: 0 });
  if (found.archives.size > 0) return { location, classPath: [...found.archives].sort() };
  return found.classes ? { location, classPath: [location] } : null;
}

interface Visit {
  readonly location: string;
  readonly walk: Walk;
  readonly found: { readonly archives: Set<string>; classes: boolean };
  readonly visited: Set<string>;
  readonly depth: number;
}

/** @param directory real path */
function visit(directory: string, at: Visit): void {
  const { walk, found, visited } = at;
  if (visited.has(directory) || !take(walk, 'directories')) return;
  visited.add(directory);
  const names = namesIn(directory);
  // Its jars are files of that package.
  if (names.includes('package.json')) return;
  for (const name of names) {
    if (CLASS.test(name)) found.classes = true;
    const real = realPathOf(join(directory, name), at);
    if (real === null) continue;
    const stats = statSync(real, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) {
      if (at.depth === MAX_DEPTH) walk.exceeded = true;
      else visit(real, { ...at, depth: at.depth + 1 });
    } else if (stats?.isFile() === true && isArchive(name) && !found.archives.has(real) && take(walk, 'archives'))
      found.archives.add(real);
  }
}

/** Null: it does not exist, or leads out of what the operator has named. */
function realPathOf(path: string, { location, walk }: Visit): string | null {
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    return null;
  }
  const isInside = [location, walk.root].some((folder) => real.startsWith(folder + sep));
  if (isInside) return real;
  // All plugins are in none.
  if (real === walk.root) return null;
  const message = `${path} is not used: it is a link to ${real}, which is outside of the plugin's folder and of plugin.path. Copy it into the folder.`;
  walk.problems.push({ location, message });
  return null;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => !name.startsWith('.') && name !== 'node_modules')
      .sort();
  } catch {
    // Where folders of plugins are listed, it is reported.
    return [];
  }
}

function take(walk: Walk, what: 'directories' | 'archives'): boolean {
  const limit = what === 'archives' ? MAX_ARCHIVES : MAX_DIRECTORIES;
  if (walk[what]++ < limit) return true;
  walk.exceeded = true;
  return false;
}

function tooMany(root: string): PluginProblem {
  const message = `The plugin path ${root} has more than ${MAX_DIRECTORIES} folders or ${MAX_ARCHIVES} jars: not all Java plugins in it are found.`;
  return { location: root, message };
}
