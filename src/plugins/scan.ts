/** Finds plugin folders: the built-in ones and those of `plugin.path`. Reads manifests only. */
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JavaUnit, OtherJavaPlugin } from '@millrace/java-host';
import { isArchive, javaUnits } from './java-units';
import { readManifest, type CatalogEntry } from './manifest';
import type { PluginProblem } from './registry';

export interface Scan {
  /** In order of discovery; a version of a class appears once per kind, those in jars once per location. */
  readonly entries: readonly CatalogEntry[];
  readonly problems: readonly PluginProblem[];
  /** Units of jars in `plugin.path`. (Default: none) */
  readonly units?: readonly JavaUnit[];
  /** Classes of jars that no connector uses, such as config providers. (Default: none) */
  readonly others?: readonly OtherJavaPlugin[];
}

/**
 * Each path is a plugin's folder or a folder of plugin folders. The first of two plugins with the same class, kind and
 * version is kept. Never throws.
 */
export function scanPlugins(paths: readonly string[]): Scan {
  const entries = new Map<string, CatalogEntry>();
  const problems: PluginProblem[] = [];
  const units = new Map<string, JavaUnit>();
  for (const folder of new Set(paths.flatMap((path) => pluginFolders(path, problems, units)))) {
    const manifest = readManifest(folder);
    if (!manifest) continue;
    problems.push(...manifest.problems);
    for (const entry of manifest.entries) {
      const { type, class: className, version } = entry.description;
      const key = `${type} ${className} ${version}`;
      const first = entries.get(key);
      if (!first) {
        entries.set(key, entry);
        continue;
      }
      problems.push({
        location: folder,
        message: `${className} is already provided by ${first.description.location}; the one in ${folder} is not used.`,
      });
    }
  }
  return { entries: [...entries.values()], problems, ...(units.size > 0 && { units: [...units.values()] }) };
}

/**
 * The folders of an entry of `plugin.path` that may be plugins. Real paths, so that a folder reachable by two paths
 * counts once. Never throws.
 * @param units gets the units of jars, by location
 */
export function pluginFolders(
  path: string,
  problems: PluginProblem[],
  units: Map<string, JavaUnit> = new Map(),
): string[] {
  try {
    const root = realpathSync(resolve(path));
    if (isArchive(root) && statSync(root).isFile()) {
      addUnits(root, problems, units);
      return [];
    }
    if (readManifest(root)) return [root];
    const folders = readdirSync(root)
      .sort()
      .filter((name) => !name.startsWith('.') && name !== 'node_modules')
      .map((name) => join(root, name))
      .filter((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      .map((folder) => realpathSync(folder));
    if (addUnits(root, problems, units) === 0 && !folders.some((folder) => readManifest(folder)))
      problems.push({
        location: path,
        message: `The plugin path ${path} has no plugin: neither it nor a folder in it has a package.json with "millrace".`,
      });
    return folders;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const reason =
      code === 'ENOENT' ? 'it does not exist' : code === 'ENOTDIR' ? 'it is not a folder' : (error as Error).message;
    problems.push({ location: path, message: `The plugin path ${path} cannot be read: ${reason}.` });
    return [];
  }
}

/** Returns their number. */
function addUnits(root: string, problems: PluginProblem[], units: Map<string, JavaUnit>): number {
  const found = javaUnits(root, problems);
  for (const unit of found) units.set(unit.location, unit);
  return found.length;
}
