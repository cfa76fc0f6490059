/**
 * How a plugin describes its configuration. The same list answers `GET /connector-plugins/{plugin}/config`,
 * `PUT …/config/validate` and the check before a connector is created. Source: connect-rest §3.
 */
export type ConfigType = 'BOOLEAN' | 'STRING' | 'INT' | 'SHORT' | 'LONG' | 'DOUBLE' | 'LIST' | 'CLASS' | 'PASSWORD';
export type Importance = 'HIGH' | 'MEDIUM' | 'LOW';
export type Width = 'NONE' | 'SHORT' | 'MEDIUM' | 'LONG';

/** Connector configuration as stored: every value is a string. */
export type ConnectorConfig = Readonly<Record<string, string>>;

/** The worker settings listed in the plugin's manifest (`workerSettings` of `PluginEntry`) that the worker has set. */
export type WorkerSettings = Readonly<Record<string, string>>;

export interface ConfigKey {
  readonly name: string;
  readonly type: ConfigType;
  /** Undefined: the key is required. `null`: optional without a default. Otherwise the parsed default value. */
  readonly default?: string | number | boolean | readonly string[] | null;
  readonly importance: Importance;
  readonly documentation: string;
  readonly group?: string | null;
  /** Position in the group. (Default: -1) */
  readonly order?: number;
  /** (Default: `NONE`) */
  readonly width?: Width;
  /** (Default: the name) */
  readonly displayName?: string;
  readonly dependents?: readonly string[];
  /**
   * Checks the parsed value (null if absent or unparsable). Returns null or only the reason, e.g. `Value must be at
   * least 1`; the runtime wraps it as `Invalid value <v> for configuration <key>: <reason>`.
   */
  readonly validator?: (value: ParsedValue, config: ConnectorConfig) => string | null;
  readonly recommended?: readonly string[];
  /** Whether user interfaces should show the key. (Default: true) */
  readonly visible?: boolean;
}

export type ParsedValue = string | number | bigint | boolean | readonly string[] | null;

/** A problem found by a plugin's own `validate`. The message is reported unchanged for that key. */
export interface ConfigProblem {
  readonly key: string;
  readonly message: string;
}
