/** The plugin registry: manifests are read at start and by `rescan`, code is imported when first needed. */
import type { JavaPlugin, Jvms } from '@millrace/java-host';
import { ConnectError, type PluginType } from '@millrace/sdk';
import { JAVA_HOST, javaHost } from '../java/java-host';
import type { Logger } from '../logging/logger';
import { candidates } from './aliases';
import { builtInConnectors } from './built-in-connectors';
import { catalogChange, type CatalogChange } from './catalog-change';
import { choosePlugin } from './choose-plugin';
import { type PluginDiscovery, withJavaPlugins } from './java-catalog';
import { loadPlugin } from './load';
import type { CatalogEntry } from './manifest';
import type { BuiltInPlugin, LoadedPlugin, PluginDescription, PluginProblem, PluginRegistry } from './registry';
import { scanPlugins, type Scan } from './scan';
import { compareVersions } from './version-range';
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
  /** How plugins in jars are found. (Default: null) */
  readonly discovery?: PluginDiscovery;
  /** Where plugins in jars run; called when the first one is loaded. (Default: they cannot be loaded) */
  readonly jvms?: () => Jvms;
}

/** `catalog` is plain data: pass it to a thread and build that thread's registry from it. */
export interface LocalPluginRegistry extends PluginRegistry {
  readonly catalog: Scan;
  /**
   * Adds the plugins in jars, if `plugin.path` has some. Starts a JVM only for jars that do not name them. Call it
   * before the registry is used; a registry with a catalog has them. Never rejects.
   */
  discover(): Promise<void>;
  /**
   * Reads the manifests and jars again, and logs new problems. Modules that this thread has imported stay loaded:
   * threads that are created from now on import the new ones.
   * @param folders real paths of the plugin folders in which files have changed
   */
  rescan(folders: ReadonlySet<string>): Promise<CatalogChange>;
}

export function createPluginRegistry(options: PluginRegistryOptions): LocalPluginRegistry {
  const catalog = options.catalog ?? scanInstalled(options.pluginPath);
  if (!options.catalog) for (const problem of catalog.problems) options.logger.warn(problem.message);
  return new ManifestRegistry(catalog, options);
}

/** The built-in connectors are found like third-party plugins, and first. */
function scanInstalled(pluginPath: readonly string[]): Scan {
  const { folders, missing } = builtInConnectors();
  const { entries, problems, units } = scanPlugins([...folders, ...pluginPath]);
  const absent = missing.map((name) => ({
    location: name,
    message: `The package ${name} is not installed: its connectors are not available.`,
  }));
  return { entries, problems: [...absent, ...problems, ...writableByAll(pluginPath)], ...(units && { units }) };
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

  async discover(): Promise<void> {
    const previous = this.scan;
    if (previous.units === undefined) return;
    this.use(await this.withJars(previous));
    this.logNewProblems(previous);
  }

  async rescan(folders: ReadonlySet<string>): Promise<CatalogChange> {
    const scanned = await this.withJars(scanInstalled(this.options.pluginPath));
    const previous = this.scan;
    const change = catalogChange(previous, scanned, folders);
    this.use(change.catalog);
    this.logNewProblems(previous);
    return change;
  }

  private async withJars(scan: Scan): Promise<Scan> {
    const { jvms, discovery } = this.options;
    return await withJavaPlugins(scan, jvms, { ...(discovery !== undefined && { discovery }) });
  }

  private logNewProblems(previous: Scan): void {
    for (const { message } of this.scan.problems)
      if (!previous.problems.some((problem) => problem.message === message)) this.options.logger.warn(message);
  }

  private use(catalog: Scan): void {
    this.scan = catalog;
    this.found = [...catalog.problems];
    this.loaded = new Map(this.compiled);
    this.entries = new Map(catalog.entries.map((entry) => [entry.description, entry]));
    this.descriptions = [...this.loaded.keys(), ...this.entries.keys()].sort(
      (a, b) =>
        KIND_ORDER.indexOf(a.type) - KIND_ORDER.indexOf(b.type) ||
        (a.class < b.class ? -1 : a.class > b.class ? 1 : 0) ||
        compareVersions(a.version, b.version),
    );
  }

  list(): readonly PluginDescription[] {
    return this.descriptions;
  }

  find(name: string, type?: PluginType | readonly PluginType[], version?: string | null): PluginDescription | null {
    const kinds = type === undefined ? KIND_ORDER : typeof type === 'string' ? [type] : type;
    const ofKinds = this.descriptions.filter((plugin) => kinds.includes(plugin.type));
    const classes = [...new Set(candidates(name, ofKinds).map((plugin) => plugin.class))];
    if (classes.length > 1) {
      throw new ConnectError(`The name ${name} may mean ${classes.join(' or ')}: use the full class name.`, {
        code: 'PLUGIN_AMBIGUOUS',
      });
    }
    const [found] = classes;
    // Also those of the class that do not declare the alias.
    return choosePlugin(
      ofKinds.filter((plugin) => plugin.class === found),
      version,
    );
  }

  async load(description: PluginDescription): Promise<LoadedPlugin> {
    const own = this.ownDescription(description);
    let plugin = this.loaded.get(own);
    if (!plugin) {
      const entry = this.entries.get(own) as CatalogEntry;
      plugin = entry.java ? this.loadJava(entry.java) : loadPlugin(entry);
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

  private async loadJava(plugin: JavaPlugin): Promise<LoadedPlugin> {
    const host = javaHost();
    const { jvms } = this.options;
    if (host !== null && jvms) return await host.loadJavaPlugin(plugin, jvms());
    const reason = host === null ? `the package ${JAVA_HOST} is not installed` : 'no JVMs are started here';
    const message = `The plugin ${plugin.class} in ${plugin.location} cannot be loaded: ${reason}.`;
    throw new ConnectError(message, { code: 'PLUGIN_LOAD_FAILED', place: { file: plugin.location } });
  }

  problems(): readonly PluginProblem[] {
    return this.found;
  }

  /** The argument may be a copy, for example from a message to a thread. */
  private ownDescription(description: PluginDescription): PluginDescription {
    const { class: className, type, location } = description;
    const all = this.descriptions.filter((d) => d.class === className && d.type === type);
    // Its folder may have another name since.
    const own = all.find((d) => d.location === location) ?? (all.length === 1 ? all[0] : undefined);
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
