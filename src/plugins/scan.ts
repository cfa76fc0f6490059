/** Finds plugin folders: the built-in ones and those of `plugin.path`. Reads manifests only. */
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readManifest, type CatalogEntry } from './manifest';
import type { PluginProblem } from './registry';

export interface Scan {
  /** In order of discovery; a class appears once per kind. */
  readonly entries: readonly CatalogEntry[];
  readonly problems: readonly PluginProblem[];
}

/**
 * Each path is a plugin's folder or a folder of plugin folders. The first of two plugins with the same class and
 * kind is kept. Never throws.
 */
export function scanPlugins(paths: readonly string[]): Scan {
  const entries = new Map<string, CatalogEntry>();
  const problems: PluginProblem[] = [];
  for (const folder of new Set(paths.flatMap((path) => pluginFolders(path, problems)))) {
    const manifest = readManifest(folder);
    if (!manifest) continue;
    problems.push(...manifest.problems);
    for (const entry of manifest.entries) {
      const { type, class: className } = entry.description;
      const key = `${type} ${className}`;
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
  return { entries: [...entries.values()], problems };
}

/**
 * The folders of an entry of `plugin.path` that may be plugins. Real paths, so that a folder reachable by two paths
 * counts once. Never throws.
 */
export function pluginFolders(path: string, problems: PluginProblem[]): string[] {
  try {
    const root = realpathSync(resolve(path));
    if (readManifest(root)) return [root];
    const folders = readdirSync(root)
      .sort()
      .filter((name) => !name.startsWith('.') && name !== 'node_modules')
      .map((name) => join(root, name))
      .filter((folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      .map((folder) => realpathSync(folder));
    const jars = javaJars(root, folders);
    if (jars) problems.push(jars);
    else if (!folders.some((folder) => readManifest(folder)))
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

/** Jars that a problem names. */
const SHOWN = 5;

/**
 * One problem for all jars of a path, which a folder taken over from a Java worker contains, and of its folders. Null:
 * there are none.
 * @param folders the folders in `path` that may be plugins
 */
function javaJars(path: string, folders: readonly string[]): PluginProblem | null {
  const jars = [...new Set([path, ...folders])].flatMap((folder) => jarsIn(folder).map((name) => join(folder, name)));
  if (jars.length === 0) return null;
  const more = jars.length > SHOWN ? ` and ${jars.length - SHOWN} more` : '';
  const message = `Java plugins cannot run in this worker: ${jars.slice(0, SHOWN).join(', ')}${more} in plugin.path ${jars.length === 1 ? 'is' : 'are'} ignored.`;
  return { location: path, message };
}

function jarsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.toLowerCase().endsWith('.jar'))
      .sort();
  } catch {
    // An unreadable folder is reported where its manifest is read.
    return [];
  }
}
