/**
 * Starts and stops connectors and tasks so that what runs on this worker matches its assignment. Sources:
 * connect-runtime §2.6, §3.4, §3.5, §3.7.
 */
import { withDeadline } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import { about } from '../../logging/line-subject';
import type { Logger } from '../../logging/logger';
import type { InstanceId } from '../../metrics/work-metrics';
import type { ConfigSnapshot } from '../../storage/config/config-snapshot';
import type { SourceOffsets } from '../../storage/offsets/offset-store';
import type { StatusStore } from '../../storage/status/status-store';
import { automatically } from '../../storage/log/cause';
import type { ConnectorSet } from './connector-set';
import type { Cause, ConnectorStateInfo } from '../entities';
import { restartPlan, type PendingRestart } from './restart-plan';
import type { StatusReporter } from './status-reporter';
import type { TaskSet } from './task-set';
import type { Work } from '../group/work';

const FLUSH_TIMEOUT_MS = 5_000;
const RECONFIGURED = automatically('configuration changed');
const NEW_CODE = automatically('plugin files changed');

export interface AssignedWorkOptions {
  readonly connectors: ConnectorSet;
  readonly tasks: TaskSet;
  readonly statuses: StatusStore;
  readonly offsets: SourceOffsets;
  /** Drops offsets that have not been sent to Kafka yet; their writes fail. */
  readonly dropUnsentOffsets: () => void;
  readonly reporter: StatusReporter;
  /** The configuration that the tick works with. */
  readonly configs: { snapshot(): ConfigSnapshot };
  /** Requests those of a connector from the worker that runs it. */
  readonly requestTaskConfigs: (connector: string) => void;
  readonly logger: Logger;
}

export class AssignedWork {
  private ended = false;

  constructor(private readonly options: AssignedWorkOptions) {}

  /** Starts assigned work that is not running. Does not wait for it; failures are reported as status. */
  startMissing(assigned: Work): void {
    const { connectors, tasks } = this.options;
    for (const connector of assigned.connectors)
      if (!connectors.runner(connector)) this.inBackground(connector, this.startConnector(connector));
    for (const id of assigned.tasks) if (!tasks.has(id)) this.inBackground(id.connector, this.startTask(id));
  }

  /** Resolves when none of it runs any more and the status topic says so. */
  async stop(work: Work): Promise<void> {
    const { connectors, tasks, statuses, offsets, dropUnsentOffsets, configs, logger } = this.options;
    await Promise.all([connectors.stop(work.connectors), tasks.stop(work.tasks)]);
    const touched = new Set([...work.connectors, ...work.tasks.map(({ connector }) => connector)]);
    for (const connector of touched)
      if (!configs.snapshot().contains(connector))
        for (const { topic } of statuses.cache.topicsOf(connector)) statuses.deleteTopic(connector, topic);
    // An offset that a task no longer waits for must not overtake one that another worker writes to the same partition.
    const written = Promise.all([statuses.flush(), work.tasks.length > 0 ? offsets.flush() : null]);
    await withDeadline(written, FLUSH_TIMEOUT_MS, () => new Error('no answer')).catch((error: unknown) => {
      logger.warn('Statuses and offsets of stopped work were not written in time; dropping the unsent offsets', {
        error,
      });
      dropUnsentOffsets();
    });
  }

  /**
   * Stops work that other members may be running already, without writing anything: an UNASSIGNED status could hide
   * theirs.
   */
  async cancelLost(work: Work): Promise<void> {
    const { connectors, tasks } = this.options;
    await Promise.all([connectors.stop(work.connectors, false), tasks.cancel(work.tasks)]);
  }

  /** Stops the tasks of these connectors on this worker, because their configs have changed. */
  async stopTasksOf(connectors: readonly string[]): Promise<void> {
    const { tasks, reporter } = this.options;
    const affected = new Set(connectors);
    const ids = tasks.ids().filter(({ connector }) => affected.has(connector));
    for (const id of ids) reporter.restarts(id, RECONFIGURED);
    await tasks.stop(ids);
  }

  /** For good: nothing starts any more. */
  async stopEverything(): Promise<void> {
    const { connectors, tasks } = this.options;
    this.ended = true;
    await Promise.all([connectors.stop(connectors.names()), tasks.stop(tasks.ids())]);
  }

  /** Stops the old instance; the new one starts in the background. */
  async reconfigureConnector(connector: string): Promise<void> {
    if (this.options.connectors.runner(connector)) await this.beginConnectorRestart(connector, RECONFIGURED);
  }

  /**
   * Resolves when the old instance has stopped and the new one is starting; the returned function waits for the new one
   * to reach its target state.
   */
  async beginConnectorRestart(connector: string, cause: Cause): Promise<() => Promise<void>> {
    this.options.reporter.restarts({ connector, task: null }, cause);
    await this.options.connectors.stop([connector]);
    const started = this.options.configs.snapshot().contains(connector)
      ? this.startConnector(connector)
      : Promise.resolve();
    this.inBackground(connector, started);
    return async () => await started;
  }

  /** The same for a task; the returned function waits until the host has accepted it. */
  async beginTaskRestart(id: ConnectorTaskId, cause: Cause): Promise<() => Promise<void>> {
    this.options.reporter.restarts(id, cause);
    await this.options.tasks.stop([id]);
    const started = this.startTask(id);
    this.inBackground(id.connector, started);
    return async () => await started;
  }

  /** Applies a changed target state to the connector and its tasks on this worker. */
  applyTargetState(connector: string): void {
    const { connectors, tasks, configs } = this.options;
    if (!configs.snapshot().contains(connector)) return;
    const target = configs.snapshot().targetState(connector);
    this.inBackground(connector, connectors.setTarget(connector, target));
    for (const id of tasks.ids()) {
      if (id.connector !== connector) continue;
      if (target === 'STARTED') tasks.resume(id);
      // Tasks of a stopped connector are about to be revoked; until then they are paused.
      else tasks.pause(id);
    }
  }

  /** Restarts this worker's part of a restart request. */
  async restart(request: PendingRestart, current: ConnectorStateInfo): Promise<void> {
    const { connectors, tasks, logger } = this.options;
    const name = request.connector;
    const plan = restartPlan(request, current);
    const connectorHere = plan.connector && connectors.runner(name) !== null;
    const tasksHere = plan.tasks.map((task) => ({ connector: name, task })).filter((id) => tasks.has(id));
    if (!connectorHere && tasksHere.length === 0) return;
    const restarted = { connector: connectorHere, tasks: tasksHere.map(({ task }) => task) };
    logger.info(`Restarting connector ${name}`, about({ connector: name }, restarted));
    await this.restartAll(connectorHere ? [name] : [], tasksHere, request.cause);
  }

  /** Connectors whose instance or tasks are on this worker, whatever their state. */
  connectorsHere(): string[] {
    const { connectors, tasks } = this.options;
    return [...new Set([...connectors.names(), ...tasks.ids().map(({ connector }) => connector)])].sort();
  }

  /** Restarts what this worker has of these connectors, whatever its state; paused tasks start paused. */
  async restartHere(names: readonly string[]): Promise<void> {
    const { connectors, tasks } = this.options;
    await this.restartAll(
      names.filter((name) => connectors.runner(name) !== null),
      tasks.ids().filter(({ connector }) => names.includes(connector)),
      NEW_CODE,
    );
  }

  /** Resolves when they have stopped and are starting. */
  private async restartAll(names: readonly string[], ids: readonly ConnectorTaskId[], cause: Cause): Promise<void> {
    const { connectors, tasks, reporter, configs } = this.options;
    for (const connector of names) reporter.restarts({ connector, task: null }, cause);
    for (const id of ids) reporter.restarts(id, cause);
    await connectors.stop(names);
    await tasks.stop(ids);
    const remaining = names.filter((name) => configs.snapshot().contains(name));
    const remainingTasks = ids.filter(({ connector }) => configs.snapshot().contains(connector));
    for (const name of remaining) reporter.connectorState(name, 'RESTARTING');
    for (const id of remainingTasks) reporter.taskRestarting(id);
    for (const name of remaining) this.inBackground(name, this.startConnector(name));
    for (const id of remainingTasks) if (this.isStartable(id)) this.inBackground(id.connector, this.startTask(id));
  }

  /** For an automatic restart: its status stays until the instance starts again. */
  async stopInstance({ connector, task }: InstanceId, cause: Cause): Promise<void> {
    const { connectors, tasks, reporter } = this.options;
    reporter.restarts({ connector, task }, cause);
    if (task === null) await connectors.stop([connector], false);
    else await tasks.stop([{ connector, task }]);
  }

  startInstance({ connector, task }: InstanceId): void {
    const { reporter, configs } = this.options;
    if (this.ended) return;
    if (task === null && configs.snapshot().contains(connector)) {
      reporter.connectorState(connector, 'RESTARTING');
      this.inBackground(connector, this.startConnector(connector));
    } else if (task !== null && this.isStartable({ connector, task })) {
      reporter.taskRestarting({ connector, task });
      this.inBackground(connector, this.startTask({ connector, task }));
    }
  }

  private async startConnector(connector: string): Promise<void> {
    const snapshot = this.options.configs.snapshot();
    const config = this.ended ? null : snapshot.connectorConfig(connector);
    // Deleted since it was assigned; the next rebalance revokes it.
    if (!config) return;
    await this.options.connectors.start(connector, config, snapshot.targetState(connector));
  }

  private async startTask(id: ConnectorTaskId): Promise<void> {
    if (this.ended || !this.isStartable(id)) return;
    const { tasks, configs, requestTaskConfigs } = this.options;
    const snapshot = configs.snapshot();
    if (snapshot.lacksTaskConfigs(id.connector)) requestTaskConfigs(id.connector);
    await tasks.start(id, snapshot);
  }

  /** False: the task or its connector was removed since it was assigned; the next rebalance revokes it. */
  private isStartable(id: ConnectorTaskId): boolean {
    const snapshot = this.options.configs.snapshot();
    return snapshot.hasTask(id) || snapshot.lacksTaskConfigs(id.connector);
  }

  /** Failures have been reported as status already. */
  private inBackground(connector: string, started: Promise<void>): void {
    started.catch((error: unknown) => this.options.logger.debug('A start failed', about({ connector }, { error })));
  }
}
