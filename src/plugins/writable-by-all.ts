/** Finds what every user of the machine can write, where plugins are loaded from. */
import { realpathSync, statSync, type Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { JavaUnit } from '@millrace/java-host';
import { readManifest } from './manifest';
import type { PluginProblem } from './registry';
import { pluginFolders } from './scan';

const WRITABLE = { code: 'PLUGIN_FOLDER_WRITABLE' } as const;
const ALL_WRITE = 0o002;
const STICKY = 0o1000;
const SHOWN = 5;

/** At most one for an entry of `plugin.path`. None on Windows, which has other permissions. Never throws. */
export function writableByAll(
  pluginPath: readonly string[],
  platform: NodeJS.Platform = process.platform,
): PluginProblem[] {
  if (platform === 'win32') return [];
  return pluginPath.flatMap((path) => {
    const paths = writableOf(path);
    if (paths.length === 0) return [];
    const more = paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : '';
    const message = `Every user can write ${paths.slice(0, SHOWN).join(', ')}${more}, from where plugins are loaded, and so run code as this worker: remove the permission with chmod o-w (${WRITABLE.code}).`;
    return [{ location: path, message, isUsed: true as const }];
  });
}

/** Above what is listed, nothing is writable. */
function writableOf(path: string): string[] {
  let root: string;
  try {
    root = realpathSync(resolve(path));
  } catch {
    // Reported by the scan.
    return [];
  }
  const above = parentsOf(root).filter((parent) => hasMode(parent, (mode) => (mode & STICKY) === 0));
  // In a sticky folder, users cannot replace what others own, but can add a plugin.
  if (above.length > 0 || hasMode(root)) return above.length > 0 ? above : [root];
  const units = new Map<string, JavaUnit>();
  const ofPackages = pluginFolders(path, [], units).flatMap((folder) => {
    const manifest = readManifest(folder);
    if (manifest === null) return [];
    if (hasMode(folder)) return [folder];
    const files = new Set([join(folder, 'package.json'), ...manifest.entries.map(({ file }) => file)]);
    return [...files].filter((file) => hasMode(file));
  });
  const ofJars = [...units.values()].flatMap(({ location, classPath }) =>
    hasMode(location) ? [location] : classPath.filter((file) => hasMode(file)),
  );
  return [...ofPackages, ...ofJars];
}

function parentsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [...parentsOf(parent), parent];
}

function hasMode(path: string, matches: (mode: number) => boolean = () => true): boolean {
  const stats: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & ALL_WRITE) !== 0 && matches(stats.mode);
}
