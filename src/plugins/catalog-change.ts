/** Compares the plugins of two scans, before and after files in plugin folders have changed. Pure. */
import type { CatalogEntry } from './manifest';
import type { PluginDescription } from './registry';
import type { Scan } from './scan';

export interface CatalogChange {
  /** The plugins from now on. */
  readonly catalog: Scan;
  readonly added: readonly CatalogEntry[];
  /** Their manifest, their folder, or a file in it has changed. */
  readonly changed: readonly CatalogEntry[];
  readonly removed: readonly PluginDescription[];
}

/**
 * A plugin whose folder cannot be read at the moment, for example while its manifest is being written, stays in the
 * catalog as it was, and counts as unchanged.
 * @param folders real paths of the plugin folders in which files have changed
 */
export function catalogChange(previous: Scan, scanned: Scan, folders: ReadonlySet<string>): CatalogChange {
  const before = byKey(previous);
  const found = byKey(scanned);
  const faulty = new Set(scanned.problems.flatMap(({ location, isUsed }) => (isUsed === true ? [] : [location])));
  const kept = previous.entries.filter((entry) => !found.has(keyOf(entry)) && faulty.has(entry.description.location));
  const catalog = { ...scanned, entries: [...scanned.entries, ...kept] };
  const after = byKey(catalog);
  const gone = previous.entries.filter((entry) => !after.has(keyOf(entry)));
  const isMoved = (entry: CatalogEntry): boolean =>
    !before.has(keyOf(entry)) && gone.some((old) => hasSameClass(old, entry));
  return {
    catalog,
    added: scanned.entries.filter((entry) => !before.has(keyOf(entry)) && !isMoved(entry)),
    changed: scanned.entries.filter((entry) => {
      const old = before.get(keyOf(entry));
      if (old === undefined) return isMoved(entry);
      return folders.has(entry.description.location) || !isSame(old, entry);
    }),
    removed: gone
      .filter((old) => !scanned.entries.some((entry) => isMoved(entry) && hasSameClass(old, entry)))
      .map(({ description }) => description),
  };
}

function byKey({ entries }: Scan): Map<string, CatalogEntry> {
  return new Map(entries.map((entry) => [keyOf(entry), entry]));
}

function keyOf({ description }: CatalogEntry): string {
  return `${description.type} ${description.class} ${description.location}`;
}

function hasSameClass({ description: one }: CatalogEntry, { description: other }: CatalogEntry): boolean {
  return one.type === other.type && one.class === other.class;
}

/** Both come from `readManifest`, so their members have the same order. */
function isSame(one: CatalogEntry, other: CatalogEntry): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
