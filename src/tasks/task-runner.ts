/** Runs one task from start to end and notifies the listener. Source: connect-runtime §3.10. */
import { ConfigError, type Connector, type TaskSignal, messageOf } from '@millrace/sdk';
import type { Logger } from '../logging/logger';
import { grantedSettings } from '../plugins/granted-settings';
import { clientsOf, measuredClients } from '../kafka-clients';
import { ClientMeter } from '../metrics/open-clients';
import { DEFAULT_SAMPLE_WINDOWS, TaskMetrics } from '../metrics/task-metrics';
import { CallClock } from './call-clock';
import type { RunListener, TaskSpec } from './host';
import { WorkLease } from './session-lease';
import { createWorkerSinkTask } from './sink/worker-sink-task';
import { createWorkerSourceTask } from './source/worker-source-task';
import { PublishedMetrics } from './published-metrics';
import { ReportedCondition } from './reported-condition';
import type { TaskEnvironment } from './task-environment';
import { taskLoggerName } from './task-id';
import { TaskSignalError } from './task-signal-error';
import { transition, type TaskEvent, type TaskState } from './task-state';
import { formatTrace, isWorthRestarting } from './trace';
import { refuseUnsupported } from './exactly-once-support';
import type { TaskHooks, WorkerTask, WorkerTaskOptions } from './worker-task';

export class TaskRunner {
  /** Resolves when the task has ended and its clients are closed. Never rejects. */
  readonly done: Promise<void>;
  private readonly environment: TaskEnvironment;
  private readonly logger: Logger;
  private readonly metrics: TaskMetrics;
  private readonly published: PublishedMetrics;
  private readonly condition: ReportedCondition;
  private state: TaskState = 'STARTING';
  private workerTask: WorkerTask | null = null;
  private paused: boolean;
  private stopRequested = false;
  private readonly cancellation = new AbortController();
  /** Wakes a task that starts paused. */
  private wake: (() => void) | null = null;
  private finished!: () => void;
  /** The failure that is in the log. */
  private logged: { readonly error: unknown } | null = null;

  constructor(
    readonly spec: TaskSpec,
    environment: TaskEnvironment,
    private readonly listener: RunListener,
    private readonly calls = new CallClock(),
  ) {
    this.paused = spec.targetState === 'PAUSED';
    this.metrics = TaskMetrics.in(spec.metrics ?? TaskMetrics.allocate(spec.type, DEFAULT_SAMPLE_WINDOWS));
    const { windows } = spec.metrics ?? { windows: DEFAULT_SAMPLE_WINDOWS };
    const meter = new ClientMeter(windows, (announcement) => {
      if (this.state !== 'CANCELLED') listener.onClient(spec.id, announcement);
    });
    const { connector } = spec.id;
    const clients = measuredClients(clientsOf(environment.clients, connector), meter, connector);
    this.environment = { ...environment, clients };
    this.logger = environment.logger.child({ connector: spec.id.connector, task: spec.id.task }, taskLoggerName(spec));
    this.published = new PublishedMetrics(
      (series) => {
        if (this.state !== 'CANCELLED') listener.onMetrics(spec.id, series);
      },
      (records) => this.metrics.errors.failed(records),
      this.logger,
    );
    this.condition = new ReportedCondition({
      connector,
      report: (condition) => listener.onCondition(spec.id, condition),
    });
    this.done = new Promise((resolve) => {
      this.finished = resolve;
    });
  }

  /** Returns immediately. Call once. */
  start(): void {
    this.run().then(
      () => this.report('ended'),
      (error: unknown) => this.report('failed', error),
    );
  }

  pause(): void {
    this.paused = true;
    this.workerTask?.pause();
  }

  resume(): void {
    this.paused = false;
    this.workerTask?.resume();
    this.wake?.();
  }

  forgetTopic(topic: string): void {
    this.workerTask?.forgetTopic(topic);
  }

  /** Rejects with a TaskSignalError; also when the task ends before it has accepted the signal. */
  async signal(signal: TaskSignal): Promise<void> {
    const { workerTask } = this;
    const ended = (): never => {
      throw TaskSignalError.notRunning(this.spec.id);
    };
    if (this.state !== 'RUNNING' || workerTask === null) return ended();
    await Promise.race([workerTask.onSignal(signal), this.done.then(ended)]);
  }

  stop(): void {
    this.stopRequested = true;
    this.applyEvent('stopRequested');
    this.workerTask?.stop();
    this.wake?.();
  }

  get isStopping(): boolean {
    return this.stopRequested;
  }

  get isCancelled(): boolean {
    return this.state === 'CANCELLED';
  }

  /** No further reports, no offsets stored or committed. */
  cancel(): void {
    this.calls.revoke();
    this.condition.end();
    this.applyEvent('cancelled');
    this.stopRequested = true;
    this.workerTask?.cancel();
    this.cancellation.abort();
    this.wake?.();
  }

  private async run(): Promise<void> {
    await this.waitWhilePaused();
    if (this.stopRequested) return;
    const workerTask = await this.createWorkerTask();
    this.workerTask = workerTask;
    // Both may have been requested while the code was loading.
    if (this.paused) workerTask.pause();
    if (this.stopRequested) workerTask.stop();
    await workerTask.run();
  }

  /** A task created as paused loads no code before its first resume. */
  private async waitWhilePaused(): Promise<void> {
    if (!this.paused) return;
    this.report('paused');
    while (this.paused && !this.stopRequested) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    this.wake = null;
  }

  private async createWorkerTask(): Promise<WorkerTask> {
    const { spec, environment, logger, calls, metrics, published, condition } = this;
    if (!environment.preview) refuseUnsupported(spec.type, spec.connectorConfig, Boolean(spec.exactlyOnce));
    const { connector, workerSettings, putIsRepeatable } = await this.loadConnector();
    const hooks: TaskHooks = {
      onRunning: () => this.report('started'),
      onPaused: () => this.report('paused'),
      onResumed: () => this.report('started'),
      onTopicActive: (topic) => {
        if (this.state !== 'CANCELLED') this.listener.onTopicActive(spec.id, topic);
      },
      onFailing: (error) => {
        if (this.state !== 'STOPPING' && this.state !== 'CANCELLED') this.logFailure(error);
      },
    };
    const common = {
      spec,
      environment,
      hooks,
      calls,
      lease: WorkLease.from(spec.lease, calls),
      metrics,
      published,
      condition,
      cancellation: this.cancellation.signal,
      logger,
      workerSettings,
      putIsRepeatable,
    };
    return connector.type === 'source'
      ? await createWorkerSourceTask({ ...common, connector })
      : await createWorkerSinkTask({ ...common, connector });
  }

  private async loadConnector(): Promise<
    Pick<WorkerTaskOptions<Connector>, 'connector' | 'workerSettings' | 'putIsRepeatable'>
  > {
    const { registry, config } = this.environment;
    const { connectorClass, connectorConfig } = this.spec;
    const description = registry.find(connectorClass, ['source', 'sink'], connectorConfig['connector.plugin.version']);
    if (!description) {
      throw new ConfigError(`Connector class ${connectorClass} is not installed in this worker.`, {
        code: 'CONNECTOR_UNKNOWN',
      });
    }
    const plugin = await registry.load(description);
    if (plugin.type === 'source' || plugin.type === 'sink') {
      const { putIsRepeatable = true } = description;
      return { connector: plugin, workerSettings: grantedSettings(description, config.raw), putIsRepeatable };
    }
    throw new ConfigError(`${description.class} is a ${plugin.type}, not a connector.`, { code: 'CONNECTOR_KIND' });
  }

  private report(event: TaskEvent, error?: unknown): void {
    const { spec, listener, logger } = this;
    const stopping = this.state === 'STOPPING';
    const report = this.applyEvent(event);
    if (event === 'failed' && stopping && this.logged === null) {
      logger.warn(`The task failed while stopping: ${messageOf(error)}`, { error });
    }
    switch (report) {
      case 'running':
        listener.onRunning(spec.id);
        break;
      case 'resumed':
        listener.onResumed(spec.id);
        break;
      case 'paused':
        listener.onPaused(spec.id);
        break;
      case 'stopped':
        listener.onStopped(spec.id);
        break;
      case 'failed':
        this.logFailure(error);
        listener.onFailed(spec.id, formatTrace(error, spec.id.connector), isWorthRestarting(error));
        break;
    }
    if (event !== 'ended' && event !== 'failed') return;
    this.published.end();
    this.condition.end();
    this.finished();
  }

  private logFailure(error: unknown): void {
    if (this.logged?.error === error) return;
    this.logged = { error };
    this.logger.error(`The task failed: ${messageOf(error)}`, { error });
  }

  private applyEvent(event: TaskEvent): ReturnType<typeof transition>['report'] {
    const { state, report } = transition(this.state, event);
    this.state = state;
    return report;
  }
}
