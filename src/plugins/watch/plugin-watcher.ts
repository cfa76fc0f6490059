/** Watches plugin folders and reports those in which the manifest or code has changed. */
import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { startTimer } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import { pluginFolders } from '../scan';
import { DirectoryWatches, placeOfMissing, type WatchedPlace } from './directory-watches';
import { changedFolders, scanTime, type FolderStates } from './folder-changes';
import { TreeBudget, TreeReader, type FolderTree } from './folder-tree';

/** Directories that appear while they are read are read again, at most so many times. */
const MAX_ROUNDS = 10;

export interface PluginWatcherOptions {
  /** Entries of `plugin.path`. */
  readonly paths: readonly string[];
  /**
   * Real paths of the plugin folders that were added, removed or changed. Not called again before it has settled;
   * changes in the meantime are reported then.
   */
  readonly onChange: (folders: ReadonlySet<string>) => Promise<void>;
  readonly logger: Logger;
  /** (Default: 2,000 directories, 20,000 files) */
  readonly budget?: () => TreeBudget;
}

export class PluginWatcher {
  private states: FolderStates = new Map();
  private readonly reader = new TreeReader();
  private readonly watches: DirectoryWatches;
  private first: number | null = null;
  private timer: NodeJS.Timeout | undefined;
  private busy = false;
  private closed = false;
  private warned = false;

  constructor(private readonly options: PluginWatcherOptions) {
    const { logger } = options;
    this.watches = new DirectoryWatches({
      onEvent: () => this.onEvent(),
      onFailure: ({ code, message }) =>
        logger.warn(
          code === 'ENOSPC' || code === 'EMFILE'
            ? `Some plugin folders are not watched: the system allows no more watches (${code}; on Linux, raise fs.inotify.max_user_watches or max_user_instances)`
            : `Some plugin folders are not watched: ${message}`,
        ),
    });
  }

  /** Resolves when every later change will be reported. */
  async start(): Promise<void> {
    this.states = await this.scan();
    this.options.logger.info(`Watching the plugins in ${this.options.paths.join(', ')} for changes (plugin.watch)`);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.watches.close();
  }

  private onEvent(): void {
    const now = performance.now();
    this.first ??= now;
    this.schedule(scanTime(this.first, now) - now);
  }

  private schedule(ms: number): void {
    clearTimeout(this.timer);
    if (!this.closed && !this.busy) this.timer = startTimer(() => void this.scanForChanges(), ms).unref();
  }

  private async scanForChanges(): Promise<void> {
    this.busy = true;
    this.first = null;
    try {
      const states = await this.scan();
      const changed = changedFolders(this.states, states);
      this.states = states;
      if (changed.size > 0 && !this.closed) await this.options.onChange(changed);
    } catch (error) {
      this.options.logger.error('Changed plugins could not be reloaded; the next change retries', { error });
    } finally {
      this.busy = false;
    }
    // The events of the meantime.
    if (this.first !== null) this.schedule(0);
  }

  private async scan(): Promise<FolderStates> {
    const { paths, budget: newBudget = () => new TreeBudget() } = this.options;
    for (let round = 1; ; round++) {
      const budget = newBudget();
      const trees = new Map<string, FolderTree>();
      for (const folder of new Set(paths.flatMap((path) => pluginFolders(path, []))))
        trees.set(folder, await this.reader.tree(folder, budget));
      this.reader.endRound();
      if (this.closed) return this.states;
      // A new directory may have changed before it was watched.
      const isComplete = !this.watches.set([...paths.flatMap(placesOf), ...[...trees.values()].flatMap(placesIn)]);
      if (budget.exceeded) this.warnOfBudget();
      if (isComplete || round === MAX_ROUNDS) return new Map([...trees].map(([folder, { files }]) => [folder, files]));
    }
  }

  private warnOfBudget(): void {
    if (this.warned) return;
    this.warned = true;
    this.options.logger.warn('The plugin folders have too many files or subfolders to watch all of them');
  }
}

function placesIn({ directories }: FolderTree): WatchedPlace[] {
  return [...directories].map((directory) => ({ directory, only: null }));
}

/** Where an entry of `plugin.path` and the folders in it appear or are replaced. */
function placesOf(path: string): WatchedPlace[] {
  const root = resolve(path);
  if (!existsSync(root)) return [placeOfMissing(root, existsSync)].filter((place) => place !== null);
  try {
    const directory = realpathSync(root);
    const links = readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => resolve(directory, readlinkSync(join(directory, name))))
      .filter((target) => !existsSync(target))
      .map((target) => placeOfMissing(target, existsSync));
    return [
      { directory: dirname(root), only: basename(root) },
      { directory, only: null },
      ...links.filter((place) => place !== null),
    ];
  } catch {
    // It has just disappeared; its parent's event follows.
    return [{ directory: dirname(root), only: basename(root) }];
  }
}
