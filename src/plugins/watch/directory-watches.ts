/**
 * Watches single directories with the operating system's notifications. Events are only a reason to read the
 * directories again: what has changed is decided by their contents.
 */
import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { isCode, isIgnored } from './folder-changes';

export interface WatchedPlace {
  readonly directory: string;
  /** Only events of this entry count. Null: of all entries except ignored ones. */
  readonly only: string | null;
}

export interface DirectoryWatchesOptions {
  readonly onEvent: () => void;
  /** A directory cannot be watched; reported once. */
  readonly onFailure: (error: NodeJS.ErrnoException) => void;
}

export class DirectoryWatches {
  private readonly watches = new Map<string, WatchedPlace & { readonly watcher: FSWatcher }>();
  private failed = false;

  constructor(private readonly options: DirectoryWatchesOptions) {}

  get size(): number {
    return this.watches.size;
  }

  /** True: some are new, so that earlier changes in them were not noticed. */
  set(places: readonly WatchedPlace[]): boolean {
    const wanted = new Map(places.map((place) => [`${place.directory}\0${place.only ?? ''}`, place]));
    for (const [key, { watcher }] of this.watches) {
      if (wanted.has(key)) continue;
      watcher.close();
      this.watches.delete(key);
    }
    let added = false;
    for (const [key, place] of wanted) if (!this.watches.has(key) && this.add(key, place)) added = true;
    return added;
  }

  close(): void {
    this.set([]);
  }

  private add(key: string, place: WatchedPlace): boolean {
    const { directory } = place;
    try {
      const watcher = watch(directory, { persistent: false }, (event, name) => this.onEvent(key, place, event, name));
      watcher.on('error', () => this.lose(key));
      this.watches.set(key, { ...place, watcher });
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Without a directory, there is nothing to watch.
      if (code === 'ENOENT' || code === 'ENOTDIR' || this.failed) return false;
      this.failed = true;
      this.options.onFailure(error as NodeJS.ErrnoException);
      return false;
    }
  }

  private onEvent(key: string, { directory, only }: WatchedPlace, event: string, name: string | null): void {
    // The directory itself was removed or renamed: its notifications ended, or belong to another path.
    if (event === 'rename' && name === basename(directory)) this.lose(key);
    if (name !== null) {
      if (only !== null ? name !== only : isIgnored(name)) return;
      // Watches below a new entry of that name belong to the old one.
      if (event === 'rename') this.dropBelow(join(directory, name));
      else if (only === null && !isCode(name, true)) return;
    }
    this.options.onEvent();
  }

  private dropBelow(path: string): void {
    for (const [key, { directory, watcher }] of this.watches) {
      if (directory !== path && !directory.startsWith(path + sep)) continue;
      watcher.close();
      this.watches.delete(key);
    }
  }

  private lose(key: string): void {
    this.watches.get(key)?.watcher.close();
    this.watches.delete(key);
    this.options.onEvent();
  }
}

/** The entry that must appear before `path` can exist, in the nearest directory that does. */
export function placeOfMissing(path: string, exists: (path: string) => boolean): WatchedPlace | null {
  for (let entry = path; ; entry = dirname(entry)) {
    const directory = dirname(entry);
    if (directory === entry) return null;
    if (exists(directory)) return { directory, only: basename(entry) };
  }
}
