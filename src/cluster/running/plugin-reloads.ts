/**
 * Replaces the code of plugins whose files have changed: the connectors and tasks of this worker that use them stop,
 * commit, and start again in new threads. It is a matter of this worker alone, since each has its own files.
 */
import { messageOf } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { PluginHost } from '../../plugin-host/host';
import type { CatalogChange } from '../../plugins/catalog-change';
import type { CatalogEntry } from '../../plugins/manifest';
import type { PluginDescription, PluginRegistry } from '../../plugins/registry';
import type { ConfigSnapshot } from '../../storage/config/config-snapshot';
import type { TaskHost } from '../../tasks/host';
import type { RequestQueue } from '../queue/request-queue';
import type { AssignedWork } from './assigned-work';
import { usedPlugins, type WorkerConverters } from './used-plugins';

export interface PluginReloadsOptions {
  readonly registry: Pick<PluginRegistry, 'find'>;
  readonly pluginHost: Pick<PluginHost, 'traits' | 'retireThreads'>;
  readonly taskHost: Pick<TaskHost, 'retireThreads'>;
  readonly queue: RequestQueue;
  readonly work: Pick<AssignedWork, 'connectorsHere' | 'restartHere'>;
  /** The configuration that the tick works with. */
  readonly configs: { snapshot(): ConfigSnapshot };
  readonly worker: WorkerConverters;
  readonly logger: Logger;
}

export class PluginReloads {
  constructor(private readonly options: PluginReloadsOptions) {}

  /**
   * The registry has the new catalog already. Resolves when the old tasks have stopped and the new ones are starting.
   * Plugins that cannot be loaded are logged, and what runs continues with the code that it has loaded. Rejects when
   * the worker stops.
   */
  async apply({ added, changed, removed }: CatalogChange): Promise<void> {
    const { pluginHost, taskHost, queue, logger } = this.options;
    const all = [...added, ...changed];
    if (all.length === 0 && removed.length === 0) return;
    pluginHost.retireThreads();
    taskHost.retireThreads();
    for (const { class: name, location } of removed)
      logger.warn(`Plugin ${name} was removed from ${location}. Tasks that use it continue until they are restarted`);
    const loaded = await this.loadable(all);
    if (loaded.length === 0) return;
    // Between rebalances, when this worker's assignment is certain.
    await queue.submit(async () => {
      const plugins = loaded.map(({ description }) => description);
      const connectors = this.using(plugins);
      this.logReload(plugins, connectors);
      await this.options.work.restartHere(connectors);
    });
  }

  /** Imports them in a new plugin thread, so that no task stops for code that cannot start. */
  private async loadable(entries: readonly CatalogEntry[]): Promise<CatalogEntry[]> {
    const loaded: CatalogEntry[] = [];
    const faulty = new Set<string>();
    for (const entry of entries) {
      // A JVM starts for what a connector uses, not for each class of a folder.
      if (entry.java) {
        loaded.push(entry);
        continue;
      }
      try {
        await this.options.pluginHost.traits(entry.description);
        loaded.push(entry);
      } catch (error) {
        // The plugins of one module usually fail with the same error.
        if (!faulty.has(entry.file)) this.logFailure(entry, error);
        faulty.add(entry.file);
      }
    }
    return loaded;
  }

  private logFailure({ description }: CatalogEntry, error: unknown): void {
    const users = this.using([description]);
    const consequence =
      users.length === 0
        ? ''
        : `; ${users.join(', ')} ${users.length === 1 ? 'continues' : 'continue'} with the old code`;
    this.options.logger.error(
      `The changed plugin ${description.class} is not reloaded until its files change again${consequence}: ${messageOf(error)}`,
    );
  }

  private logReload(plugins: readonly PluginDescription[], connectors: readonly string[]): void {
    const names = plugins.map(({ class: name }) => name).join(', ');
    const consequence = connectors.length === 0 ? 'no connector here uses it' : `restarting ${connectors.join(', ')}`;
    this.options.logger.info(`Reloaded ${plugins.length === 1 ? 'plugin' : 'plugins'} ${names}: ${consequence}`);
  }

  /** The connectors on this worker, or with tasks on it, that use one of the plugins. */
  private using(plugins: readonly PluginDescription[]): string[] {
    const { work, configs, worker, registry } = this.options;
    const keys = new Set(plugins.map(keyOf));
    return work.connectorsHere().filter((connector) => {
      const config = configs.snapshot().connectorConfig(connector);
      return config !== null && usedPlugins(config, worker, registry).some((plugin) => keys.has(keyOf(plugin)));
    });
  }
}

function keyOf({ type, class: name }: PluginDescription): string {
  return `${type} ${name}`;
}
