import type { ConnectorConsole } from './connector-console';
import type { DeclaredSignal } from './signal';

/**
 * The `millrace` member of a plugin's `package.json`. Discovery reads only this; the plugin's code is imported when a
 * connector, task or validation first needs it.
 * @example
 * "millrace": { "plugins": [{ "type": "source", "class": "com.example.TickSource", "module": "./index.js" }] }
 */
export interface PluginManifest {
  readonly plugins: readonly PluginEntry[];
}

export type PluginType =
  'source' | 'sink' | 'converter' | 'header_converter' | 'transformation' | 'predicate' | 'column_converter';

export interface PluginEntry {
  readonly type: PluginType;
  /** The value of `connector.class`, `transforms.<alias>.type` etc.; a Java class name where one exists. */
  readonly class: string;
  /**
   * Further accepted names. The simple class name, with and without its `Connector` suffix etc., is always accepted.
   */
  readonly aliases?: readonly string[];
  /** Connectors only: the `task.class` of task configs. (Default: the class with `Connector` replaced by `Task`) */
  readonly taskClass?: string;
  /** (Default: the package's version) */
  readonly version?: string;
  /** Module inside the folder, ESM or CommonJS. (Default: the package's main module) */
  readonly module?: string;
  /** Name of the export. (Default: `default`, or the module itself) */
  readonly export?: string;
  /**
   * Connectors only: names of worker settings that the connector and its tasks may read, e.g. `file.root`. For limits
   * that an administrator sets and that no connector config can override. (Default: none)
   */
  readonly workerSettings?: readonly string[];
  /**
   * Sinks only: whether a task accepts records of a failed batch again, in parts, without a restart. False for a sink
   * that would write records twice because a failed `put` has kept or written some of them. The worker then bisects its
   * batches only with an explicit `errors.bisect=true`. (Default: true)
   */
  readonly putIsRepeatable?: boolean;
  /** Connectors only: what the console shows of them. (Default: what it shows of all) */
  readonly console?: ConnectorConsole;
  /**
   * Sinks only: the keys with which the sink writes dead letters itself, beside `errors.deadletterqueue.topic.name`.
   * The console and `millrace dlq` show and replay them if they have the worker's headers. (Default: none)
   */
  readonly deadLetters?: DeadLetterKeys;
  /** Sources only: the signals that `onSignal` accepts, for `millrace signals`. At most 50. (Default: unknown) */
  readonly signals?: readonly DeclaredSignal[];
}

/** Keys of the connector's config. */
export interface DeadLetterKeys {
  readonly topic: string;
  /** `bootstrap.servers` of the topic's Kafka. (Default: the Kafka of the connector's records) */
  readonly bootstrapServers?: string;
}
