/** The tasks of this worker. Sources: connect-runtime §3.4, §3.12. */
import { type TaskSignal, withDeadline, monotonicNow } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import { about } from '../../logging/line-subject';
import type { Logger } from '../../logging/logger';
import type { WorkMetrics } from '../../metrics/work-metrics';
import type { PluginHost } from '../../plugin-host/host';
import type { ConfigSnapshot } from '../../storage/config/config-snapshot';
import type { TaskHost, TaskSpec } from '../../tasks/host';
import type { LeaseMemory } from '../../tasks/session-lease';
import { taskName } from '../../tasks/task-id';
import { TaskSignalError } from '../../tasks/task-signal-error';
import type { ConnectorPlugins } from './connector-plugins';
import type { OffsetStores } from '../offsets/offset-stores';
import type { StatusReporter } from './status-reporter';
import { TaskConfigMissingError, TooManyTasksError, taskLimit } from './task-configs';
import type { ResolveConfig } from '../resolve-config';

export interface TaskSetOptions {
  readonly host: TaskHost;
  readonly plugins: ConnectorPlugins;
  readonly pluginHost: Pick<PluginHost, 'traits'>;
  readonly reporter: StatusReporter;
  readonly offsets: Pick<OffsetStores, 'open' | 'setPartitionOrder'>;
  readonly resolve: ResolveConfig;
  /** The lease for a task that starts now. */
  readonly lease: () => LeaseMemory;
  /** For all tasks of a batch together. Milliseconds. */
  readonly stopTimeoutMs: number;
  readonly metrics: WorkMetrics;
  /** The transactional id of an exactly-once source task; null: source tasks deliver at least once. */
  readonly transactionalId: ((id: ConnectorTaskId) => string) | null;
  /** It was stopped, whatever its state. */
  readonly onStop: (id: ConnectorTaskId) => void;
  readonly logger: Logger;
}

interface Started {
  readonly id: ConnectorTaskId;
  /** Resolves when the host has accepted or rejected the task; never rejects. */
  accepted: Promise<unknown>;
}

export class TaskSet {
  /** Includes failed tasks until they are stopped or restarted. */
  private readonly started = new Map<string, Started>();

  constructor(private readonly options: TaskSetOptions) {}

  ids(): ConnectorTaskId[] {
    return [...this.started.values()].map(({ id }) => id);
  }

  has(id: ConnectorTaskId): boolean {
    return this.started.has(taskName(id));
  }

  /**
   * Resolves when the host has accepted the task. A task that cannot be started is FAILED, and the error is thrown.
   * Callers need not wait: importing a plugin may take long.
   */
  async start(id: ConnectorTaskId, snapshot: ConfigSnapshot): Promise<void> {
    const { host, logger, reporter } = this.options;
    const started: Started = { id, accepted: Promise.resolve() };
    this.started.set(taskName(id), started);
    const lease = this.options.lease();
    const isCurrent = (): boolean => this.started.get(taskName(id)) === started;
    const start = async (): Promise<void> => {
      try {
        const spec = await this.spec(id, snapshot);
        // It may have been stopped meanwhile.
        if (isCurrent()) await host.start({ ...spec, lease });
      } catch (error) {
        if (!isCurrent()) return;
        logger.error(`Cannot start task ${taskName(id)}`, about(id, { error }));
        reporter.taskFailed(id, error);
        throw error;
      }
    };
    const accepted = start();
    started.accepted = accepted.catch(() => undefined);
    await accepted;
  }

  /** The host cancels tasks that do not stop in time. */
  async stop(ids: readonly ConnectorTaskId[]): Promise<void> {
    const { host } = this.options;
    await this.end(ids, async (found, timeoutMs) => await host.stop(found, timeoutMs));
  }

  /** For tasks that other workers may be running already: they write no further statuses or offsets. */
  async cancel(ids: readonly ConnectorTaskId[]): Promise<void> {
    const { host } = this.options;
    await this.end(ids, async (found, timeoutMs) => await host.cancel(found, timeoutMs));
  }

  private async end(
    ids: readonly ConnectorTaskId[],
    run: (ids: readonly ConnectorTaskId[], timeoutMs: number) => Promise<ConnectorTaskId[]>,
  ): Promise<void> {
    const { stopTimeoutMs, logger } = this.options;
    const found = ids.flatMap((id) => this.started.get(taskName(id)) ?? []);
    if (found.length === 0) return;
    const deadline = monotonicNow() + stopTimeoutMs;
    for (const { id } of found) {
      this.started.delete(taskName(id));
      this.options.onStop(id);
    }
    // A start in flight must reach the host before the stop does.
    await withDeadline(
      Promise.all(found.map(async ({ accepted }) => await accepted)),
      stopTimeoutMs,
      () => new Error('still starting'),
    ).catch(() => undefined);
    const late = await run(
      found.map(({ id }) => id),
      Math.max(0, deadline - monotonicNow()),
    );
    for (const id of late)
      logger.error(`Task ${taskName(id)} did not stop within ${stopTimeoutMs} ms and was cancelled`, about(id));
  }

  pause(id: ConnectorTaskId): void {
    this.onceAccepted(id, () => this.options.host.pause(id));
  }

  resume(id: ConnectorTaskId): void {
    this.onceAccepted(id, () => this.options.host.resume(id));
  }

  /** Rejects with a TaskSignalError. */
  async signal(id: ConnectorTaskId, signal: TaskSignal): Promise<void> {
    const started = this.started.get(taskName(id));
    await started?.accepted;
    if (started === undefined || this.started.get(taskName(id)) !== started) throw TaskSignalError.notRunning(id);
    await this.options.host.signal(id, signal);
  }

  forgetTopic(connector: string, topic: string): void {
    for (const id of this.ids()) if (id.connector === connector) this.options.host.forgetTopic(id, topic);
  }

  /** The host does not know a task that is still starting. */
  private onceAccepted(id: ConnectorTaskId, then: () => void): void {
    const started = this.started.get(taskName(id));
    void started?.accepted.then(() => {
      if (this.started.get(taskName(id)) === started) then();
    });
  }

  private async spec(id: ConnectorTaskId, snapshot: ConfigSnapshot): Promise<TaskSpec> {
    const { plugins, pluginHost, resolve, offsets } = this.options;
    if (!snapshot.hasTask(id)) throw new TaskConfigMissingError(id);
    const config = snapshot.connectorConfig(id.connector) ?? {};
    const stored = snapshot.taskConfig(id) ?? {};
    const limit = taskLimit(config);
    const count = snapshot.taskCount(id.connector);
    if (limit.enforce && count > limit.max) throw new TooManyTasksError(id.connector, count, limit.max);
    const description = plugins.require(config);
    const type = description.type === 'sink' ? 'sink' : 'source';
    const [traits, connectorConfig, taskConfig] = await Promise.all([
      pluginHost.traits(description),
      resolve(config, id.connector),
      resolve(stored, id.connector),
    ]);
    plugins.onLoaded(description, traits);
    if (type === 'source') {
      offsets.setPartitionOrder(id.connector, traits.partitionOrder);
      await offsets.open(id.connector);
    }
    return {
      id,
      type,
      connectorClass: description.class,
      connectorConfig,
      taskConfig,
      targetState: snapshot.targetState(id.connector) === 'STARTED' ? 'STARTED' : 'PAUSED',
      consumerGroup:
        type === 'sink' ? connectorConfig['consumer.override.group.id'] || `connect-${id.connector}` : null,
      metrics: this.options.metrics.open(id.connector, id.task, type),
      exactlyOnce:
        type === 'source' && this.options.transactionalId !== null
          ? { transactionalId: this.options.transactionalId(id), generation: snapshot.generation(id.connector) ?? -1 }
          : null,
    };
  }
}
