/**
 * Where tasks run. The herder knows this port alone; implementations: `hosts/thread-task-host.ts` (worker threads)
 * and `hosts/inline-task-host.ts` (same thread: tests, debugging). Only control crosses it; records never do.
 */
import type { ConnectorConfig, SourceOffset, SourcePartition } from '@millrace/sdk';
import type { ConnectorTaskId } from '../connector-task-id';
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
  /** Where the task writes what is measured of it. Absent: nobody reads it. */
  readonly metrics?: TaskMetricsMemory;
  /** How long it may send, store and commit. Absent: as long as it runs. */
  readonly lease?: LeaseMemory;
}

/** Source offsets of one connector, owned by the main thread's offset store. */
export interface OffsetStorage {
  read(connector: string, partitions: readonly SourcePartition[]): Promise<(SourceOffset | null)[]>;
  /** Resolves once Kafka has acknowledged all of them. */
  write(connector: string, offsets: readonly (readonly [SourcePartition | null, SourceOffset | null])[]): Promise<void>;
}

/**
 * What one run of a task reports. Never called again for a task after `onStopped` or `onFailed`, or after it was
 * cancelled.
 */
export interface RunListener {
  onRunning(id: ConnectorTaskId): void;
  onPaused(id: ConnectorTaskId): void;
  onResumed(id: ConnectorTaskId): void;
  /**
   * `trace` is what the status topic gets: Java class name, message, frames, causes. `retriable`: may be restarted
   * automatically.
   */
  onFailed(id: ConnectorTaskId, trace: string, retriable: boolean): void;
  /** After a stop that was asked for. */
  onStopped(id: ConnectorTaskId): void;
  /** First use of a topic by this task. */
  onTopicActive(id: ConnectorTaskId, topic: string): void;
}

export interface TaskListener extends RunListener {
  /** It ran, its thread was ended through no fault of its own, and it begins anew in another. */
  onRestarting(id: ConnectorTaskId): void;
}

export interface TaskHost {
  /** Resolves when the task was handed over; failures to start arrive at `onFailed`. */
  start(spec: TaskSpec): Promise<void>;
  pause(id: ConnectorTaskId): void;
  resume(id: ConnectorTaskId): void;
  /** The task reports the topic again when it uses it again. */
  forgetTopic(id: ConnectorTaskId, topic: string): void;
  /**
   * Asks all to stop and waits for them at most `timeoutMs` altogether. Those not finished are cancelled: cut off, no
   * further reports, no offset commits. Resolves to the cancelled ones.
   */
  stop(ids: readonly ConnectorTaskId[], timeoutMs: number): Promise<ConnectorTaskId[]>;
  /**
   * Cuts all off at once: no further reports, nothing sent, stored or committed. Waits for them to close what they
   * hold, at most `timeoutMs` altogether, and resolves to those that did not.
   */
  cancel(ids: readonly ConnectorTaskId[], timeoutMs: number): Promise<ConnectorTaskId[]>;
  has(id: ConnectorTaskId): boolean;
  /** What an operator should know of: sentences, none as a rule. */
  problems(): string[];
  /** Ends threads. */
  close(): Promise<void>;
}
