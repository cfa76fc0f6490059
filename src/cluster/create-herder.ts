/** Assembles a herder: storage and queue, then group, running work, requests, and the tick that drives them. */
import { type ConnectorConfig, monotonicNow, Wakeup } from '@millrace/sdk';
import type { ConfigValidator } from '../config/validation/config-infos';
import type { WorkerConfig } from '../config/worker-config';
import type { Admin, KafkaClients } from '../kafka/port';
import type { Logger } from '../logging/logger';
import { grantedSettings } from '../plugins/granted-settings';
import type { PluginRegistry } from '../plugins/registry';
import { GroupMetrics } from '../metrics/group-metrics';
import { measuredClients } from '../kafka/measured-clients';
import { ClientMeter, OpenClients } from '../metrics/open-clients';
import { WorkMetrics } from '../metrics/work-metrics';
import type { PluginHost } from '../plugin-host/host';
import { InlinePluginHost } from '../plugin-host/inline-plugin-host';
import type { ExactlyOnceGate, OffsetStorage, TaskHost, TaskListener } from '../tasks/host';
import { LogPermission, SessionLease, WorkLease } from '../tasks/session-lease';
import { Watchdog } from '../tasks/hosts/watchdog';
import { ActiveTopics } from './running/active-topics';
import { AssignedWork } from './running/assigned-work';
import { AutomaticRestarts } from './running/automatic-restarts';
import { ConfigPermission } from './group/config-permission';
import { ConfigReloads } from './running/config-reloads';
import { ConnectorPlugins } from './running/connector-plugins';
import { ConnectorSet } from './running/connector-set';
import { DistributedHerder, type DistributedHerderParts } from './distributed-herder';
import { forwardRequest, type ForwardRequest } from './forwarding/forwarding';
import type { Herder } from './herder';
import { createStorage, type HerderStorage } from './herder-storage';
import { prepareExpectedWork } from './running/expected-work';
import { HerderMetrics } from './running/herder-metrics';
import { HerderOffsets } from './requests/herder-offsets';
import { HerderReads } from './requests/herder-reads';
import { HerderRestarts } from './requests/herder-restarts';
import { HerderTick } from './tick/herder-tick';
import { HerderWrites } from './requests/herder-writes';
import { fenceProducers } from './fencing/fence-producers';
import { FencingRounds } from './fencing/fencing-rounds';
import { HerderGate } from './fencing/herder-gate';
import { taskTransactionalId } from './fencing/transactional-id';
import { requestFencing, sendTaskConfigs, type LeaderAddress } from './forwarding/internal-request';
import { hasTask } from './group/work';
import { Membership } from './group/membership';
import { OffsetLocks } from './offsets/offset-locks';
import { OffsetStores } from './offsets/offset-stores';
import { PluginNames } from './running/plugin-names';
import { detectSuspension } from './group/suspension-detector';
import { RequestQueue } from './queue/request-queue';
import { SessionKeyKeeper } from './forwarding/session-key-keeper';
import { StatusReporter } from './running/status-reporter';
import { TaskPublication } from './running/task-publication';
import { TaskSet } from './running/task-set';
import { TickRequests } from './requests/tick-requests';
import { TickStage } from './queue/tick-stage';
import { UnsyncBackoff } from './tick/unsync-backoff';
import { WorkingConfig } from './tick/working-config';
import { workerIdOf } from './group/worker-id';

export interface HerderOptions {
  readonly config: WorkerConfig;
  readonly clients: KafkaClients;
  readonly registry: PluginRegistry;
  readonly validator: ConfigValidator;
  /** Runs plugin code other than tasks. (Default: in this thread) */
  readonly pluginHost?: PluginHost;
  /** Creates the task host, which reports to the herder and reads offsets through it. The herder closes it. */
  readonly taskHost: (deps: {
    readonly offsets: OffsetStorage;
    readonly listener: TaskListener;
    readonly gate: ExactlyOnceGate;
  }) => TaskHost;
  readonly logger: Logger;
  /** Advertised URL of this worker, e.g. `http://10.0.0.5:8083/`. */
  readonly restUrl: string;
  /** Resolves placeholders of config providers. (Default: leaves them) */
  readonly resolve?: (config: ConnectorConfig, expires?: (ttlMs: number) => void) => Promise<ConnectorConfig>;
  /** Sends a request to another worker. (Default: without TLS settings) */
  readonly forward?: ForwardRequest;
  /** Called when a worker of the group sets a log level for all of them. (Default: ignored) */
  readonly onLoggerLevel?: (namespace: string, level: string) => void;
  /** The herder cannot continue: the process should exit with status 1. (Default: only logged) */
  readonly onFatal?: (error: unknown) => void;
}

export function createHerder(options: HerderOptions): Herder {
  const context = createContext(options);
  const { config, clients, admin, wakeup, queue, stage, lease, permissions, logger } = context;
  const storage = createStorage({
    ...{ config, clients, admin, permissions, logger },
    onConfigEvent: (event) => {
      working.record(event);
      if (event.type === 'tasks-committed') fencing.onTasksCommitted(event.connector);
      wakeup.wake();
      if (event.type === 'logger-level') options.onLoggerLevel?.(event.namespace, event.level);
    },
  });
  const { configs, statuses } = storage;
  const working = new WorkingConfig(configs);
  const membership = new Membership({
    clients,
    client: { ...config.client('worker'), 'client.id': context.memberId },
    settings: config,
    workerUrl: context.restUrl,
    ranOn: (connector, task) =>
      (task === null ? statuses.cache.connector(connector) : statuses.cache.task(connector, task))?.workerId ?? null,
    configs: working,
    lease,
    wake: () => wakeup.wake(),
    metrics: context.groupMetrics,
    logger,
  });
  const keys = new SessionKeyKeeper({
    configs,
    settings: {
      algorithm: config.interWorkerKeyGenerationAlgorithm,
      size: config.interWorkerKeySize,
      ttlMs: config.interWorkerKeyTtlMs,
    },
    isResponsible: () => membership.isLeader && membership.requiresSignatures,
    readTimeoutMs: config.workerSyncTimeoutMs,
    logger,
  });
  const requests = new TickRequests({
    ...{ queue, stage, configs },
    leadership: membership,
    detectSuspension: () => detectSuspension(config),
  });
  const fencing = createFencing(context, storage, requests);
  const running = createRunning(context, storage, working, membership, { requests, fencing });
  const reads = new HerderReads(() => configs.snapshot(), statuses.cache, context.plugins);
  const tick = new HerderTick({
    ...{ configs, working, statuses, membership, reads, keys, queue, stage, wakeup, logger },
    work: running.work,
    restarts: running.automaticRestarts,
    backoff: new UnsyncBackoff(config.scheduledRebalanceMaxDelayMs, config.workerUnsyncBackoffMs),
    syncTimeoutMs: config.workerSyncTimeoutMs,
  });
  return new DistributedHerder({
    ...{ admin, configs, statuses, membership, queue, stage, tick, reads, logger },
    ...createRequests(context, storage, membership, running, reads, tick, { requests, fencing }),
    workerId: context.workerId,
    sharedOffsets: storage.sharedOffsets,
    offsets: running.offsets,
    taskHost: running.taskHost,
    work: running.work,
    prepareExpectedWork: () =>
      prepareExpectedWork({
        ...{ workerId: context.workerId, plugins: context.plugins, pluginHost: context.pluginHost, logger },
        ...{ snapshot: configs.snapshot(), statuses: statuses.cache, host: running.taskHost },
      }),
    publication: running.publication,
    metrics: running.metrics,
    watchdog: createWatchdog(context, tick),
    gracefulTimeoutMs: config.taskShutdownGracefulTimeoutMs,
    onFatal: options.onFatal ?? (() => undefined),
  });
}

/** What all parts share. */
interface Context extends HerderOptions {
  readonly pluginHost: PluginHost;
  readonly resolve: NonNullable<HerderOptions['resolve']>;
  readonly workerId: string;
  readonly memberId: string;
  readonly admin: Admin;
  readonly plugins: ConnectorPlugins;
  readonly workMetrics: WorkMetrics;
  readonly openClients: OpenClients;
  readonly groupMetrics: GroupMetrics;
  readonly wakeup: Wakeup;
  readonly stage: TickStage;
  readonly queue: RequestQueue;
  readonly lease: SessionLease;
  readonly permissions: {
    readonly offset: LogPermission;
    readonly status: LogPermission;
    readonly config: ConfigPermission;
  };
  readonly offsetLocks: OffsetLocks;
}

function createContext(options: HerderOptions): Context {
  const { config, registry } = options;
  const openClients = new OpenClients();
  const meter = new ClientMeter(config.metricsWindows, (announcement) => openClients.accept(announcement));
  const clients = measuredClients(options.clients, meter);
  const restUrl = options.restUrl.endsWith('/') ? options.restUrl : `${options.restUrl}/`;
  const workerId = workerIdOf(restUrl);
  const wakeup = new Wakeup();
  const lease = new SessionLease(config.sessionTimeoutMs);
  return {
    ...options,
    clients,
    openClients,
    logger: options.logger.child({}, 'millrace.herder'),
    pluginHost: options.pluginHost ?? new InlinePluginHost(registry),
    resolve: options.resolve ?? (async (unresolved) => unresolved),
    restUrl,
    workerId,
    memberId: config.clientId || `connect-${workerId}`,
    admin: clients.admin({ ...config.client('worker'), 'client.id': `${config.groupId}-shared-admin` }),
    plugins: new ConnectorPlugins(registry),
    workMetrics: new WorkMetrics(config.metricsWindows),
    groupMetrics: GroupMetrics.create(config.metricsWindows),
    wakeup,
    stage: new TickStage(),
    queue: new RequestQueue(() => wakeup.wake()),
    lease,
    permissions: {
      offset: new LogPermission(lease),
      status: new LogPermission(lease),
      config: new ConfigPermission(lease, config),
    },
    offsetLocks: new OffsetLocks(),
  };
}

/** Requests that run on the tick, and the leader's fencing of zombie tasks, which consists of such requests. */
interface Coordination {
  readonly requests: TickRequests;
  readonly fencing: FencingRounds;
}

function createFencing(context: Context, { configs }: HerderStorage, requests: TickRequests): FencingRounds {
  const { config, clients, plugins, resolve, logger } = context;
  return new FencingRounds({
    ...{ configs, logger },
    groupId: config.groupId,
    runAsLeader: async (stage, run) => await requests.runAsLeader(stage, run),
    isSink: (connector) => plugins.type(configs.snapshot().connectorConfig(connector)) === 'sink',
    fenceProducers: async (connector, ids, signal) => {
      const resolved = await resolve(configs.snapshot().connectorConfig(connector) ?? {});
      await fenceProducers({ clients, worker: config, connector, config: resolved }, ids, signal);
    },
    readTimeoutMs: config.workerSyncTimeoutMs,
  });
}

interface Running {
  readonly automaticRestarts: AutomaticRestarts;
  readonly offsets: OffsetStores;
  readonly taskHost: TaskHost;
  readonly connectors: ConnectorSet;
  readonly tasks: TaskSet;
  readonly work: AssignedWork;
  readonly publication: TaskPublication;
  readonly metrics: HerderMetrics;
}

/** The connectors and tasks of this worker. */
function createRunning(
  context: Context,
  { configs, statuses, sharedOffsets }: HerderStorage,
  working: WorkingConfig,
  membership: Membership,
  { requests, fencing }: Coordination,
): Running {
  const { config, clients, registry, plugins, pluginHost, resolve, queue, permissions, offsetLocks, logger } = context;
  const { workMetrics, lease, forward = forwardRequest } = context;
  const automaticRestarts = new AutomaticRestarts({
    configs: working,
    wake: () => context.wakeup.wake(),
    settings: config.restart,
    logger,
  });
  const reporter = new StatusReporter({
    statuses,
    workerId: context.workerId,
    generation: () => membership.generation,
    version: (connector) => plugins.describe(configs.snapshot().connectorConfig(connector))?.version ?? null,
    topicTracking: config.topicTrackingEnable,
    observer: automaticRestarts,
    metrics: workMetrics,
  });
  const offsets = new OffsetStores({
    ...{ clients, resolve, logger },
    shared: sharedOffsets,
    worker: config,
    snapshot: () => configs.snapshot(),
    permission: permissions.offset,
  });
  const leader = (): LeaderAddress => {
    const key = configs.snapshot().sessionKey;
    return {
      leaderUrl: membership.leaderUrl,
      // A leader that knows no signatures has no key, and requires none.
      sign: key === null ? membership.signsRequests : membership.requiresSignatures,
      key,
      macAlgorithm: config.interWorkerSignatureAlgorithm,
      forward,
    };
  };
  const gate = new HerderGate({
    ...{ configs, logger },
    fence: async (connector) => await fencing.fence(connector),
    requestFencing: async (connector) => await requestFencing(connector, leader()),
    run: async (stage, run) => await requests.run(stage, run),
    ownership: (id) => {
      if (membership.isLost || !hasTask(membership.work, id)) return 'revoked';
      return lease.check() === 'now' ? 'owned' : 'unknown';
    },
  });
  const taskHost = context.taskHost({ offsets, listener: reporter, gate });
  const connectors = new ConnectorSet({
    ...{ plugins, pluginHost, reporter, offsets, resolve, logger },
    workerSettings: (plugin) => grantedSettings(plugin, config.raw),
    topicCreation: config.topicCreationEnable,
    reconfigure: (connector) => publication.request(connector),
    onResolved: (connector, resolved, lifetime) => reloads.plan(connector, resolved, lifetime),
    onStop: (connector) => {
      automaticRestarts.forget({ connector, task: null });
      workMetrics.forget({ connector, task: null });
      reloads.forget(connector);
    },
  });
  const tasks = new TaskSet({
    ...{ plugins, pluginHost, reporter, offsets, resolve, logger },
    host: taskHost,
    lease: () => lease.forWork(),
    transactionalId:
      config.exactlyOnceSourceSupport === 'enabled' ? (id) => taskTransactionalId(config.groupId, id) : null,
    stopTimeoutMs: config.taskShutdownGracefulTimeoutMs,
    metrics: workMetrics,
    onStop: (id) => {
      automaticRestarts.forget(id);
      workMetrics.forget(id);
    },
  });
  statuses.onTopicForgotten = (connector, topic) => tasks.forgetTopic(connector, topic);
  const work = new AssignedWork({
    ...{ connectors, tasks, statuses, offsets, reporter, logger },
    configs: working,
    dropUnsentOffsets: () => permissions.offset.dropUnsent(),
  });
  const reloads = new ConfigReloads({
    queue,
    restart: async (connector) => await work.reconfigureConnector(connector),
    logger,
  });
  const publication = new TaskPublication({
    ...{ connectors, configs, plugins, resolve, queue, offsetLocks, logger },
    isLeader: () => membership.isLeader,
    sendToLeader: async (connector, taskConfigs) => await sendTaskConfigs(connector, taskConfigs, leader()),
  });
  const metrics = new HerderMetrics({
    ...{ connectors, tasks, membership },
    host: taskHost,
    work: workMetrics,
    group: context.groupMetrics,
    statuses: statuses.cache,
    plugins: new PluginNames(plugins, registry, config),
    snapshot: () => configs.snapshot(),
    clientId: context.memberId,
    clients: context.openClients,
  });
  return { automaticRestarts, offsets, taskHost, connectors, tasks, work, publication, metrics };
}

/** What REST calls. */
function createRequests(
  context: Context,
  { configs, statuses }: HerderStorage,
  membership: Membership,
  { connectors, tasks, work, offsets }: Running,
  reads: HerderReads,
  tick: HerderTick,
  { requests, fencing }: Coordination,
): Pick<DistributedHerderParts, 'writes' | 'restarts' | 'connectorOffsets' | 'topics'> {
  const { config, clients, validator, plugins, pluginHost, resolve, lease, permissions, offsetLocks } = context;
  return {
    writes: new HerderWrites({
      ...{ configs, reads, requests, validator, offsetLocks },
      fence: async (connector) => await fencing.fence(connector),
      requiresSignature: () => membership.requiresSignatures,
      verificationAlgorithms: config.interWorkerVerificationAlgorithms,
    }),
    restarts: new HerderRestarts({ configs, reads, requests, membership, connectors, tasks, work }),
    connectorOffsets: new HerderOffsets({
      ...{ configs, offsets, requests, plugins, pluginHost, clients, resolve },
      worker: config,
      locks: offsetLocks,
      exactlyOnce:
        config.exactlyOnceSourceSupport === 'enabled'
          ? {
              fence: async (connector) => await fencing.fence(connector),
              transactionalId: (id) => taskTransactionalId(config.groupId, id),
              permission: permissions.offset,
            }
          : null,
      lease: () => WorkLease.from(lease.forWork()),
      areTasksGone: (connector) => tick.isSettled && !membership.wasRunningTasksOf(connector),
      configReadTimeoutMs: config.workerSyncTimeoutMs,
    }),
    topics: new ActiveTopics(statuses, {
      enabled: config.topicTrackingEnable,
      resetAllowed: config.topicTrackingAllowReset,
    }),
  };
}

/** Reports a tick that hangs. */
function createWatchdog({ config, stage, logger }: Context, tick: HerderTick): Watchdog {
  const { tickMs } = config.watchdog;
  return new Watchdog({
    calls: () => {
      const since = tick.busySince;
      const hint = `${stage.sentence()} Until it does, this worker starts and stops nothing (watchdog.tick.ms).`;
      return since === null ? [] : [{ id: 'tick', what: "This worker's herder", since, limitMs: tickMs, hint }];
    },
    limitMs: tickMs,
    logger,
    now: monotonicNow,
  });
}
