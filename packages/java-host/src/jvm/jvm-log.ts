/** Where JVMs write their log lines, and where the levels of their loggers come from: the worker's logger. */

export type JvmLevel = 'OFF' | 'FATAL' | 'ERROR' | 'WARN' | 'INFO' | 'DEBUG' | 'TRACE' | 'ALL';

export interface JvmLine {
  readonly level: 'error' | 'warn' | 'info' | 'debug' | 'trace';
  /** Java's name of it. Null: the JVM itself wrote the line, or the supervisor did. */
  readonly logger: string | null;
  readonly message: string;
  /** Whose code wrote it; null: unknown. */
  readonly connector: string | null;
  readonly task: number | null;
  /** Java's stack trace. */
  readonly trace: string | null;
  /** The folder of jars. */
  readonly folder: string;
  /** Whose values of config providers it may quote if it is nobody's: all connectors that the JVM serves. */
  readonly quotes: readonly string[];
}

export interface JvmLog {
  write(line: JvmLine): void;
  /** The text without the values of config providers that these connectors have. */
  hide(text: string, connectors: readonly string[]): string;
  /** Loggers that exist in a JVM, so that they can be listed. */
  loggers(names: readonly string[]): void;
  /** Of all loggers (`root`) and of those whose names begin with a text; the last one that fits counts. */
  levels(): readonly (readonly [namespace: string, level: JvmLevel])[];
  /** Called after every change. Returns a function that removes the listener. */
  onLevel(listener: (namespace: string, level: JvmLevel) => void): () => void;
}
