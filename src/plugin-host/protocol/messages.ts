/** What crosses the boundary between the worker and its plugin threads. */
import type { ConnectorConfig, SourceOffset, SourcePartition, WorkerSettings } from '@millrace/sdk';
import type { ConfigDefinitionInfo, ConfigInfos } from '../../config/validation/config-infos';
import type { NullableConfig } from '../../config/validation/entry';
import type { LevelName, LogLevels } from '../../logging/log-levels';
import type { PluginDescription } from '../../plugins/registry';
import type { LogLine } from '../../threads/thread-logger';
import type { HideMessage } from '../../threads/thread-secrets';
import type { ErrorCopy } from './error-copy';
import type { ConnectorTraits } from '../host';

/** Given to a thread when it is made. Holds secrets: never log it. */
export interface PluginThreadData {
  /** Worker settings as they were given. */
  readonly settings: Readonly<Record<string, string>>;
  /** The plugin registry's findings; plain data. */
  readonly catalog: unknown;
  readonly levels: ReturnType<LogLevels['snapshot']>;
  /** Memory of a ThreadHeartbeat. */
  readonly beat: SharedArrayBuffer;
  /** Memory of a CurrentStep. */
  readonly step: SharedArrayBuffer;
  /** (Default: the validator's own) */
  readonly pluginLimitMs?: number;
}

/** A connector's instance. Its configuration is resolved. */
export interface InstanceSpec {
  readonly instance: number;
  readonly connector: string;
  readonly description: PluginDescription;
  readonly config: ConnectorConfig;
  readonly workerSettings: WorkerSettings;
}

/** Pairs of what a user wants stored; what the plugin is shown of them depends on its type. */
export type OffsetPairs = readonly (readonly [unknown, unknown])[];

/** What the worker asks a thread for. */
export interface PluginCalls {
  validate(config: NullableConfig): ConfigInfos;
  definitions(plugin: string, version: string | null): readonly ConfigDefinitionInfo[];
  traits(description: PluginDescription): ConnectorTraits;
  alterOffsets(description: PluginDescription, config: ConnectorConfig, offsets: OffsetPairs): boolean;
  create(spec: InstanceSpec): void;
  start(instance: number): void;
  taskConfigs(instance: number, maxTasks: number): readonly ConnectorConfig[];
  stop(instance: number): void;
}

/** What a thread asks the worker for. */
export interface WorkerCalls {
  /** Replaces placeholders: config providers live with the worker. */
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
  /** What config providers gave: no line or error of the thread shows it. */
  | HideMessage
  /** Nobody needs the instance any more. */
  | { readonly type: 'release'; readonly instance: number }
  | { readonly type: 'log-level'; readonly namespace: string; readonly level: LevelName };

export type FromPluginThread =
  | CallRequest
  | CallReply
  /** The thread has made what it needs and takes calls. */
  | { readonly type: 'ready' }
  /** The call has left the queue. */
  | { readonly type: 'begun'; readonly call: number }
  | { readonly type: 'reconfigure'; readonly instance: number }
  | { readonly type: 'raise'; readonly instance: number; readonly error: ErrorCopy }
  | LogLine
  /** Last words: an error nobody caught. `owner`, `call`: the instance and the call that it arose in; 0: unknown. */
  | { readonly type: 'crash'; readonly owner: number; readonly call: number; readonly error: ErrorCopy };
