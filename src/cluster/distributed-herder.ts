/** The herder of one worker in a group. Sources: connect-runtime §3, connect-rest §1. */
import { type ConnectorConfig, type TaskSignal } from '@millrace/sdk';
import type { Admin } from '../kafka/port';
import type { Logger } from '../logging/logger';
import type { CatalogChange } from '../plugins/catalog-change';
import type { ConfigStore } from '../storage/config/config-store';
import { byUser } from '../storage/log/cause';
import type { OffsetStore } from '../storage/offsets/offset-store';
import type { StatusStore } from '../storage/status/status-store';
import type { TaskHost } from '../tasks/host';
import type { Watchdog } from '../tasks/hosts/watchdog';
import type { ChangeHistory } from './history/change-history';
import type { ActiveTopics } from './running/active-topics';
import type { AssignedWork } from './running/assigned-work';
import type { PartitionOffset } from './connector-offsets';
import { HerderError } from './errors';
import type {
  ConnectorInfo,
  ConnectorRecord,
  ConnectorStateInfo,
  DeadLetterPage,
  ReadTaskConfigs,
  RecordedChange,
  RestartRequest,
  SignedBody,
  TargetState,
  TaskInfo,
  TaskState,
  WorkerFigures,
  WorkerHealth,
  WorkerMember,
} from './entities';
import { deriveSecret } from './forwarding/session-key';
import type { Herder } from './herder';
import type { HerderMetrics } from './running/herder-metrics';
import type { HerderDeadLetters } from './requests/herder-dead-letters';
import type { HerderOffsets } from './requests/herder-offsets';
import type { HerderReads } from './requests/herder-reads';
import { readBack, thenReadBack } from './requests/read-back';
import type { HerderRestarts } from './requests/herder-restarts';
import type { HerderTick } from './tick/herder-tick';
import type { HerderWrites } from './requests/herder-writes';
import type { GroupWorkers } from './group/group-workers';
import type { Membership } from './group/membership';
import type { OffsetStores } from './offsets/offset-stores';
import type { RequestQueue } from './queue/request-queue';
import type { PluginReloads } from './running/plugin-reloads';
import { StopSteps } from './stop-steps';
import type { TaskPublication } from './running/task-publication';
import type { TickStage } from './queue/tick-stage';

const HEALTHY = 'Worker has completed startup and is ready to handle requests.';
/** Just under the REST layer's 10 s. */
const HEALTH_TIMEOUT_MS = 9_500;
/** For task threads to end after their tasks have stopped. */
const THREADS_MS = 2_000;
/** For pending writes to the storage topics. */
const CLOSING_MS = 4_000;
/** For the request that leaves the group. */
const LEAVING_MS = 1_500;

export interface DistributedHerderParts {
  readonly workerId: string;
  readonly admin: Admin;
  readonly sharedOffsets: OffsetStore;
  readonly offsets: OffsetStores;
  readonly statuses: StatusStore;
  readonly configs: ConfigStore;
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
  readonly reads: HerderReads;
  readonly history: ChangeHistory;
  readonly writes: HerderWrites;
  readonly restarts: HerderRestarts;
  readonly connectorOffsets: HerderOffsets;
  readonly deadLetters: HerderDeadLetters;
  readonly topics: ActiveTopics;
  readonly metrics: HerderMetrics;
  /** `task.shutdown.graceful.timeout.ms`. */
  readonly gracefulTimeoutMs: number;
  readonly onFatal: (error: unknown) => void;
  readonly logger: Logger;
}

export class DistributedHerder implements Herder {
  private clusterId: string | null = null;
  /** The storage topics have been read, so what they do not contain does not exist. */
  private opened = false;
  private loop: Promise<void> | null = null;
  private stopped: Promise<void> | null = null;

  constructor(private readonly parts: DistributedHerderParts) {}

  get workerId(): string {
    return this.parts.workerId;
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
    const { queue, tick, stage, configs } = this.parts;
    if (configs.problem !== null) return { status: 'unhealthy', message: configs.problem };
    if (await queue.isServed(HEALTH_TIMEOUT_MS))
      return { status: 'healthy', message: [HEALTHY, ...this.parts.taskHost.problems()].join(' ') };
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
    const { sessionKey } = this.parts.configs.snapshot();
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

  connectors(): readonly string[] {
    return this.reads.connectors();
  }
  connectorRecords(): readonly ConnectorRecord[] {
    return this.reads.records();
  }
  connectorRecord(name: string): ConnectorRecord {
    return this.reads.record(name);
  }
  connectorInfo(name: string): ConnectorInfo {
    return this.reads.connectorInfo(name);
  }
  connectorStatus(name: string): ConnectorStateInfo {
    return this.reads.connectorStatus(name);
  }
  taskStatus(name: string, task: number): TaskState {
    return this.reads.taskStatus(name, task);
  }
  taskInfos(name: string): readonly TaskInfo[] {
    return this.reads.taskInfos(name);
  }

  async createConnector(
    name: string,
    config: ConnectorConfig,
    initialState: TargetState | null,
    user?: string | null,
  ): Promise<ConnectorInfo> {
    return await this.readable(this.parts.writes.createConnector(name, config, initialState, user));
  }
  async putConnectorConfig(
    name: string,
    config: ConnectorConfig,
    user?: string | null,
  ): Promise<{ created: boolean; info: ConnectorInfo }> {
    return await this.readable(this.parts.writes.putConnectorConfig(name, config, user));
  }
  async patchConnectorConfig(
    name: string,
    patch: Readonly<Record<string, string | null>>,
    user?: string | null,
  ): Promise<ConnectorInfo> {
    return await this.readable(this.parts.writes.patchConnectorConfig(name, patch, user));
  }
  async deleteConnector(name: string, user?: string | null): Promise<void> {
    await this.readable(this.parts.writes.deleteConnector(name, user));
  }
  async setTargetState(name: string, state: 'STARTED' | 'PAUSED', user?: string | null): Promise<void> {
    this.requireOpen();
    await this.readable(this.parts.writes.setTargetState(name, state, user));
  }
  async stopConnector(name: string, user?: string | null): Promise<void> {
    await this.readable(this.parts.writes.stopConnector(name, user));
  }
  async restartConnector(name: string, user?: string | null): Promise<void> {
    await this.readable(this.parts.restarts.restartConnector(name, user));
  }
  async requestRestart(name: string, request: RestartRequest, user?: string | null): Promise<ConnectorStateInfo> {
    return await this.readable(this.parts.restarts.requestRestart(name, request, user));
  }
  changes(connector?: string): readonly RecordedChange[] {
    return this.parts.history.list(connector);
  }
  async deadLetters(name: string, limit: number): Promise<DeadLetterPage> {
    this.requireOpen();
    return await this.parts.deadLetters.list(name, limit);
  }
  async replayDeadLetters(
    name: string,
    letters: readonly { readonly partition: number; readonly offset: number }[],
  ): Promise<readonly (string | null)[]> {
    this.requireOpen();
    return await this.parts.deadLetters.replay(name, letters);
  }
  lastRestart(connector: string): RecordedChange | null {
    return this.reads.lastRestart(connector);
  }
  async connectorOffsets(name: string): Promise<readonly PartitionOffset[]> {
    this.requireOpen();
    return await this.parts.connectorOffsets.list(name);
  }
  async alterConnectorOffsets(name: string, offsets: readonly PartitionOffset[]): Promise<string> {
    return await this.parts.connectorOffsets.change(name, offsets);
  }
  async resetConnectorOffsets(name: string): Promise<string> {
    return await this.parts.connectorOffsets.change(name, null);
  }
  activeTopics(name: string): readonly string[] {
    this.requireOpen();
    return this.parts.topics.list(name);
  }
  resetActiveTopics(name: string): void {
    this.requireOpen();
    this.parts.topics.reset(name);
  }
  async restartTask(name: string, task: number, user?: string | null): Promise<void> {
    await this.readable(this.parts.restarts.restartTask(name, task, user));
  }
  async signalTask(name: string, task: number, signal: TaskSignal): Promise<void> {
    await this.parts.restarts.signalTask(name, task, signal);
  }
  async setLoggerLevel(namespace: string, level: string, user: string | null = null): Promise<void> {
    this.requireOpen();
    await this.parts.configs.putLoggerLevel(namespace, level, byUser(user));
  }
  async reloadPlugins(change: CatalogChange): Promise<void> {
    await this.parts.pluginReloads.apply(change);
  }
  async submitTaskConfigs(name: string, body: SignedBody, read: ReadTaskConfigs): Promise<void> {
    await this.parts.writes.submitTaskConfigs(name, body, read);
  }

  async fenceTasks(name: string, body: SignedBody): Promise<void> {
    await this.parts.writes.fenceTasks(name, body);
  }

  async readBack(): Promise<void> {
    await readBack(this.parts);
  }

  private async readable<T>(change: Promise<T>): Promise<T> {
    return await thenReadBack(change, async () => await this.readBack());
  }

  private async open(): Promise<void> {
    const { sharedOffsets, statuses, configs, admin } = this.parts;
    // Waits for all, so that nothing is still opening when a failure closes everything.
    const opened = await Promise.allSettled([
      admin.describeCluster().then(({ clusterId }) => (this.clusterId = clusterId)),
      sharedOffsets.start(),
      statuses.start(),
      configs.start(),
    ]);
    for (const result of opened) if (result.status === 'rejected') throw result.reason;
    this.opened = true;
  }

  /** Before the topics have been read, an empty list of connectors would be wrong. */
  private get reads(): HerderReads {
    this.requireOpen();
    return this.parts.reads;
  }

  private requireOpen(): void {
    if (!this.opened) throw new HerderError(404, 'Worker is still starting up.');
  }

  /**
   * Leaves the group last, so that no other worker starts this worker's tasks before they have stopped. Steps that
   * Kafka or a plugin holds up beyond their deadline are skipped, and reported at the end.
   */
  private async shutDown(): Promise<void> {
    const { tick, work, queue, publication, statuses, configs, taskHost, membership, admin } = this.parts;
    const { offsets, sharedOffsets, gracefulTimeoutMs } = this.parts;
    const steps = new StopSteps(gracefulTimeoutMs, this.parts.logger);
    tick.stop();
    this.parts.watchdog.stop();
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
      steps.run('writing the status topic', async () => await statuses.stop()),
      steps.run('writing the config topic', async () => await configs.stop()),
      // Offsets in a connector's own topic are copied into the worker's.
      steps.run('writing the offsets topics', async () => {
        await offsets.stop();
        await sharedOffsets.stop();
      }),
    ]);
    steps.allow(LEAVING_MS);
    await steps.run('leaving the group', async () => await membership.close('the worker is shutting down'));
    await steps.run('closing the admin client', async () => await admin.close());
    steps.throwUnfinished();
  }
}
