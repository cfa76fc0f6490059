/**
 * The port through which the herder runs tasks. Implementations: `hosts/thread-task-host.ts` (worker threads) and
 * `hosts/inline-task-host.ts` (same thread, for tests and debugging). Only control crosses it, never records.
 */
import type { ConnectorConfig, SourceOffset, SourcePartition, TaskSignal } from '@millrace/sdk';
import type { ConnectorTaskId } from '../connector-task-id';
import type { ClientAnnouncement } from '../metrics/open-clients';
import type { PublishedSeries } from '../metrics/published-series';
import type { TaskCondition } from '../metrics/task-condition';
import type { TaskMetricsMemory } from '../metrics/task-metrics';
import type { LeaseMemory } from './session-lease';

export type TaskTargetState = 'STARTED' | 'PAUSED';

export interface TaskSpec {
  readonly id: ConnectorTaskId;
  readonly type: 'source' | 'sink';
  /** Connector class, as in the configuration. */
  readonly connectorClass: string;
  /** Resolved. */
  readonly connectorConfig: ConnectorConfig;
  /** Resolved; `task.class` included. */
  readonly taskConfig: ConnectorConfig;
  readonly targetState: TaskTargetState;
  /** `connect-<name>` unless overridden; sinks only. */
  readonly consumerGroup: string | null;
  /** Where the task writes its metrics. Absent: they are not read. */
  readonly metrics?: TaskMetricsMemory;
  /** How long it may send, store and commit. Absent: while it runs. */
  readonly lease?: LeaseMemory;
  /** Sources of a worker with exactly-once support. Null or absent: at-least-once. */
  readonly exactlyOnce?: ExactlyOnceSpec | null;
}

/** How a source task delivers exactly once. */
export interface ExactlyOnceSpec {
  /** `<group.id>-<connector>-<task>` */
  readonly transactionalId: string;
  /** Of the connector's task configs that this start was decided for. */
  readonly generation: number;
}

/** What an exactly-once source task requests from the worker before it starts. Source: connect-runtime §3.9. */
export interface ExactlyOnceGate {
  /** Resolves when a round of zombie fencing of the connector's earlier tasks is complete. */
  fence(connector: string): Promise<void>;
  /**
   * After `initTransactions`: reads the config topic to its end. Rejects unless the generation is still current and
   * this worker still owns the task.
   */
  confirm(id: ConnectorTaskId, generation: number): Promise<void>;
}

export type StoredOffsets = (SourceOffset | null)[];
/** A null offset removes the stored one. */
export type NewOffsets = readonly (readonly [SourcePartition | null, SourceOffset | null])[];

/** Records of the connector's offsets topic, for a task to send in its transaction. */
export interface OffsetRecords {
  readonly topic: string;
  readonly records: readonly (readonly [key: Uint8Array, value: Uint8Array | null])[];
}

/**
 * Source offsets of one connector, owned by the main thread's offset store. `config`, resolved, names their topic.
 * Absent: the connector's newest config does.
 */
export interface OffsetStorage {
  read(connector: string, partitions: readonly SourcePartition[], config?: ConnectorConfig): Promise<StoredOffsets>;
  /** Resolves once Kafka has acknowledged all offsets. */
  write(connector: string, offsets: NewOffsets): Promise<void>;
  /**
   * The records that store the offsets. If the connector has an offsets topic of its own, null offsets are removed from
   * the worker's topic before this resolves.
   */
  encode(connector: string, offsets: NewOffsets, config?: ConnectorConfig): Promise<OffsetRecords>;
  /**
   * Call it after the records of `encode` are committed. If the connector has an offsets topic of its own, starts to
   * copy the offsets to the worker's; does not wait for it.
   */
  copy(connector: string, offsets: NewOffsets, config?: ConnectorConfig): Promise<void>;
}

/**
 * What one run of a task reports. Not called for a task after `onStopped` or `onFailed`, or after it was cancelled.
 */
export interface RunListener {
  onRunning(id: ConnectorTaskId): void;
  onPaused(id: ConnectorTaskId): void;
  onResumed(id: ConnectorTaskId): void;
  /**
   * `trace` goes to the status topic: Java class name, message, frames, causes. `retriable`: may be restarted
   * automatically. `stuckMs`: how long it had not been working before (default: 0).
   */
  onFailed(id: ConnectorTaskId, trace: string, retriable: boolean, stuckMs?: number): void;
  /** After a requested stop. */
  onStopped(id: ConnectorTaskId): void;
  /** First use of a topic by this task. */
  onTopicActive(id: ConnectorTaskId, topic: string): void;
  /** Metrics that the plugin has added, each once per run. */
  onMetrics(id: ConnectorTaskId, series: readonly PublishedSeries[]): void;
  /** Whether it is connected, and what it waits for; not reported while that does not change. */
  onCondition(id: ConnectorTaskId, condition: TaskCondition): void;
  /** The task has created a Kafka client, or one of its consumers has a new partition. */
  onClient(id: ConnectorTaskId, announcement: ClientAnnouncement): void;
}

export interface TaskListener extends RunListener {
  /** Its thread was terminated because of another task; it restarts in another thread. */
  onRestarting(id: ConnectorTaskId): void;
}

/** What the watchdog knows about a task. */
export interface TaskWatch {
  /** Calls, and requests to Kafka, that exceed `watchdog.task.ms`. */
  readonly stuck: readonly { readonly call: string; readonly ms: number }[];
  /** Restarts by the watchdog since this worker started. */
  readonly restarts: number;
}

export interface TaskHost {
  /** Resolves when the task is passed to its thread; `onFailed` reports failures to start. */
  start(spec: TaskSpec): Promise<void>;
  pause(id: ConnectorTaskId): void;
  resume(id: ConnectorTaskId): void;
  /** Tasks with these connector configs will probably start soon. */
  prepare(connectorConfigs: readonly ConnectorConfig[]): void;
  /** The task reports the topic again when it uses it again. */
  forgetTopic(id: ConnectorTaskId, topic: string): void;
  /** Resolves when the task has accepted the signal. Rejects with a TaskSignalError. */
  signal(id: ConnectorTaskId, signal: TaskSignal): Promise<void>;
  /**
   * Stops the tasks, waiting at most `timeoutMs` for all together. Tasks that have not stopped by then are cancelled:
   * no further reports, no offset commits. Resolves to the cancelled ones.
   */
  stop(ids: readonly ConnectorTaskId[], timeoutMs: number): Promise<ConnectorTaskId[]>;
  /**
   * Cancels the tasks at once: no further reports, nothing sent, stored or committed. Waits at most `timeoutMs` for
   * all together to close their clients, and resolves to those that did not.
   */
  cancel(ids: readonly ConnectorTaskId[], timeoutMs: number): Promise<ConnectorTaskId[]>;
  has(id: ConnectorTaskId): boolean;
  /**
   * Plugin files have changed: tasks that start from now on get threads that have loaded none of them yet. Running
   * tasks keep their threads. Does nothing for tasks in the worker's own thread, which cannot unload modules.
   */
  retireThreads(): void;
  /** One look at all tasks. */
  watch(): (id: ConnectorTaskId) => TaskWatch;
  /** Number of the task's thread, which tasks may share; null: none. */
  thread(id: ConnectorTaskId): number | null;
  /** Problems for the health report, one sentence each. */
  problems(): string[];
  /** Stops all tasks and terminates the threads. */
  close(): Promise<void>;
}
