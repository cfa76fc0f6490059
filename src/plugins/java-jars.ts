/** Finds Java plugins in `plugin.path`, which a folder taken over from a Java worker contains. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PluginProblem } from './registry';

const SHOWN = 5;

/**
 * One problem for all jars of a path and of its folders. Null: there are none.
 * @param folders the folders in `path` that may be plugins
 */
export function javaJars(path: string, folders: readonly string[]): PluginProblem | null {
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
