/**
 * Brings what runs on this worker in line with what is assigned to it. Sources: connect-runtime §2.6, §3.4, §3.5, §3.7.
 */
import { withDeadline } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import type { Logger } from '../../logging/logger';
import type { InstanceId } from '../../metrics/work-metrics';
import type { ConfigSnapshot } from '../../storage/config-snapshot';
import type { SourceOffsets } from '../../storage/offset-store';
import type { StatusStore } from '../../storage/status-store';
import type { ConnectorSet } from './connector-set';
import type { ConnectorStateInfo } from '../entities';
import { restartPlan, type PendingRestart } from './restart-plan';
import type { StatusReporter } from './status-reporter';
import type { TaskSet } from './task-set';
import type { Work } from '../group/work';

const FLUSH_TIMEOUT_MS = 5_000;

export interface AssignedWorkOptions {
  readonly connectors: ConnectorSet;
  readonly tasks: TaskSet;
  readonly statuses: StatusStore;
  readonly offsets: SourceOffsets;
  /** Offsets that Kafka has not been sent yet are not to be sent any more; whoever wrote them hears of it. */
  readonly dropUnsentOffsets: () => void;
  readonly reporter: StatusReporter;
  /** The configuration that the tick works with. */
  readonly configs: { snapshot(): ConfigSnapshot };
  readonly logger: Logger;
}

export class AssignedWork {
  private ended = false;

  constructor(private readonly options: AssignedWorkOptions) {}

  /** Starts what is assigned and does not run. Does not wait for it: what fails is reported as status. */
  startMissing(assigned: Work): void {
    const { connectors, tasks } = this.options;
    for (const connector of assigned.connectors)
      if (!connectors.runner(connector)) this.inBackground(this.startConnector(connector));
    for (const id of assigned.tasks) if (!tasks.has(id)) this.inBackground(this.startTask(id));
  }

  /** Resolves when nothing of it runs any more and everyone can read so. */
  async stop(work: Work): Promise<void> {
    const { connectors, tasks, statuses, offsets, dropUnsentOffsets, configs, logger } = this.options;
    await Promise.all([connectors.stop(work.connectors), tasks.stop(work.tasks)]);
    const touched = new Set([...work.connectors, ...work.tasks.map(({ connector }) => connector)]);
    for (const connector of touched)
      if (!configs.snapshot().contains(connector))
        for (const { topic } of statuses.cache.topicsOf(connector)) statuses.deleteTopic(connector, topic);
    // A commit that a task no longer waited for must not overtake what somebody else writes to the same source
    // partition.
    const written = Promise.all([statuses.flush(), work.tasks.length > 0 ? offsets.flush() : null]);
    await withDeadline(written, FLUSH_TIMEOUT_MS, () => new Error('no answer')).catch((error: unknown) => {
      logger.warn('Statuses and offsets of stopped work were not written in time', { error });
      dropUnsentOffsets();
    });
  }

  /**
   * Ends what others may be running by now, without a word: whatever was not sent yet is theirs to send, and a goodbye
   * could hide what they have said.
   */
  async cancelLost(work: Work): Promise<void> {
    const { connectors, tasks } = this.options;
    await Promise.all([connectors.stop(work.connectors, false), tasks.cancel(work.tasks)]);
  }

  /** The tasks of these connectors that run here, stopped because they get other configurations. */
  async stopTasksOf(connectors: readonly string[]): Promise<void> {
    const affected = new Set(connectors);
    await this.options.tasks.stop(this.options.tasks.ids().filter(({ connector }) => affected.has(connector)));
  }

  /** For good: nothing is started any more. */
  async stopEverything(): Promise<void> {
    const { connectors, tasks } = this.options;
    this.ended = true;
    await Promise.all([connectors.stop(connectors.names()), tasks.stop(tasks.ids())]);
  }

  /** Stops the old instance and lets the new one start on its own. */
  async reconfigureConnector(connector: string): Promise<void> {
    if (this.options.connectors.runner(connector)) await this.beginConnectorRestart(connector);
  }

  /**
   * Resolves when the old instance was stopped and the new one starts; the function waits for the new one's target
   * state.
   */
  async beginConnectorRestart(connector: string): Promise<() => Promise<void>> {
    await this.options.connectors.stop([connector]);
    const started = this.options.configs.snapshot().contains(connector)
      ? this.startConnector(connector)
      : Promise.resolve();
    this.inBackground(started);
    return async () => await started;
  }

  /** The same for a task; the function waits until it was handed to the host. */
  async beginTaskRestart(id: ConnectorTaskId): Promise<() => Promise<void>> {
    await this.options.tasks.stop([id]);
    const started = this.startTask(id);
    this.inBackground(started);
    return async () => await started;
  }

  /** Applies a changed target state to what runs here. */
  applyTargetState(connector: string): void {
    const { connectors, tasks, configs } = this.options;
    if (!configs.snapshot().contains(connector)) return;
    const target = configs.snapshot().targetState(connector);
    this.inBackground(connectors.setTarget(connector, target));
    for (const id of tasks.ids()) {
      if (id.connector !== connector) continue;
      if (target === 'STARTED') tasks.resume(id);
      // Tasks of a stopped connector are about to be taken away; until then they do nothing.
      else tasks.pause(id);
    }
  }

  /** Does this worker's part of a restart request. */
  async restart(request: PendingRestart, current: ConnectorStateInfo): Promise<void> {
    const { connectors, tasks, reporter, logger, configs } = this.options;
    const name = request.connector;
    const plan = restartPlan(request, current);
    const connectorHere = plan.connector && connectors.runner(name) !== null;
    const tasksHere = plan.tasks.map((task) => ({ connector: name, task })).filter((id) => tasks.has(id));
    if (!connectorHere && tasksHere.length === 0) return;
    logger.info(`Restarting connector ${name}`, { connector: connectorHere, tasks: tasksHere.map(({ task }) => task) });
    if (connectorHere) await connectors.stop([name]);
    await tasks.stop(tasksHere);
    if (!configs.snapshot().contains(name)) return;
    if (connectorHere) reporter.connectorState(name, 'RESTARTING');
    for (const id of tasksHere) reporter.taskRestarting(id);
    if (connectorHere) this.inBackground(this.startConnector(name));
    for (const id of tasksHere) if (configs.snapshot().hasTask(id)) this.inBackground(this.startTask(id));
  }

  /** For an automatic restart: its status stays until the instance starts again. */
  async stopInstance({ connector, task }: InstanceId): Promise<void> {
    const { connectors, tasks } = this.options;
    if (task === null) await connectors.stop([connector], false);
    else await tasks.stop([{ connector, task }]);
  }

  startInstance({ connector, task }: InstanceId): void {
    const { reporter, configs } = this.options;
    if (task === null && configs.snapshot().contains(connector)) {
      reporter.connectorState(connector, 'RESTARTING');
      this.inBackground(this.startConnector(connector));
    } else if (task !== null && configs.snapshot().hasTask({ connector, task })) {
      reporter.taskRestarting({ connector, task });
      this.inBackground(this.startTask({ connector, task }));
    }
  }

  private async startConnector(connector: string): Promise<void> {
    const snapshot = this.options.configs.snapshot();
    const config = this.ended ? null : snapshot.connectorConfig(connector);
    // Deleted since it was assigned; the next rebalance takes it away.
    if (!config) return;
    await this.options.connectors.start(connector, config, snapshot.targetState(connector));
  }

  private async startTask(id: ConnectorTaskId): Promise<void> {
    const snapshot = this.options.configs.snapshot();
    if (!this.ended && snapshot.hasTask(id)) await this.options.tasks.start(id, snapshot);
  }

  /** Failures have been reported as status by those they happened to. */
  private inBackground(started: Promise<void>): void {
    started.catch((error: unknown) => this.options.logger.debug('A start did not succeed', { error }));
  }
}
