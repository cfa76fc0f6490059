/** What `millrace doctor` finds when it asks a connector about the systems that its config names. */
import type { ConnectorConfig, WorkerSettings } from './config-def';
import type { SourceOffset, SourcePartition } from './record';

/**
 * - `error`: the connector cannot run, or loses data, until this is cured.
 * - `warning`: it runs, but something is likely to go wrong.
 * - `unchecked`: a check could not be made; the message says why.
 */
export type FindingSeverity = 'error' | 'warning' | 'unchecked';

export interface Finding {
  readonly severity: FindingSeverity;
  /** Stable code, upper snake case with the prefix of the plugin's error codes, e.g. `PG_WAL_LEVEL`. */
  readonly code: string;
  /** One sentence that states what is wrong and where. Must not contain secrets. */
  readonly message: string;
  /** One sentence that states what to do. (Default: the message says it) */
  readonly cure?: string;
  /**
   * What to run for the cure, in this order: SQL that ends with a semicolon, or shell commands that do not. Each is one
   * statement, complete as it stands, and runs outside a transaction. (Default: nothing can be run)
   */
  readonly statements?: readonly string[];
  /** The system did not answer at all. A command that reaches nothing has another exit code. (Default: false) */
  readonly unreachable?: boolean;
}

export interface DiagnosisContext {
  /** Name of the connector. */
  readonly connector: string;
  readonly workerSettings: WorkerSettings;
  /**
   * Configs of all connectors of the plugin that the workers have, also of those that are stopped, as REST shows them:
   * placeholders are not replaced, secrets are hidden. (Default: the workers were not asked)
   */
  readonly connectors?: readonly ConnectorConfig[];
  /** Of a source: the offsets that the workers have stored for it. (Default: the workers were not asked) */
  readonly offsets?: readonly { readonly partition: SourcePartition; readonly offset: SourceOffset }[];
  /** Milliseconds until the call is abandoned. End connections to external systems before. */
  readonly timeoutMs: number;
}
