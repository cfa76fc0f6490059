/** The installed plugins. Only manifests are read; `load` imports code. */
import type {
  ColumnConverterPlugin,
  Connector,
  ConnectorConsole,
  ConverterPlugin,
  DeadLetterKeys,
  DeclaredSignal,
  HeaderConverterPlugin,
  PluginType,
  PredicatePlugin,
  TransformationPlugin,
} from '@millrace/sdk';

export interface PluginDescription {
  readonly type: PluginType;
  readonly class: string;
  readonly version: string;
  readonly aliases: readonly string[];
  /** Connectors only. */
  readonly taskClass: string | null;
  /** Folder, jar, or `built-in`. */
  readonly location: string;
  /** It is in a jar and runs in a JVM. (Default: false) */
  readonly java?: true;
  /** Connectors only: worker settings that it may read. (Default: none) */
  readonly workerSettings?: readonly string[];
  /** Sinks only: `putIsRepeatable` of the manifest. (Default: true) */
  readonly putIsRepeatable?: boolean;
  /** Connectors only: what the console shows of them beside the usual. (Default: nothing) */
  readonly console?: ConnectorConsole;
  /** Sinks only: keys with which it writes dead letters itself. (Default: none) */
  readonly deadLetters?: DeadLetterKeys;
  /** Sources only: the signals that it accepts. (Default: unknown) */
  readonly signals?: readonly DeclaredSignal[];
}

export type LoadedPlugin =
  Connector | ConverterPlugin | HeaderConverterPlugin | TransformationPlugin | PredicatePlugin | ColumnConverterPlugin;

/** A plugin that is compiled into the worker. */
export interface BuiltInPlugin {
  readonly description: PluginDescription;
  readonly plugin: LoadedPlugin;
}

export interface PluginProblem {
  readonly location: string;
  readonly message: string;
  /** A warning: the plugins are used. (Default: false) */
  readonly isUsed?: true;
}

export interface PluginRegistry {
  /**
   * Order of `GET /connector-plugins`: sinks, sources, transformations, predicates, converters, header converters,
   * column converters; by class name, then version. The same array until plugins are added, changed or removed.
   */
  list(): readonly PluginDescription[];
  /**
   * By class, declared alias, simple name, or simple name without the kind's suffix. Null when unknown; throws when
   * ambiguous.
   * @param version as in `connector.plugin.version`. (Default: any; see `choosePlugin`) Throws ConfigError if no
   * installed version satisfies it.
   */
  find(name: string, type?: PluginType | readonly PluginType[], version?: string | null): PluginDescription | null;
  /**
   * Imports the module when first needed; of a plugin in a jar, starts the JVM. Throws ConnectError
   * `PLUGIN_LOAD_FAILED` with folder and reason.
   */
  load(description: PluginDescription): Promise<LoadedPlugin>;
  /** Unusable folders, with reasons, and warnings. */
  problems(): readonly PluginProblem[];
}
