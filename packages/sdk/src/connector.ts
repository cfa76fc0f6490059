import type {
  CheckedValue,
  ConfigKey,
  ConfigProblem,
  ConfigWarning,
  ConnectorConfig,
  WorkerSettings,
} from './config-def';
import type { DiagnosisContext, Finding } from './diagnosis';
import type { Logger } from './logger';
import type { SourceOffset, SourcePartition, TopicPartition } from './record';
import type { OffsetReader, SinkTask, SourceTask } from './task';
import type { ConnectorSupport } from './transaction';

export interface ConnectorContext {
  readonly connector: string;
  readonly logger: Logger;
  readonly workerSettings: WorkerSettings;
  /** See `TaskContext.preview`. (Default: false) */
  readonly preview?: boolean;
  /** Makes the runtime call `taskConfigs` again and restart the tasks if the configs have changed. */
  requestTaskReconfiguration(): void;
  /** Sets the connector's state to FAILED, with the error as its trace. */
  raiseError(error: unknown): void;
}

export interface SourceConnectorContext extends ConnectorContext {
  readonly offsets: OffsetReader;
}

/** A running connector: splits the work into tasks. It does not move data itself. */
export interface ConnectorInstance {
  start?(): Promise<void> | void;
  /** Returns one config per task, at most `maxTasks`. */
  taskConfigs(maxTasks: number): Promise<readonly ConnectorConfig[]> | readonly ConnectorConfig[];
  /** Called at a pause, too: `start` may follow on the same instance. */
  stop?(): Promise<void> | void;
  /** The instance is no longer needed, started or not. Called last, also when another call does not return. */
  release?(): void;
}

interface ConnectorDefinition {
  /** The `task.class` of task configs, if the manifest does not name it. (Default: see `PluginEntry.taskClass`) */
  readonly taskClass?: string;
  /** The connector's own keys. The runtime adds the common ones, such as `tasks.max`. */
  readonly config: readonly ConfigKey[];
  /**
   * Checks that need several keys or an external system. Runs when a config is validated and before a connector is
   * created. Returns an empty list if the config is valid.
   */
  validate?(
    config: ConnectorConfig,
    workerSettings: WorkerSettings,
  ): Promise<readonly ConfigProblem[]> | readonly ConfigProblem[];
  /**
   * The checks of `validate` that open no connection, read no file and run nothing. Called in place of `validate` for
   * callers without the role admin, who may not make a worker do that with its files and credentials. Values that have
   * placeholders of config providers are passed as they are. (Default: the runtime checks each key)
   */
  checkKeys?(config: ConnectorConfig, workerSettings: WorkerSettings): readonly ConfigProblem[];
  /**
   * Keys that are accepted, but have no effect or an old name; each message is one sentence without the value. Opens no
   * connection and reads no file. Shown with the validation, and by `millrace doctor --from-java`. (Default: none)
   */
  warnings?(config: ConnectorConfig): readonly ConfigWarning[];
  /**
   * Parses and checks all values itself: called in place of `validate` and of the runtime's checks of the connector's
   * keys. Values of keys without a definition may be among the results. (Default: the runtime checks each key)
   */
  checkValues?(config: ConnectorConfig): Promise<readonly CheckedValue[]>;
  /**
   * True: `validate`, and `checkKeys` if there is one, also report missing and unparsable values, with messages of
   * their own (as Debezium's connectors do), and the runtime does not. (Default: false)
   */
  readonly validatesValues?: boolean;
  /**
   * Checks the systems that the config names, for `millrace doctor`: whether they can be reached, accept the
   * credentials, and have the settings, objects and privileges that the connector needs. Returns everything it finds,
   * each with its cure; an empty list if nothing is wrong. Must change nothing. Placeholders in the config are
   * replaced; `validate` may reject the config. An error that is thrown is reported as a check that could not be made.
   * (Default: nothing is checked)
   */
  diagnose?(config: ConnectorConfig, context: DiagnosisContext): Promise<readonly Finding[]> | readonly Finding[];
}

/** What a user does to stored offsets: alters those of some partitions, or resets all of them. */
export type OffsetChange = 'alter' | 'reset';

/** The export of a source plugin. */
export interface SourceConnector extends ConnectorDefinition {
  readonly type: 'source';
  /** (Default: one task with the connector's config, or `taskCountKey`) */
  create?(config: ConnectorConfig, context: SourceConnectorContext): ConnectorInstance;
  createTask(): SourceTask;
  /**
   * Without `create`: name of the setting with the number of tasks, each with the connector's config. `validate` must
   * compare it with `tasks.max`. (Default: one task)
   */
  readonly taskCountKey?: string;
  /**
   * Called when a user alters or resets stored offsets over REST: after the tasks have stopped and before the offsets
   * are written. A null offset resets the partition. Accept null offsets for any partition, so that invalid ones can be
   * removed; at least with `reset`, which passes all stored partitions. Throwing rejects the whole request, with the
   * error's message in the response; throw UnsupportedOperationError if the connector's offsets cannot be changed.
   * Return true if no other state needs to change. If the method is missing or returns false, the response tells the
   * user to change the state that the connector keeps in the external system. May be called again for the same request
   * after an interruption. Integers are numbers, or bigints outside ±2^53.
   */
  alterOffsets?(
    config: ConnectorConfig,
    offsets: readonly (readonly [SourcePartition | null, SourceOffset | null])[],
    change: OffsetChange,
  ): Promise<boolean> | boolean;
  /**
   * Whether tasks with this config never lose or repeat a record when each record and its offset are stored together:
   * the same offset must always be followed by the same records. Called when a config is validated. (Default: unknown;
   * `exactly.once.support=required` is then rejected)
   */
  exactlyOnceSupport?(config: ConnectorConfig): Promise<ConnectorSupport> | ConnectorSupport;
  /**
   * Whether tasks with this config use `context.transactionContext`, which `transaction.boundary=connector` requires.
   * Called when a config is validated. (Default: unsupported)
   */
  canDefineTransactionBoundaries?(config: ConnectorConfig): Promise<ConnectorSupport> | ConnectorSupport;
  /**
   * Order in which the keys of a new source partition are written to the offsets topic. (Default: `hash-map`, the order
   * of Java's `HashMap`, as Java's connectors write them)
   */
  readonly partitionOrder?: 'hash-map' | 'insertion';
}

/** The export of a sink plugin. */
export interface SinkConnector extends ConnectorDefinition {
  readonly type: 'sink';
  /** (Default: `tasks.max` tasks with the connector's config) */
  create?(config: ConnectorConfig, context: ConnectorContext): ConnectorInstance;
  createTask(): SinkTask;
  /** As for sources. Offsets are those of the consumer group: the next offset to read; null resets the partition. */
  alterOffsets?(
    config: ConnectorConfig,
    offsets: readonly (readonly [TopicPartition, number | null])[],
    change: OffsetChange,
  ): Promise<boolean> | boolean;
}

export type Connector = SourceConnector | SinkConnector;
