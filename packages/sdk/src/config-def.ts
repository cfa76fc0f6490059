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

/** The only texts that a key accepts, blanks around them aside. */
export interface AcceptedText {
  /** Editors offer those that are also `recommended`, or all if none is. */
  readonly values: readonly string[];
  /** Whether case is ignored. (Default: false) */
  readonly anyCase?: boolean;
}

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
  // The members below are for editors (`GET /connector-plugins/{plugin}/schema`). The runtime does not check them:
  // `validator` and the plugin's `validate` do.
  /** Null: any text, whatever the type. (Default: the texts that the type allows) */
  readonly accepts?: AcceptedText | null;
  /** For a key with the default `null` that has to be set, unless one of these keys is. (Default: it may be absent) */
  readonly requiredUnless?: readonly string[];
  /** The key that this is another name of. */
  readonly aliasOf?: string;
  /** Whether editors should mark the key as outdated. (Default: false) */
  readonly deprecated?: boolean;
  /**
   * Whether the plugin accepts the key and ignores it. Validation warns of a value that is not the default. (Default:
   * false)
   */
  readonly withoutEffect?: boolean;
  /** Whether forms show the key first, among the important ones. (Default: with the importance HIGH, or if required) */
  readonly prominent?: boolean;
}

export type ParsedValue = string | number | bigint | boolean | readonly string[] | null;

/** A problem found by a plugin's own `validate`. The message is reported unchanged for that key. */
export interface ConfigProblem {
  readonly key: string;
  readonly message: string;
}

/** About a key that is accepted, but has no effect, or another name. */
export interface ConfigWarning extends ConfigProblem {
  /** The key to use in its place; null: none. */
  readonly meant: string | null;
  /** `meant` is the current name, and the old one has the same effect. */
  readonly replaced?: true;
}

/** One value of a config, as the plugin itself has parsed and checked it. */
export interface CheckedValue {
  readonly name: string;
  /** As Java's REST shows it; null: none. */
  readonly value: string | null;
  readonly recommended: readonly string[];
  /** Whole messages. */
  readonly errors: readonly string[];
  readonly visible: boolean;
}
