/** What a task needs from the worker, and what it runs as. */
import type { Connector, WorkerSettings } from '@millrace/sdk';
import type { WorkerConfig } from '../config/worker-config';
import type { KafkaClients } from '../kafka/port';
import type { Logger } from '../logging/logger';
import type { TaskMetrics } from '../metrics/task-metrics';
import type { PluginRegistry } from '../plugins/registry';
import type { CallClock } from './call-clock';
import type { OffsetStorage, TaskSpec } from './host';
import type { WorkLease } from './session-lease';

export interface TaskEnvironment {
  readonly config: WorkerConfig;
  readonly clients: KafkaClients;
  readonly registry: PluginRegistry;
  readonly offsets: OffsetStorage;
  readonly logger: Logger;
}

export interface TaskHooks {
  onRunning(): void;
  onPaused(): void;
  onResumed(): void;
  onTopicActive(topic: string): void;
}

/** A task with everything around it. Made once, run once. */
export interface WorkerTask {
  /** Resolves when stopped, with all clients closed; rejects with the reason when the task has failed. */
  run(): Promise<void>;
  stop(): void;
  pause(): void;
  resume(): void;
  /** `onTopicActive` is called again for it. */
  forgetTopic(topic: string): void;
  /** Stop, and from now on store and commit nothing. */
  cancel(): void;
}

export interface WorkerTaskOptions<C extends Connector> {
  readonly spec: TaskSpec;
  readonly connector: C;
  /** What the plug-in gets to see of the worker's settings. */
  readonly workerSettings: WorkerSettings;
  readonly environment: TaskEnvironment;
  readonly hooks: TaskHooks;
  readonly calls: CallClock;
  /** Looked at before anything is sent, stored or committed. */
  readonly lease: WorkLease;
  readonly metrics: TaskMetrics;
  /** Carries the task's name. */
  readonly logger: Logger;
}
