/**
 * Restarts failed connectors and tasks of this worker after the backoff that the policy gives. A restart count lasts as
 * long as the connector or task stays on this worker: any other stop or restart (by a user, a new configuration, a
 * rebalance) resets it.
 */
import { monotonicNow } from '@millrace/sdk';
import { restartSettings } from '../../config/millrace-keys';
import type { RestartSettings } from '../../config/worker-settings';
import { about } from '../../logging/line-subject';
import type { Logger } from '../../logging/logger';
import type { InstanceId } from '../../metrics/work-metrics';
import type { ConfigSnapshot } from '../../storage/config/config-snapshot';
import { automatically, type Cause } from '../../storage/log/cause';
import { taskName } from '../../tasks/task-id';
import { decideRestart, limitText, NO_HISTORY, restartNote } from './restart-policy';

export interface AutomaticRestartsOptions {
  readonly configs: {
    /** The configuration that the tick works with. */
    snapshot(): ConfigSnapshot;
    /** Everything read from the config topic so far. */
    newest(): ConfigSnapshot;
  };
  /** Wakes the tick: a restart was scheduled. */
  readonly wake: () => void;
  /** The worker's defaults. */
  readonly settings: RestartSettings;
  readonly logger: Logger;
}

/** Stops and starts single connectors and tasks. */
export interface RestartableWork {
  stopInstance(instance: InstanceId, cause: Cause): Promise<void>;
  /** Failures are reported as status. */
  startInstance(instance: InstanceId): void;
}

interface Tracked {
  readonly instance: InstanceId;
  restarts: number;
  runningSince: number | null;
  scheduled: Scheduled | null;
}

interface Scheduled {
  /** By the monotonic clock, milliseconds. */
  readonly due: number;
  /** It was due while the connector was not STARTED, and waits until it is. */
  suspended: boolean;
}

export class AutomaticRestarts {
  private readonly records = new Map<string, Tracked>();

  constructor(private readonly options: AutomaticRestartsOptions) {}

  running(instance: InstanceId): void {
    const record = this.record(instance);
    // A task that only moved to another thread has been running since before.
    record.runningSince ??= monotonicNow();
    record.scheduled = null;
  }

  /**
   * Schedules a restart if the policy allows one. Returns the line for the trace that says so.
   * @param stuckMs how long it was running without working, which is not healthy
   */
  failed(instance: InstanceId, worthRestarting: boolean, stuckMs = 0): string {
    const { wake, logger } = this.options;
    const settings = this.settings(instance);
    const history = this.records.get(keyOf(instance)) ?? NO_HISTORY;
    const now = monotonicNow();
    const random = Math.random();
    const decision = decideRestart({ settings, history, worthRestarting, now: now - stuckMs, random });
    const note = restartNote(decision, settings, Date.now());
    if (note !== '') logger.warn(`${nameOf(instance)} has failed. ${note.trimEnd()}`, about(instance));
    const record = this.record(instance);
    record.runningSince = null;
    record.scheduled = null;
    if (decision.type === 'restart') {
      record.scheduled = { due: now + decision.delayMs, suspended: false };
      record.restarts = decision.attempt;
      wake();
    }
    return note;
  }

  /** The instance was stopped for whatever reason: its count starts over. */
  forget(instance: InstanceId): void {
    this.records.delete(keyOf(instance));
  }

  /** Runs the restarts that are due, on the tick. Stops early when `isInterrupted`. */
  async runDue(work: RestartableWork, isInterrupted: () => boolean): Promise<void> {
    for (const record of [...this.records.values()]) {
      if (isInterrupted()) return;
      // An earlier restart may have taken long enough for this one to be cancelled.
      if (this.records.get(keyOf(record.instance)) !== record || !this.mayRun(record)) continue;
      try {
        await this.restart(record, work);
      } catch (error) {
        this.options.logger.error(
          `${nameOf(record.instance)} could not be restarted automatically`,
          about(record.instance, { error }),
        );
      }
    }
  }

  /** Of the next restart, by the monotonic clock; null if none is scheduled. */
  nextDue(): number | null {
    const due = [...this.records.values()].flatMap(({ scheduled }) =>
      scheduled === null || scheduled.suspended ? [] : [scheduled.due],
    );
    return due.length === 0 ? null : Math.min(...due);
  }

  private mayRun({ instance, scheduled }: Tracked): boolean {
    if (scheduled === null || scheduled.due > monotonicNow()) return false;
    const newest = this.options.configs.newest();
    const isConfigured = newest.contains(instance.connector);
    // A user who paused the connector may want to examine the failure; FAILED stays FAILED, as in Java.
    if (isConfigured && newest.targetState(instance.connector) === 'STARTED') return true;
    if (isConfigured && !scheduled.suspended)
      this.options.logger.info(`${nameOf(instance)} is restarted when its connector is resumed`, about(instance));
    scheduled.suspended = true;
    return false;
  }

  private async restart(record: Tracked, work: RestartableWork): Promise<void> {
    const { instance, restarts } = record;
    record.scheduled = null;
    this.options.logger.info(`${nameOf(instance)} is restarted automatically (attempt ${restarts})`, about(instance));
    await work.stopInstance(instance, automatically(`attempt ${restarts}${limitText(this.settings(instance))}`));
    // Stopping it has reset the count, but this restart belongs to it.
    this.records.set(keyOf(instance), record);
    work.startInstance(instance);
  }

  private settings({ connector }: InstanceId): RestartSettings {
    return restartSettings(this.options.configs.snapshot().connectorConfig(connector) ?? {}, this.options.settings);
  }

  private record(instance: InstanceId): Tracked {
    const key = keyOf(instance);
    const record = this.records.get(key) ?? { instance, ...NO_HISTORY, scheduled: null };
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
