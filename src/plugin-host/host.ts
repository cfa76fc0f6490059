/** Runs plugin code other than tasks: validation, connector instances, changes of offsets. */
import type {
  ConnectorConfig,
  ConnectorInstance,
  DiagnosisContext,
  Finding,
  OffsetChange,
  OffsetReader,
  SourceConnector,
  SourcePartition,
  SourceOffset,
  TopicPartition,
  WorkerSettings,
} from '@millrace/sdk';
import type { Logger } from '../logging/logger';
import type { PluginDescription } from '../plugins/registry';
import type { RecordBytes, RecordTexts } from '../records/record-texts';

/** Properties of a connector's module that its manifest does not contain. */
export interface ConnectorTraits {
  /** It creates instances. Without them, the runtime's default applies. */
  readonly creates: boolean;
  readonly altersOffsets: boolean;
  /** Null: its manifest names it, or the connector's class does. */
  readonly taskClass: string | null;
  /** The setting with the number of tasks of a source that creates no instances. Null: it has one. */
  readonly taskCountKey: string | null;
  readonly partitionOrder: NonNullable<SourceConnector['partitionOrder']>;
}

export interface HostedConnector {
  readonly connector: string;
  readonly description: PluginDescription;
  /** Resolved. */
  readonly config: ConnectorConfig;
  readonly workerSettings: WorkerSettings;
  /** See the SDK's `ConnectorContext`. (Default: false) */
  readonly preview?: boolean;
}

/** What a connector instance can call in the runtime. */
export interface InstanceEvents {
  readonly logger: Logger;
  requestTaskReconfiguration(): void;
  raiseError(error: unknown): void;
  readonly offsets: OffsetReader;
}

export interface HostedInstance extends ConnectorInstance {
  /** Called when the instance is no longer needed, stopped or not. */
  release?(): void;
}

/** See `PluginHost.recordTexts`. */
export type ReadRecords = PluginHost['recordTexts'];

export type SourceOffsetPairs = readonly (readonly [SourcePartition | null, SourceOffset | null])[];
export type SinkOffsetPairs = readonly (readonly [TopicPartition, number | null])[];

export interface PluginHost {
  /** Imports the module. Rejects with ConnectError `PLUGIN_LOAD_FAILED`, or with the reason its thread ended. */
  traits(description: PluginDescription): Promise<ConnectorTraits>;
  create(connector: HostedConnector, events: InstanceEvents): Promise<HostedInstance>;
  /** Calls the plugin's `alterOffsets`. Only for plugins whose traits have `altersOffsets`. */
  alterOffsets(
    description: PluginDescription,
    config: ConnectorConfig,
    offsets: SourceOffsetPairs | SinkOffsetPairs,
    change: OffsetChange,
  ): Promise<boolean>;
  /** Calls the plugin's `diagnose`. Null: it has none. */
  diagnose(
    description: PluginDescription,
    config: ConnectorConfig,
    context: DiagnosisContext,
  ): Promise<readonly Finding[] | null>;
  /** Reads records through the converters of a connector's config, or the worker's. One for each record. */
  recordTexts(config: ConnectorConfig, records: readonly RecordBytes[]): Promise<readonly RecordTexts[]>;
  /**
   * Plugin files have changed: calls from now on, and instances created from now on, get threads that have loaded none
   * of them yet. Existing instances keep their threads. Does nothing in the worker's own thread, which cannot unload
   * modules.
   */
  retireThreads(): void;
  /** Terminates the threads. */
  close(): Promise<void>;
}
