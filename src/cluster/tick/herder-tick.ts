/**
 * The loop that owns the membership and the working configuration, and makes all decisions. Sources: connect-runtime
 * §3.1, §2.6, §2.8.
 */
import { sleep, messageOf, withDeadline, monotonicNow, type Wakeup } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { ConfigStore } from '../../storage/config/config-store';
import type { StatusStore } from '../../storage/status/status-store';
import type { AssignedWork } from '../running/assigned-work';
import type { AutomaticRestarts } from '../running/automatic-restarts';
import type { HerderReads } from '../requests/herder-reads';
import type { Membership } from '../group/membership';
import type { RequestQueue } from '../queue/request-queue';
import { LeaderPrivileges } from './leader-privileges';
import { mustCatchUp, rejoinReason, type AssignmentSituation } from '../group/resolve-assignment';
import type { SessionKeyKeeper } from '../forwarding/session-key-keeper';
import type { TickStage } from '../queue/tick-stage';
import type { UnsyncBackoff } from './unsync-backoff';
import type { WorkingConfig } from './working-config';
import { isEmpty } from '../group/work';

/** How long a rebalance waits for the status topic. */
const STATUS_READ_TIMEOUT_MS = 1_000;

export interface HerderTickOptions {
  readonly configs: ConfigStore;
  readonly working: WorkingConfig;
  readonly statuses: StatusStore;
  readonly membership: Membership;
  readonly work: AssignedWork;
  readonly restarts: AutomaticRestarts;
  readonly reads: HerderReads;
  readonly keys: SessionKeyKeeper;
  readonly queue: RequestQueue;
  readonly stage: TickStage;
  readonly wakeup: Wakeup;
  readonly backoff: UnsyncBackoff;
  /** `worker.sync.timeout.ms`. */
  readonly syncTimeoutMs: number;
  readonly logger: Logger;
  readonly now?: () => number;
}

export class HerderTick {
  private readonly stopping = new AbortController();
  private resolved = false;
  private canReadConfigs = true;
  private completed = false;
  private readonly now: () => number;
  private readonly privileges: LeaderPrivileges;
  /** When the current tick began, milliseconds; null while the loop is waiting. */
  private busy: number | null = null;

  constructor(private readonly options: HerderTickOptions) {
    this.now = options.now ?? monotonicNow;
    const { configs, membership, syncTimeoutMs: readTimeoutMs, logger } = options;
    const { signal } = this.stopping;
    this.privileges = new LeaderPrivileges({ configs, membership, readTimeoutMs, signal, logger });
  }

  /** True after the first tick: the worker has joined its group. */
  get isReady(): boolean {
    return this.completed;
  }

  get busySince(): number | null {
    return this.busy;
  }

  /** False from reading a change of connectors or tasks until this worker has completed its rebalance. */
  get isSettled(): boolean {
    const { working, membership } = this.options;
    return this.resolved && !working.needsRebalance && !membership.needsJoin;
  }

  /** Resolves after `stop`; rejects with an error that the worker cannot continue after. */
  async run(): Promise<void> {
    this.options.working.refresh();
    while (!this.stopping.signal.aborted) {
      this.busy = this.now();
      try {
        await this.tick();
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        throw error;
      } finally {
        this.busy = null;
      }
    }
  }

  stop(): void {
    this.stopping.abort();
    this.options.membership.abort();
    this.options.wakeup.wake();
  }

  private async tick(): Promise<void> {
    const { queue, stage, wakeup } = this.options;
    if (!this.canReadConfigs && !(await this.recover())) return;
    if (!(await stage.during('ensuring membership in the cluster', async () => await this.ensureMembership()))) return;
    if (!(await this.keepPrivileges())) return;
    await this.options.keys.keep();
    const isLost = (): boolean => this.options.membership.isLost;
    await queue.runDue(() => isLost() || this.privileges.areMissing);
    // Other members may be running this worker's tasks: stop them and rejoin before running more requests.
    if (isLost()) return;
    await this.options.restarts.runDue(this.options.work, isLost);
    if (isLost()) return;
    for (const request of this.options.working.takeRestarts()) {
      const current = this.options.reads.statusOrNull(request.connector);
      if (current) await this.options.work.restart(request, current);
    }
    await this.applyChanges();
    this.completed = true;
    if (this.stopping.signal.aborted || this.options.membership.needsJoin) return;
    const wait = this.waitMs();
    const stageText =
      wait === null
        ? 'polling the group coordinator until interrupted'
        : `polling the group coordinator for up to ${wait}ms or until interrupted`;
    this.busy = null;
    await stage.during(stageText, async () => await wakeup.wait(wait));
  }

  /** False: the leader cannot write yet. */
  private async keepPrivileges(): Promise<boolean> {
    if (!this.privileges.areMissing) return await this.privileges.keep();
    const stage = 'reclaiming write privileges for the config topic';
    return await this.options.stage.during(stage, async () => await this.privileges.keep());
  }

  /** False: rejoin the group before anything else. */
  private async ensureMembership(): Promise<boolean> {
    const { membership } = this.options;
    const { scheduledRebalance } = membership;
    if (this.resolved && scheduledRebalance !== null && scheduledRebalance <= this.now())
      membership.requestRejoin('the scheduled rebalance is due');
    if (membership.needsJoin) {
      this.resolved = false;
      try {
        await membership.join(this.options.work);
      } catch (error) {
        // The next tick stops the lost work first.
        if (membership.isLost && !this.stopping.signal.aborted) return false;
        throw error;
      }
    }
    return this.resolved || (await this.resolve());
  }

  private async resolve(): Promise<boolean> {
    const { syncTimeoutMs, configs, working, membership, stage, logger, backoff } = this.options;
    const { assignment } = membership;
    if (assignment === null) return false;
    const situation = (): AssignmentSituation => ({
      configMismatch: assignment.configMismatch,
      isLeader: membership.isLeader,
      ownOffset: working.offset,
      assignmentOffset: assignment.configOffset,
      scheduledRebalance: membership.scheduledRebalance,
      now: this.now(),
    });
    if (mustCatchUp(situation())) {
      try {
        await stage.during(
          'reading to the end of the config topic',
          async () => await configs.readToEnd(syncTimeoutMs),
        );
      } catch (error) {
        logger.warn(`The worker cannot keep up with the config topic; leaving the group: ${messageOf(error)}`);
        this.canReadConfigs = false;
        await membership.leave('taking too long to read the log');
        return false;
      }
      backoff.reset();
      working.coverByRebalance();
      working.haveReadTo(assignment.configOffset);
    }
    const reason = rejoinReason(situation());
    if (reason !== null) {
      membership.requestRejoin(reason);
      return false;
    }
    await this.startWork();
    this.resolved = true;
    if (!isEmpty(assignment.revoked)) {
      await stage.during(
        'waiting for other members to receive their revocations',
        async () => await membership.awaitRevocations(),
      );
      membership.requestRejoin('revoked work is to be reassigned');
      return false;
    }
    return true;
  }

  private async startWork(): Promise<void> {
    const { membership, work } = this.options;
    if (membership.isLeader) await this.deleteStaleStatuses();
    await work.stopTasksOf(this.options.working.takeCoveredTasks());
    const { connectors, tasks } = membership.work;
    const stage = `starting ${connectors.length + tasks.length} connector(s) and task(s) after a rebalance`;
    await this.options.stage.during(stage, async () => work.startMissing(membership.work));
  }

  /** Leader only. A member writes the final statuses of revoked work before it rejoins, so no others can follow. */
  private async deleteStaleStatuses(): Promise<void> {
    const { statuses, working } = this.options;
    const { cache } = statuses;
    const known = working.snapshot();
    const read = withDeadline(statuses.readToEnd(), STATUS_READ_TIMEOUT_MS, () => new Error('no answer'));
    await read.catch((error: unknown) =>
      this.options.logger.warn(`Could not read the status topic; stale statuses may remain: ${messageOf(error)}`),
    );
    for (const connector of cache.connectorNames())
      if (!known.contains(connector)) statuses.delete({ kind: 'connector', connector });
    for (const connector of cache.connectorsWithTasks())
      for (const [task] of cache.tasksOf(connector))
        if (!known.hasTask({ connector, task })) statuses.delete({ kind: 'task', connector, task });
  }

  private async applyChanges(): Promise<void> {
    const { working, membership, work } = this.options;
    const changes = working.takeChanges();
    if (changes === null) return;
    if (changes.needsRebalance) {
      membership.requestRejoin('connectors or their tasks have changed');
      // The rebalance stops everything, and starts it with the configuration of that time.
      if (membership.eager) return;
    }
    for (const connector of changes.connectors) await work.reconfigureConnector(connector);
    for (const connector of changes.targetStates) work.applyTargetState(connector);
    await work.stopTasksOf(changes.tasks);
  }

  /** Waits, then reads the config topic to its end. False: that failed again. */
  private async recover(): Promise<boolean> {
    const { backoff, configs, syncTimeoutMs, logger } = this.options;
    const { membership } = this.options;
    const wait = backoff.next(membership.eager);
    if (wait === 'give-up') {
      logger.warn('The worker has not caught up with the config topic; stopping its work');
      await membership.dropWork(this.options.work);
      return false;
    }
    await sleep(wait, this.stopping.signal);
    if (this.stopping.signal.aborted) return false;
    try {
      await configs.readToEnd(syncTimeoutMs);
    } catch (error) {
      logger.warn(`Still cannot read the config topic to its end: ${messageOf(error)}`);
      return false;
    }
    backoff.reset();
    this.canReadConfigs = true;
    return true;
  }

  private waitMs(): number | null {
    const now = this.now();
    const until = (time: number | null): number | null => (time === null ? null : time - now);
    const waits = [
      until(this.options.queue.nextDue()),
      until(this.options.restarts.nextDue()),
      until(this.options.membership.scheduledRebalance),
      this.options.keys.waitMs(),
      this.privileges.areMissing ? 0 : null,
    ].filter((wait) => wait !== null);
    return waits.length === 0 ? null : Math.max(0, Math.min(...waits));
  }
}
