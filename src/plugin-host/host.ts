/** Where the code of plugins runs that moves no records: validation, connectors' instances, changes of offsets. */
import type {
  ConnectorConfig,
  ConnectorInstance,
  OffsetReader,
  SourceConnector,
  SourcePartition,
  SourceOffset,
  TopicPartition,
  WorkerSettings,
} from '@millrace/sdk';
import type { Logger } from '../logging/logger';
import type { PluginDescription } from '../plugins/registry';

/** What has to be known of a connector's module beside its manifest. */
export interface ConnectorTraits {
  /** It makes instances; without, the runtime's default applies. */
  readonly creates: boolean;
  readonly altersOffsets: boolean;
  readonly partitionOrder: NonNullable<SourceConnector['partitionOrder']>;
}

export interface HostedConnector {
  readonly connector: string;
  readonly description: PluginDescription;
  /** Resolved. */
  readonly config: ConnectorConfig;
  readonly workerSettings: WorkerSettings;
}

/** What an instance may ask of the runtime. */
export interface InstanceEvents {
  readonly logger: Logger;
  requestTaskReconfiguration(): void;
  raiseError(error: unknown): void;
  readonly offsets: OffsetReader;
}

export interface HostedInstance extends ConnectorInstance {
  /** For one that is not needed any more, stopped or not. */
  release?(): void;
}

export type SourceOffsetPairs = readonly (readonly [SourcePartition | null, SourceOffset | null])[];
export type SinkOffsetPairs = readonly (readonly [TopicPartition, number | null])[];

export interface PluginHost {
  /** Imports the module. Rejects with ConnectError `PLUGIN_LOAD_FAILED`, or with what became of the thread. */
  traits(description: PluginDescription): Promise<ConnectorTraits>;
  create(connector: HostedConnector, events: InstanceEvents): Promise<HostedInstance>;
  /** The plugin's `alterOffsets`; only where its traits have one. */
  alterOffsets(
    description: PluginDescription,
    config: ConnectorConfig,
    offsets: SourceOffsetPairs | SinkOffsetPairs,
  ): Promise<boolean>;
  /** Ends threads. */
  close(): Promise<void>;
}
