/** The herder of one worker in a group, as REST uses it. Sources: connect-runtime §3, connect-rest §0.7, §1. */
import type { Admin } from '@millrace/kafka-client';
import type { Logger } from '../logging/logger';
import type { CatalogChange } from '../plugins/catalog-change';
import type { TaskHost } from '../tasks/host';
import type { Watchdog } from '../tasks/hosts/watchdog';
import type { Absence, WorkerFigures, WorkerHealth, WorkerMember } from './entities';
import { deriveSecret } from './forwarding/session-key';
import type { GroupWorkers } from './group/group-workers';
import type { Membership } from './group/membership';
import type { HerderStorage, Opening } from './herder-context';
import type { ChangeHistory } from './history/change-history';
import type { OffsetStores } from './offsets/offset-stores';
import type { RequestQueue } from './queue/request-queue';
import type { TickStage } from './queue/tick-stage';
import type { HerderDeadLetters } from './requests/herder-dead-letters';
import type { HerderOffsets } from './requests/herder-offsets';
import type { HerderReads } from './requests/herder-reads';
import type { HerderRecords } from './requests/herder-records';
import type { HerderRestarts } from './requests/herder-restarts';
import type { HerderWrites } from './requests/herder-writes';
import { readBack } from './requests/read-back';
import type { ActiveTopics } from './running/active-topics';
import type { AssignedWork } from './running/assigned-work';
import type { HerderMetrics } from './running/herder-metrics';
import type { PluginReloads } from './running/plugin-reloads';
import type { TaskPublication } from './running/task-publication';
import { StopSteps } from './stop-steps';
import type { HerderTick } from './tick/herder-tick';

const HEALTHY = 'Worker has completed startup and is ready to handle requests.';
/** Just under the REST layer's 10 s. */
const HEALTH_TIMEOUT_MS = 9_500;
/** For task threads to end after their tasks have stopped. */
const THREADS_MS = 2_000;
/** For pending writes to the storage topics. */
const CLOSING_MS = 4_000;
/** For the request that leaves the group. */
const LEAVING_MS = 1_500;

function absenceText({ since, reason }: Absence): string {
  const sentence = /[.!?]$/.test(reason) ? reason : `${reason}.`;
  return `This worker has not been in its group since ${new Date(since).toISOString()}: ${sentence}`;
}

/** The public methods of a class. */
type Facet<T> = Pick<T, keyof T>;

/**
 * What REST calls, by subject. Reads return the last known state. Requests for the leader or for the owner of a
 * connector throw NotHereError, which the REST layer turns into a forwarded request. Until the storage topics have been
 * read, `reads`, `deadLetters`, `records` and `topics` throw HerderError 404.
 */
export interface HerderFacets {
  readonly reads: Facet<HerderReads>;
  /** What changed lately, as far as this worker keeps it. */
  readonly history: Pick<ChangeHistory, 'list'>;
  readonly writes: Facet<HerderWrites>;
  readonly restarts: Facet<HerderRestarts>;
  readonly offsets: Facet<HerderOffsets>;
  readonly deadLetters: Facet<HerderDeadLetters>;
  readonly records: Facet<HerderRecords>;
  readonly topics: Facet<ActiveTopics>;
}

export interface Herder extends HerderFacets {
  /** `host:port` of the advertised URL. */
  readonly workerId: string;
  start(): Promise<void>;
  /** In the order of connect-runtime §3.12; leaves the group last. */
  stop(): Promise<void>;
  health(): Promise<WorkerHealth>;
  kafkaClusterId(): string | null;
  /** Metrics of this worker alone. */
  figures(): WorkerFigures;

  /** Shared by the workers of the group that sign their requests; another one for each purpose. Null: none yet. */
  groupSecret(purpose: string): Buffer | null;
  /** Whether requests between workers are accepted only with a valid signature. */
  readonly requiresSignatures: boolean;
  /** The workers of the group, as Kafka knows them; null while that is unknown. Rejects when Kafka does not answer. */
  members(): Promise<readonly WorkerMember[] | null>;
  /** Null while no leader is known. */
  readonly leaderUrl: string | null;
  /** Null: this worker is a member of its group, or has not been one yet. */
  readonly absence: Absence | null;

  /**
   * Reads what other workers have changed: states and configs read afterwards are not older. Never rejects; does not
   * wait long for Kafka.
   */
  readBack(): Promise<void>;
  /**
   * Plugin files have changed: restarts the connectors and tasks of this worker that use them, with the new code.
   * Resolves when the old ones have stopped; rejects when the worker stops.
   */
  reloadPlugins(change: CatalogChange): Promise<void>;
}

export interface DistributedHerderParts extends HerderFacets {
  readonly workerId: string;
  readonly admin: Admin;
  readonly storage: HerderStorage;
  readonly opening: Opening;
  readonly offsetStores: OffsetStores;
  readonly membership: Membership;
  readonly workers: GroupWorkers;
  readonly taskHost: TaskHost;
  /** Watches the tick. */
  readonly watchdog: Watchdog;
  readonly queue: RequestQueue;
  readonly stage: TickStage;
  readonly tick: HerderTick;
  readonly work: AssignedWork;
  /** Called once the storage topics have been read. */
  readonly prepareExpectedWork: () => void;
  readonly publication: TaskPublication;
  readonly pluginReloads: PluginReloads;
  readonly metrics: HerderMetrics;
  /** `task.shutdown.graceful.timeout.ms`. */
  readonly gracefulTimeoutMs: number;
  readonly problems: () => readonly string[];
  readonly onFatal: (error: unknown) => void;
  readonly logger: Logger;
}

/**
 * The tick (`tick/`) is one loop, and everything that decides runs on it: it joins the group and starts the assigned
 * work, keeps the leader's right to write, runs the queued requests and the due restarts, and applies what the config
 * topic has changed. It alone replaces the configuration that it works with (`WorkingConfig`), so a decision never sees
 * half of a change, and until the shutdown it alone decides which connectors and tasks start and stop. A request that
 * changes something waits in the queue for its turn; reads do not wait: they return the last known state.
 *
 * Every worker with the same `group.id` is a member; the group coordinator names one of them leader. In a rebalance the
 * leader assigns connectors and tasks from its config snapshot and from what the members report to run. With the
 * cooperative protocols, members keep their work meanwhile: only what moves is revoked, stopped with its final statuses
 * written, and assigned in a second rebalance; the work of a departed worker is reserved for
 * `scheduled.rebalance.max.delay.ms`. With the eager protocol, everything stops first. A member that has not read up to
 * the leader's snapshot reads to the end of the config topic before it starts anything. Only the leader writes configs,
 * task configs and changed offsets; other workers forward such requests to it.
 *
 * A worker that was suspended or cut off may have been replaced without noticing (a zombie). Its clock detects that:
 * without a response of the coordinator within the session timeout, its lease ends. From then on it sends nothing, and
 * it stops its work before it rejoins. Where a clock is not enough, Kafka fences. With exactly-once support, the leader
 * writes the config topic under one transactional id, which the next leader claims. Before tasks of an exactly-once
 * source start, and before its offsets are changed, the leader fences the producers of its earlier tasks (`fencing/`).
 */
export class DistributedHerder implements Herder {
  readonly workerId: string;
  readonly history: Herder['history'];
  readonly writes: Herder['writes'];
  readonly restarts: Herder['restarts'];
  readonly offsets: Herder['offsets'];
  private clusterId: string | null = null;
  private loop: Promise<void> | null = null;
  private stopped: Promise<void> | null = null;

  constructor(private readonly parts: DistributedHerderParts) {
    this.workerId = parts.workerId;
    this.history = parts.history;
    this.writes = parts.writes;
    this.restarts = parts.restarts;
    this.offsets = parts.offsets;
  }

  get reads(): Herder['reads'] {
    this.parts.opening.require();
    return this.parts.reads;
  }

  get records(): Herder['records'] {
    this.parts.opening.require();
    return this.parts.records;
  }

  get deadLetters(): Herder['deadLetters'] {
    this.parts.opening.require();
    return this.parts.deadLetters;
  }

  get topics(): Herder['topics'] {
    this.parts.opening.require();
    return this.parts.topics;
  }

  async start(): Promise<void> {
    const { stage } = this.parts;
    try {
      await stage.during('initializing and reading to the end of internal topics', async () => await this.open());
    } catch (error) {
      await this.stop().catch(() => undefined);
      throw error;
    }
    this.parts.prepareExpectedWork();
    this.parts.watchdog.start();
    this.loop = this.parts.tick.run().catch((error: unknown) => {
      this.parts.logger.error('The herder cannot continue', { error });
      this.parts.onFatal(error);
    });
  }

  async stop(): Promise<void> {
    this.stopped ??= this.shutDown();
    await this.stopped;
  }

  async health(): Promise<WorkerHealth> {
    const { queue, tick, stage, storage, taskHost, membership, problems } = this.parts;
    const { problem } = storage.configs;
    if (problem !== null) return { status: 'unhealthy', message: problem };
    const { absence } = membership;
    if (absence !== null) return { status: 'unhealthy', message: absenceText(absence), absence };
    if (await queue.isServed(HEALTH_TIMEOUT_MS))
      return { status: 'healthy', message: [HEALTHY, ...taskHost.problems(), ...problems()].join(' ') };
    const sentence = stage.sentence();
    const suffix = sentence === '' ? '' : ` ${sentence}`;
    return tick.isReady
      ? {
          status: 'unhealthy',
          message: `Worker was unable to handle this request and may be unable to handle other requests.${suffix}`,
        }
      : { status: 'starting', message: `Worker is still starting up.${suffix}` };
  }

  kafkaClusterId(): string | null {
    return this.clusterId;
  }

  figures(): WorkerFigures {
    return this.parts.metrics.figures();
  }

  groupSecret(purpose: string): Buffer | null {
    const { sessionKey } = this.parts.storage.configs.snapshot();
    return sessionKey && deriveSecret(sessionKey, purpose);
  }

  get requiresSignatures(): boolean {
    return this.parts.membership.requiresSignatures;
  }

  async members(): Promise<readonly WorkerMember[] | null> {
    return await this.parts.workers.members();
  }

  get leaderUrl(): string | null {
    return this.parts.membership.leaderUrl;
  }

  get absence(): Absence | null {
    return this.parts.membership.absence;
  }

  async readBack(): Promise<void> {
    await readBack(this.parts.storage);
  }

  async reloadPlugins(change: CatalogChange): Promise<void> {
    await this.parts.pluginReloads.apply(change);
  }

  private async open(): Promise<void> {
    const { storage, admin, opening } = this.parts;
    // Waits for all, so that nothing is still opening when a failure closes everything.
    const opened = await Promise.allSettled([
      admin.describeCluster().then(({ clusterId }) => (this.clusterId = clusterId)),
      storage.sharedOffsets.start(),
      storage.statuses.start(),
      storage.configs.start(),
    ]);
    for (const result of opened) if (result.status === 'rejected') throw result.reason;
    opening.finish();
  }

  /**
   * Leaves the group last, so that no other worker starts this worker's tasks before they have stopped. Steps that
   * Kafka or a plugin holds up beyond their deadline are skipped, and reported at the end.
   */
  private async shutDown(): Promise<void> {
    const { tick, work, queue, publication, storage, taskHost, membership, admin } = this.parts;
    const { offsetStores, gracefulTimeoutMs, watchdog, logger } = this.parts;
    const steps = new StopSteps(gracefulTimeoutMs, logger);
    tick.stop();
    watchdog.stop();
    publication.close();
    await Promise.all([
      steps.run('finishing the current tick', async () => await this.loop),
      steps.run('stopping connectors and tasks', async () => await work.stopEverything()),
    ]);
    queue.close();
    steps.allow(THREADS_MS);
    await steps.run('stopping the task host', async () => await taskHost.close());
    steps.allow(CLOSING_MS);
    await Promise.all([
      steps.run('writing the status topic', async () => await storage.statuses.stop()),
      steps.run('writing the config topic', async () => await storage.configs.stop()),
      // Offsets in a connector's own topic are copied into the worker's.
      steps.run('writing the offsets topics', async () => {
        await offsetStores.stop();
        await storage.sharedOffsets.stop();
      }),
    ]);
    steps.allow(LEAVING_MS);
    await steps.run('leaving the group', async () => await membership.close('the worker is shutting down'));
    await steps.run('closing the admin client', async () => await admin.close());
    steps.throwUnfinished();
  }
}
