/**
 * Restarts what failed on this worker by itself, after the wait that the policy gives. Counts live here, as long as the
 * connector or task is this worker's: whoever stops or restarts it otherwise (a person, another configuration, a
 * rebalance) begins a new count.
 */
import { restartSettings, type RestartSettings } from '../../config/restart-settings';
import type { Logger } from '../../logging/logger';
import type { ConfigSnapshot } from '../../storage/config-snapshot';
import type { InstanceId } from '../../metrics/work-metrics';
import { taskName } from '../../tasks/task-id';
import type { ConnectorSet } from './connector-set';
import type { RequestQueue } from '../queue/request-queue';
import { decideRestart, NO_HISTORY, restartNote } from './restart-policy';
import type { StatusReporter } from './status-reporter';
import type { TaskSet } from './task-set';

export interface AutomaticRestartsOptions {
  readonly connectors: () => ConnectorSet;
  readonly tasks: () => TaskSet;
  readonly reporter: () => StatusReporter;
  /** What the tick works with. */
  readonly snapshot: () => ConfigSnapshot;
  /** What the config topic says by now. */
  readonly newestSnapshot: () => ConfigSnapshot;
  /** Restarts are made by the tick, between rebalances. */
  readonly queue: RequestQueue;
  /** The worker's defaults. */
  readonly settings: RestartSettings;
  readonly logger: Logger;
  readonly now?: () => number;
  readonly random?: () => number;
}

interface Tracked {
  readonly instance: InstanceId;
  restarts: number;
  runningSince: number | null;
  /** The restart that is to come; another one, or none, makes a due request stale. */
  waiting: { due: boolean } | null;
}

export class AutomaticRestarts {
  private readonly records = new Map<string, Tracked>();
  private readonly now: () => number;

  constructor(private readonly options: AutomaticRestartsOptions) {
    this.now = options.now ?? Date.now;
  }

  running(instance: InstanceId): void {
    const record = this.record(instance);
    // One that only moved to another thread has run since before.
    record.runningSince ??= this.now();
    record.waiting = null;
  }

  /** Plans a restart if there is to be one. Answers the line that tells so, for the trace. */
  failed(instance: InstanceId, worthRestarting: boolean): string {
    const { snapshot, queue, logger, random = Math.random } = this.options;
    const settings = restartSettings(snapshot().connectorConfig(instance.connector) ?? {}, this.options.settings);
    const history = this.records.get(keyOf(instance)) ?? NO_HISTORY;
    const now = this.now();
    const decision = decideRestart({ settings, history, worthRestarting, now, random: random() });
    const note = restartNote(decision, settings, now);
    if (note !== '') logger.warn(`${nameOf(instance)} has failed. ${note.trimEnd()}`);
    const record = this.record(instance);
    record.runningSince = null;
    record.waiting = null;
    if (decision.type === 'restart') {
      const waiting = { due: false };
      record.waiting = waiting;
      record.restarts = decision.attempt;
      // Rejects when the worker stops.
      queue
        .submit(async () => await this.due(record, waiting), decision.delayMs)
        .catch((error: unknown) => logger.debug('A restart was given up', { error }));
    }
    return note;
  }

  /** It was stopped, by whatever: what comes after is a new beginning. */
  forget(instance: InstanceId): void {
    this.records.delete(keyOf(instance));
  }

  /** A connector's target state has changed: what fell due while it was paused need not wait any more. */
  targetChanged(connector: string): void {
    for (const record of this.records.values()) {
      const { waiting } = record;
      if (record.instance.connector !== connector || !waiting?.due) continue;
      this.options.queue.submit(async () => await this.due(record, waiting)).catch(() => undefined);
    }
  }

  private async due(record: Tracked, waiting: { due: boolean }): Promise<void> {
    const { connector } = record.instance;
    if (this.records.get(keyOf(record.instance)) !== record || record.waiting !== waiting) return;
    // Whoever paused it may want to look at the failure; a FAILED instance stays FAILED, as in Java.
    if (this.options.newestSnapshot().targetState(connector) !== 'STARTED') {
      waiting.due = true;
      this.options.logger.info(`${nameOf(record.instance)} is restarted when its connector is resumed`);
      return;
    }
    record.waiting = null;
    const { instance, restarts } = record;
    this.options.logger.info(`${nameOf(instance)} is restarted automatically (${restarts} in a row)`);
    await this.stop(instance);
    // Stopping it has ended its count, but this restart belongs to it.
    this.records.set(keyOf(instance), record);
    this.start(instance).catch((error: unknown) =>
      this.options.logger.debug('An automatic restart did not succeed', { error }),
    );
  }

  private async stop({ connector, task }: InstanceId): Promise<void> {
    const { connectors, tasks } = this.options;
    if (task === null) await connectors().stop([connector], false);
    else await tasks().stop([{ connector, task }]);
  }

  /** What fails is reported as status, and comes back here. */
  private async start({ connector, task }: InstanceId): Promise<void> {
    const { connectors, tasks, reporter } = this.options;
    const snapshot = this.options.snapshot();
    const config = snapshot.connectorConfig(connector);
    if (task === null && config !== null) {
      reporter().connectorState(connector, 'RESTARTING');
      await connectors().start(connector, config, snapshot.targetState(connector));
    } else if (task !== null && snapshot.hasTask({ connector, task })) {
      reporter().taskRestarting({ connector, task });
      await tasks().start({ connector, task }, snapshot);
    }
  }

  private record(instance: InstanceId): Tracked {
    const key = keyOf(instance);
    const record = this.records.get(key) ?? { instance, ...NO_HISTORY, waiting: null };
    this.records.set(key, record);
    return record;
  }
}

function keyOf({ connector, task }: InstanceId): string {
  return `${task ?? ''} ${connector}`;
}

function nameOf({ connector, task }: InstanceId): string {
  return task === null ? `Connector ${connector}` : `Task ${taskName({ connector, task })}`;
}
