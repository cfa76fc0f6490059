import type { ConfigKey, ConfigProblem, ConnectorConfig, WorkerSettings } from './config-def';
import type { Logger } from './logger';
import type { SourceOffset, SourcePartition, TopicPartition } from './record';
import type { OffsetReader, SinkTask, SourceTask } from './task';

export interface ConnectorContext {
  readonly connector: string;
  readonly logger: Logger;
  readonly workerSettings: WorkerSettings;
  /** Asks the runtime to call `taskConfigs` again and, if the answer changed, to restart the tasks. */
  requestTaskReconfiguration(): void;
  /** Marks the connector FAILED. */
  raiseError(error: unknown): void;
}

export interface SourceConnectorContext extends ConnectorContext {
  readonly offsets: OffsetReader;
}

/** A running connector: decides how the work is split into tasks. Moves no data itself. */
export interface ConnectorInstance {
  start?(): Promise<void> | void;
  /** At most `maxTasks` task configurations. */
  taskConfigs(maxTasks: number): Promise<readonly ConnectorConfig[]> | readonly ConnectorConfig[];
  stop?(): Promise<void> | void;
}

interface ConnectorDefinition {
  /** Keys of this connector alone; the runtime adds the common ones. */
  readonly config: readonly ConfigKey[];
  /** Checks that need several keys or the outside world. Runs at validation and before a connector is created. */
  validate?(
    config: ConnectorConfig,
    workerSettings: WorkerSettings,
  ): Promise<readonly ConfigProblem[]> | readonly ConfigProblem[];
  /**
   * `validate` also checks single values, in its own words (as Debezium's connectors do): the runtime then reports
   * neither missing nor unparsable ones itself. (Default: false)
   */
  readonly validatesValues?: boolean;
}

/** What a source plug-in exports. */
export interface SourceConnector extends ConnectorDefinition {
  readonly type: 'source';
  /** Default: one task with the connector's own configuration. */
  create?(config: ConnectorConfig, context: SourceConnectorContext): ConnectorInstance;
  createTask(): SourceTask;
  /**
   * Called when a user changes stored offsets over REST, before they are written, while no task runs. Offset null: the
   * partition starts anew; let such entries pass whatever their partition is, so that wrong ones can be removed. An
   * error refuses the whole change, and its message is the answer; UnsupportedOperationError says that offsets of this
   * connector can not be changed. True: nothing else has to be altered. Without this method, or with false, the user is
   * told to alter what the connector keeps elsewhere. A request that was interrupted is made again, so the call may be
   * repeated. Integers are numbers, or bigints outside ±2^53.
   */
  alterOffsets?(
    config: ConnectorConfig,
    offsets: readonly (readonly [SourcePartition | null, SourceOffset | null])[],
  ): Promise<boolean> | boolean;
  /**
   * How a new source partition with several keys is written to the offsets topic. (Default: `hash-map`, as Java's
   * connectors do)
   */
  readonly partitionOrder?: 'hash-map' | 'insertion';
}

/** What a sink plug-in exports. */
export interface SinkConnector extends ConnectorDefinition {
  readonly type: 'sink';
  /** Default: `tasks.max` tasks with the connector's own configuration. */
  create?(config: ConnectorConfig, context: ConnectorContext): ConnectorInstance;
  createTask(): SinkTask;
  /** As for sources; offsets are those of the consumer group, "next to read". */
  alterOffsets?(
    config: ConnectorConfig,
    offsets: readonly (readonly [TopicPartition, number | null])[],
  ): Promise<boolean> | boolean;
}

export type Connector = SourceConnector | SinkConnector;
