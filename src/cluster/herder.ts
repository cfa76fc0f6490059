/**
 * The herder, as the REST layer uses it. Reads return the last known state. Requests for the leader or for the owner of
 * a connector throw NotHereError, which the REST layer turns into a forwarded request. Sources: connect-rest §0.7,
 * connect-runtime §3.
 */
import type { ConnectorConfig, TaskSignal } from '@millrace/sdk';
import type { CatalogChange } from '../plugins/catalog-change';
import type { PartitionOffset } from './connector-offsets';
import type {
  ConnectorInfo,
  ConnectorRecord,
  ConnectorStateInfo,
  DeadLetterPage,
  ReadTaskConfigs,
  RecordedChange,
  RestartRequest,
  SignedBody,
  TargetState,
  TaskInfo,
  TaskState,
  WorkerFigures,
  WorkerHealth,
  WorkerMember,
} from './entities';

export interface Herder {
  /** `host:port` of the advertised URL. */
  readonly workerId: string;
  start(): Promise<void>;
  /** In the order of connect-runtime §3.12; leaves the group last. */
  stop(): Promise<void>;
  health(): Promise<WorkerHealth>;
  kafkaClusterId(): string | null;
  /** Metrics of this worker alone. */
  figures(): WorkerFigures;

  /** Shared by the workers of the group that sign their requests; another one for each purpose. Null: none yet. */
  groupSecret(purpose: string): Buffer | null;
  /** Whether requests between workers are accepted only with a valid signature. */
  readonly requiresSignatures: boolean;

  /**
   * The workers of the group, as Kafka knows them; null while that is unknown. Rejects when Kafka does not answer.
   */
  members(): Promise<readonly WorkerMember[] | null>;

  /** Null while no leader is known. */
  readonly leaderUrl: string | null;

  connectors(): readonly string[];
  /** All connectors, at one moment. */
  connectorRecords(): readonly ConnectorRecord[];
  connectorRecord(name: string): ConnectorRecord;
  connectorInfo(name: string): ConnectorInfo;
  connectorStatus(name: string): ConnectorStateInfo;
  taskStatus(name: string, task: number): TaskState;
  taskInfos(name: string): readonly TaskInfo[];
  /** Committed source offsets, or those of the sink's consumer group. */
  connectorOffsets(name: string): Promise<readonly PartitionOffset[]>;
  /**
   * Topics that the connector's tasks have written to or read from; empty for an unknown connector. Throws HerderError
   * 403 when topic tracking is disabled.
   */
  activeTopics(name: string): readonly string[];
  /** Clears them; topics in use are recorded again. */
  resetActiveTopics(name: string): void;

  /**
   * What changed lately, as far as this worker keeps it, the newest first. `connector`: what concerns it, also from
   * before it was deleted.
   */
  changes(connector?: string): readonly RecordedChange[];
  /** The last restart of the connector or one of its tasks; null: none since it was created, or unknown. */
  lastRestart(connector: string): RecordedChange | null;

  /**
   * The newest dead letters of a sink, read from its topic. HerderError 404: it has no dead letter topic; other errors
   * start with a code.
   */
  deadLetters(name: string, limit: number): Promise<DeadLetterPage>;
  /**
   * Sends dead letters back to where they came from, at least once. For each `CODE: sentence`, or null: acknowledged.
   */
  replayDeadLetters(
    name: string,
    letters: readonly { readonly partition: number; readonly offset: number }[],
  ): Promise<readonly (string | null)[]>;

  /**
   * Reads what other workers have changed: states and configs read afterwards are not older. Never rejects; does not
   * wait long for Kafka.
   */
  readBack(): Promise<void>;

  // `user` below: who requests it, for the history; null: not authenticated. (Default: null)

  /** `initialState` null: STARTED. Validates, then writes; 409 when the name exists. */
  createConnector(
    name: string,
    config: ConnectorConfig,
    initialState: TargetState | null,
    user?: string | null,
  ): Promise<ConnectorInfo>;
  /** Creates or replaces. */
  putConnectorConfig(
    name: string,
    config: ConnectorConfig,
    user?: string | null,
  ): Promise<{ created: boolean; info: ConnectorInfo }>;
  /** Null removes a key. Validates the patched config as a whole, then replaces. */
  patchConnectorConfig(
    name: string,
    patch: Readonly<Record<string, string | null>>,
    user?: string | null,
  ): Promise<ConnectorInfo>;
  deleteConnector(name: string, user?: string | null): Promise<void>;
  setTargetState(name: string, state: 'STARTED' | 'PAUSED', user?: string | null): Promise<void>;
  stopConnector(name: string, user?: string | null): Promise<void>;
  /** Restarts the connector instance alone, and waits for it. */
  restartConnector(name: string, user?: string | null): Promise<void>;
  /** Writes the restart request to the config topic; returns the plan. */
  requestRestart(name: string, request: RestartRequest, user?: string | null): Promise<ConnectorStateInfo>;
  restartTask(name: string, task: number, user?: string | null): Promise<void>;
  /**
   * Resolves when the task has accepted the signal. HerderError 409: it is not running. 400: it does not accept it.
   */
  signalTask(name: string, task: number, signal: TaskSignal): Promise<void>;
  /** Resolves to the message for the user. */
  alterConnectorOffsets(name: string, offsets: readonly PartitionOffset[]): Promise<string>;
  /** Resets all offsets; succeeds if there are none. */
  resetConnectorOffsets(name: string): Promise<string>;
  /** For all workers of the group, which apply it when they read it. `level` is written as given. */
  setLoggerLevel(namespace: string, level: string, user?: string | null): Promise<void>;
  /**
   * Plugin files have changed: restarts the connectors and tasks of this worker that use them, with the new code.
   * Resolves when the old ones have stopped; rejects when the worker stops.
   */
  reloadPlugins(change: CatalogChange): Promise<void>;
  /** Internal endpoint: task configurations generated by the connector's owner. */
  submitTaskConfigs(name: string, body: SignedBody, read: ReadTaskConfigs): Promise<void>;
  /**
   * Internal endpoint for workers whose exactly-once tasks start: resolves when earlier tasks are fenced.
   */
  fenceTasks(name: string, body: SignedBody): Promise<void>;
}
