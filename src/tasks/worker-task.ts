/** What source and sink tasks of a worker have in common: their life from start to stop. */
import {
  type Connector,
  type PluginMetrics,
  type TaskContext,
  type TaskSignal,
  type WorkerSettings,
  messageOf,
} from '@millrace/sdk';
import type { Logger } from '../logging/logger';
import type { TaskMetrics } from '../metrics/task-metrics';
import type { CallClock } from './call-clock';
import { TaskConsumers } from './clients/task-consumers';
import { TaskProducers } from './clients/task-producers';
import type { TaskSpec } from './host';
import type { ReportedCondition } from './reported-condition';
import type { WorkLease } from './session-lease';
import type { TaskEnvironment } from './task-environment';
import { TaskSignalError } from './task-signal-error';
import type { TaskProcessing } from './task-processing';

export interface TaskHooks {
  onRunning(): void;
  onPaused(): void;
  onResumed(): void;
  onTopicActive(topic: string): void;
  /** Before the task is stopped, which may take long: `run` rejects afterwards. */
  onFailing(error: unknown): void;
}

export interface WorkerTaskOptions<C extends Connector> {
  readonly spec: TaskSpec;
  readonly connector: C;
  /** Sinks: whether `put` may receive records of a failed batch again while the task runs. From its manifest. */
  readonly putIsRepeatable: boolean;
  /** The worker settings that the plugin may read. */
  readonly workerSettings: WorkerSettings;
  readonly environment: TaskEnvironment;
  readonly hooks: TaskHooks;
  readonly calls: CallClock;
  /** Checked before anything is sent, stored or committed. */
  readonly lease: WorkLease;
  readonly metrics: TaskMetrics;
  /** The plugin's own. */
  readonly published: PluginMetrics;
  readonly condition: ReportedCondition;
  /** Aborted when the task is cancelled, also while it is created. */
  readonly cancellation: AbortSignal;
  /** Carries the task's name. */
  readonly logger: Logger;
}

export interface TaskResources {
  /** The plugin's task. */
  readonly task: { stop(): Promise<void> | void; onSignal?(signal: TaskSignal): Promise<void> | void };
  /** Calls `release` of the plugin's task, once. */
  readonly release: () => void;
  readonly processing: Pick<TaskProcessing, 'close'>;
  readonly loop: {
    /** Resolves when stopped; rejects when the task must fail. */
    run(): Promise<void>;
    stop(): void;
    pause(): void;
    resume(): void;
    forgetTopic(topic: string): void;
    readonly isStopping: boolean;
  };
}

/** A task with its clients. Created once, run once. */
export abstract class WorkerTask<C extends Connector = Connector, P extends TaskResources = TaskResources> {
  protected cancelled = false;
  private readonly aborter = new AbortController();
  private readonly producers: TaskProducers;
  private readonly consumers: TaskConsumers;
  /** `stop` of the task is also called when its `start` has thrown. */
  private started = false;

  constructor(
    protected readonly options: WorkerTaskOptions<C>,
    protected readonly parts: P,
  ) {
    this.producers = new TaskProducers(options.environment.clients, options.spec.id);
    this.consumers = new TaskConsumers(options.environment.clients, options.spec.id);
  }

  /** Resolves when stopped, with all clients closed; rejects with the reason when the task has failed. */
  async run(): Promise<void> {
    const { loop } = this.parts;
    const { calls, hooks } = this.options;
    try {
      await this.connect();
      if (loop.isStopping) return;
      this.started = true;
      await calls.during('start', () => this.startTask());
      hooks.onRunning();
      await loop.run();
    } catch (error) {
      hooks.onFailing(error);
      throw error;
    } finally {
      await this.finish();
    }
  }

  stop(): void {
    this.parts.loop.stop();
    this.aborter.abort();
  }

  pause(): void {
    this.parts.loop.pause();
  }

  resume(): void {
    this.parts.loop.resume();
  }

  /** `onTopicActive` is called again for it. */
  forgetTopic(topic: string): void {
    this.parts.loop.forgetTopic(topic);
  }

  /** Rejects with a TaskSignalError. */
  async onSignal(signal: TaskSignal): Promise<void> {
    const { task } = this.parts;
    const { connectorClass } = this.options.spec;
    if (!task.onSignal)
      throw new TaskSignalError('unsupported', `Connectors of class ${connectorClass} do not accept signals`);
    try {
      await task.onSignal(signal);
    } catch (cause) {
      throw new TaskSignalError('rejected', messageOf(cause), { cause });
    }
  }

  /** Stops; from now on nothing is stored or committed. */
  cancel(): void {
    this.cancelled = true;
    this.stop();
    this.abandonClients();
    void this.producers.close().catch(() => undefined);
    void this.consumers.close().catch(() => undefined);
  }

  /** Connects the clients. Returns early when the task is stopped meanwhile. */
  protected abstract connect(): Promise<void>;

  /** Calls `start` of the plugin's task. */
  protected abstract startTask(): Promise<void>;

  /** Before `stop` of the plugin's task is called. */
  protected abstract beforeTaskStop(): Promise<void>;

  protected abstract closeClients(): Promise<void>;

  /** Closes the clients of a cancelled task at once: it may hang, and then never reaches `closeClients`. */
  protected abstract abandonClients(): void;

  /** Aborted when the task is stopped. */
  protected get signal(): AbortSignal {
    return this.aborter.signal;
  }

  protected context(): TaskContext {
    const { spec, environment, logger, published, condition, workerSettings } = this.options;
    return {
      ...(environment.preview && { preview: true }),
      connector: spec.id.connector,
      task: spec.id.task,
      logger,
      signal: this.signal,
      workerSettings,
      metrics: published,
      connection: condition.connection,
      configs: () => spec.taskConfig,
      createProducer: this.producers.create,
      createConsumer: this.consumers.create,
    };
  }

  /** Errors while the task stops are logged: they must not keep the next step from running. */
  protected async logErrors(step: string, run: () => Promise<void> | void): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.options.logger.warn(`Ignoring an error while ${step}: ${messageOf(error)}`, { error });
    }
  }

  private async finish(): Promise<void> {
    try {
      await this.end();
    } finally {
      this.parts.release();
    }
  }

  private async end(): Promise<void> {
    const { task, processing } = this.parts;
    this.aborter.abort();
    await this.beforeTaskStop();
    if (this.started)
      await this.logErrors('stopping the task', () => this.options.calls.during('stop', () => task.stop()));
    await this.logErrors('closing the producers of the task', () => this.producers.close());
    await this.logErrors('closing the consumers of the task', () => this.consumers.close());
    processing.close();
    await this.closeClients();
  }
}
