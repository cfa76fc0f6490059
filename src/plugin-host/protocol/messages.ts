/** Messages between the worker and its plugin threads. */
import type {
  ConnectorConfig,
  DiagnosisContext,
  Finding,
  OffsetChange,
  SourceOffset,
  SourcePartition,
  WorkerSettings,
} from '@millrace/sdk';
import type { LevelName } from '@millrace/texts/rest-names';
import type { JsonSchema } from '../../config/schema/key-schema';
import type { Checks, ConfigDefinitionInfo, ConfigInfos } from '../../config/validation/config-infos';
import type { NullableConfig } from '../../config/validation/entry';
import type { LogLevels } from '../../logging/log-levels';
import type { PluginDescription } from '../../plugins/registry';
import type { RecordBytes, RecordTexts } from '../../records/record-texts';
import type { LogLine } from '../../threads/thread-logger';
import type { HideMessage } from '../../threads/thread-secrets';
import type { ConnectorTraits } from '../host';
import type { ErrorCopy } from './error-copy';

/** Passed to a thread when it is created. Holds secrets: never log it. */
export interface PluginThreadData {
  /** Worker settings, unparsed. */
  readonly settings: Readonly<Record<string, string>>;
  /** Catalog of the plugin registry; plain data. */
  readonly catalog: unknown;
  /** Where the thread reaches the JVMs of plugins in jars. (Default: there are none) */
  readonly jvms?: string | null;
  readonly levels: ReturnType<LogLevels['snapshot']>;
  /** Memory of a ThreadHeartbeat. */
  readonly beat: SharedArrayBuffer;
  /** Memory of a CurrentStep. */
  readonly step: SharedArrayBuffer;
  /** Time limit of a plugin's own `validate`. (Default: the validator's) */
  readonly pluginLimitMs?: number;
}

/** A connector instance. Its config is resolved. */
export interface InstanceSpec {
  readonly instance: number;
  readonly connector: string;
  readonly description: PluginDescription;
  readonly config: ConnectorConfig;
  readonly workerSettings: WorkerSettings;
}

/** Partitions and the offsets that a user wants stored. Their types depend on the type of the connector. */
export type OffsetPairs = readonly (readonly [unknown, unknown])[];

/** Calls from the worker to a thread. */
export interface PluginCalls {
  validate(config: NullableConfig, checks: Checks, withHints: boolean): ConfigInfos;
  definitions(plugin: string, version: string | null, withHints: boolean): readonly ConfigDefinitionInfo[];
  schema(plugin: string, version: string | null): JsonSchema;
  traits(description: PluginDescription): ConnectorTraits;
  alterOffsets(
    description: PluginDescription,
    config: ConnectorConfig,
    offsets: OffsetPairs,
    change: OffsetChange,
  ): boolean;
  /** Null: the plugin has no diagnosis. */
  diagnose(
    description: PluginDescription,
    config: ConnectorConfig,
    context: DiagnosisContext,
  ): readonly Finding[] | null;
  /** Through the converters of the config. */
  recordTexts(config: ConnectorConfig, records: readonly RecordBytes[]): readonly RecordTexts[];
  create(spec: InstanceSpec): void;
  start(instance: number): void;
  taskConfigs(instance: number, maxTasks: number): readonly ConnectorConfig[];
  stop(instance: number): void;
}

/** Calls from a thread to the worker. */
export interface WorkerCalls {
  /** Replaces placeholders: config providers run in the worker's thread. */
  resolve(config: NullableConfig): NullableConfig;
  readOffsets(instance: number, partitions: readonly SourcePartition[]): readonly (SourceOffset | null)[];
}

export interface CallRequest {
  readonly type: 'call';
  readonly call: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

export type CallReply =
  | { readonly type: 'value'; readonly call: number; readonly value: unknown }
  | { readonly type: 'error'; readonly call: number; readonly error: ErrorCopy };

export type ToPluginThread =
  | CallRequest
  | CallReply
  /** Values of config providers, which the thread hides in log lines and errors. */
  | HideMessage
  /** The thread is to count a heartbeat. */
  | { readonly type: 'beat' }
  /** The instance is no longer needed. */
  | { readonly type: 'release'; readonly instance: number }
  | { readonly type: 'log-level'; readonly namespace: string; readonly level: LevelName };

export type FromPluginThread =
  | CallRequest
  | CallReply
  /** The thread has started and accepts calls. */
  | { readonly type: 'ready' }
  /** The thread has started to run the call. */
  | { readonly type: 'begun'; readonly call: number }
  | { readonly type: 'reconfigure'; readonly instance: number }
  | { readonly type: 'raise'; readonly instance: number; readonly error: ErrorCopy }
  | LogLine
  /** An uncaught error: the thread exits. `owner`, `call`: the instance and the call it arose in; 0: unknown. */
  | { readonly type: 'crash'; readonly owner: number; readonly call: number; readonly error: ErrorCopy };
