/**
 * The `millrace` member of a plug-in's `package.json`. Discovery reads this and nothing else; code is imported when a
 * connector, task or validation first needs it.
 * @example
 * "millrace": { "plugins": [{ "type": "source", "class": "com.example.TickSource", "module": "./index.js" }] }
 */
export interface PluginManifest {
  readonly plugins: readonly PluginEntry[];
}

export type PluginType = 'source' | 'sink' | 'converter' | 'header_converter' | 'transformation' | 'predicate';

export interface PluginEntry {
  readonly type: PluginType;
  /** The name used as `connector.class`; a Java class name where one exists. */
  readonly class: string;
  /** Further accepted names. The simple name, and the simple name without its kind suffix, are accepted anyway. */
  readonly aliases?: readonly string[];
  /** Connectors only: written as `task.class`. (Default: the class with `Connector` replaced by `Task`) */
  readonly taskClass?: string;
  /** (Default: the package's version) */
  readonly version?: string;
  /** Module inside the folder, ESM or CommonJS. (Default: the package's main module) */
  readonly module?: string;
  /** Name of the export. (Default: `default`, or the module itself) */
  readonly export?: string;
  /**
   * Connectors only: worker settings that the connector and its tasks get to see, for what an administrator decides and
   * no connector configuration may change. By full name, e.g. `file.root`. (Default: none)
   */
  readonly workerSettings?: readonly string[];
}
