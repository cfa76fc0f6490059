/** The plugin registry: manifests are read at start and by `rescan`, code is imported when first needed. */
import { ConnectError, type PluginType } from '@millrace/sdk';
import type { Logger } from '../logging/logger';
import { candidates } from './aliases';
import { builtInConnectors } from './built-in-connectors';
import { catalogChange, type CatalogChange } from './catalog-change';
import { loadPlugin } from './load';
import type { CatalogEntry } from './manifest';
import type { BuiltInPlugin, LoadedPlugin, PluginDescription, PluginProblem, PluginRegistry } from './registry';
import { scanPlugins, type Scan } from './scan';
import { writableByAll } from './writable-by-all';

const KIND_ORDER: readonly PluginType[] = [
  'sink',
  'source',
  'transformation',
  'predicate',
  'converter',
  'header_converter',
  'column_converter',
];

export interface PluginRegistryOptions {
  /** Entries of `plugin.path`; searched after the built-in connectors. */
  readonly pluginPath: readonly string[];
  /** Compiled into the worker. */
  readonly builtIns: readonly BuiltInPlugin[];
  readonly logger: Logger;
  /** Catalog of a registry with the same settings, so that a thread need not scan again. */
  readonly catalog?: Scan;
}

/** `catalog` is plain data: pass it to a thread and build that thread's registry from it. */
export interface LocalPluginRegistry extends PluginRegistry {
  readonly catalog: Scan;
  /**
   * Reads the manifests again, and logs new problems. Modules that this thread has imported stay loaded: threads that
   * are created from now on import the new ones.
   * @param folders real paths of the plugin folders in which files have changed
   */
  rescan(folders: ReadonlySet<string>): CatalogChange;
}

export function createPluginRegistry(options: PluginRegistryOptions): LocalPluginRegistry {
  const catalog = options.catalog ?? scanInstalled(options.pluginPath);
  if (!options.catalog) for (const problem of catalog.problems) options.logger.warn(problem.message);
  return new ManifestRegistry(catalog, options);
}

/** The built-in connectors are found like third-party plugins, and first. */
function scanInstalled(pluginPath: readonly string[]): Scan {
  const { folders, missing } = builtInConnectors();
  const { entries, problems } = scanPlugins([...folders, ...pluginPath]);
  const absent = missing.map((name) => ({
    location: name,
    message: `The package ${name} is not installed: its connectors are not available.`,
  }));
  return { entries, problems: [...absent, ...problems, ...writableByAll(pluginPath)] };
}

class ManifestRegistry implements LocalPluginRegistry {
  private scan: Scan;
  private descriptions: readonly PluginDescription[] = [];
  private readonly compiled = new Map<PluginDescription, Promise<LoadedPlugin>>();
  private entries = new Map<PluginDescription, CatalogEntry>();
  private loaded = new Map<PluginDescription, Promise<LoadedPlugin>>();
  private found: PluginProblem[] = [];

  constructor(
    catalog: Scan,
    private readonly options: PluginRegistryOptions,
  ) {
    for (const { description, plugin } of options.builtIns) this.compiled.set(description, Promise.resolve(plugin));
    this.scan = catalog;
    this.use(catalog);
  }

  get catalog(): Scan {
    return this.scan;
  }

  rescan(folders: ReadonlySet<string>): CatalogChange {
    const previous = this.scan;
    const change = catalogChange(previous, scanInstalled(this.options.pluginPath), folders);
    for (const { message } of change.catalog.problems)
      if (!previous.problems.some((problem) => problem.message === message)) this.options.logger.warn(message);
    this.use(change.catalog);
    return change;
  }

  private use(catalog: Scan): void {
    this.scan = catalog;
    this.found = [...catalog.problems];
    this.loaded = new Map(this.compiled);
    this.entries = new Map(catalog.entries.map((entry) => [entry.description, entry]));
    this.descriptions = [...this.loaded.keys(), ...this.entries.keys()].sort(
      (a, b) =>
        KIND_ORDER.indexOf(a.type) - KIND_ORDER.indexOf(b.type) || (a.class < b.class ? -1 : a.class > b.class ? 1 : 0),
    );
  }

  list(): readonly PluginDescription[] {
    return this.descriptions;
  }

  find(name: string, type?: PluginType | readonly PluginType[]): PluginDescription | null {
    const kinds = type === undefined ? KIND_ORDER : typeof type === 'string' ? [type] : type;
    const matching = candidates(
      name,
      this.descriptions.filter((plugin) => kinds.includes(plugin.type)),
    );
    const classes = [...new Set(matching.map((plugin) => plugin.class))];
    if (classes.length > 1) {
      throw new ConnectError(`The name ${name} may mean ${classes.join(' or ')}: use the full class name.`, {
        code: 'PLUGIN_AMBIGUOUS',
      });
    }
    return matching[0] ?? null;
  }

  async load(description: PluginDescription): Promise<LoadedPlugin> {
    const own = this.ownDescription(description);
    let plugin = this.loaded.get(own);
    if (!plugin) {
      plugin = loadPlugin(this.entries.get(own) as CatalogEntry);
      this.loaded.set(own, plugin);
    }
    try {
      return await plugin;
    } catch (error) {
      // Not cached, so that the next attempt finds a dependency installed meanwhile.
      this.loaded.delete(own);
      this.report({ location: own.location, message: (error as Error).message });
      throw error;
    }
  }

  problems(): readonly PluginProblem[] {
    return this.found;
  }

  /** The argument may be a copy, for example from a message to a thread. */
  private ownDescription(description: PluginDescription): PluginDescription {
    const { class: className, type, location } = description;
    const own = this.descriptions.find((d) => d.class === className && d.type === type);
    if (own) return own;
    throw new ConnectError(`The plugin ${className} in ${location} is not installed in this worker.`, {
      code: 'PLUGIN_LOAD_FAILED',
    });
  }

  private report(problem: PluginProblem): void {
    if (this.found.some((p) => p.message === problem.message)) return;
    this.found.push(problem);
    this.options.logger.warn(problem.message);
  }
}
