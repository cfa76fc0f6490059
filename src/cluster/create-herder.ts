/** Builds a herder from its parts. */
import type { ConnectorConfig } from '@millrace/sdk';
import type { ConfigValidator } from '../config/validation';
import type { WorkerConfig } from '../config/worker-config';
import type { KafkaClients, SendPermission } from '../kafka/port';
import type { Logger } from '../logging/logger';
import { grantedSettings } from '../plugins/granted-settings';
import type { PluginRegistry } from '../plugins/registry';
import { GroupMetrics } from '../metrics/group-metrics';
import { WorkMetrics } from '../metrics/work-metrics';
import type { PluginHost } from '../plugin-host/host';
import { InlinePluginHost } from '../plugin-host/inline-plugin-host';
import type { ChangePermission } from '../storage/change-permission';
import { ConfigStore } from '../storage/config-store';
import { KafkaCompactedLog } from '../storage/kafka-compacted-log';
import { OffsetStore } from '../storage/offset-store';
import { StatusStore } from '../storage/status-store';
import { storageTopic } from '../storage/storage-topic';
import type { OffsetStorage, TaskHost, TaskListener } from '../tasks/host';
import { LogPermission, SessionLease, WorkLease } from '../tasks/session-lease';
import { Watchdog } from '../tasks/hosts/watchdog';
import { ActiveTopics } from './running/active-topics';
import { AssignedWork } from './running/assigned-work';
import { AutomaticRestarts } from './running/automatic-restarts';
import { ConfigPermission } from './group/config-permission';
import { ConfigReloads } from './running/config-reloads';
import { ConnectorPlugins } from './running/connector-plugins';
import { ConnectorSet } from './running/connector-set';
import { DistributedHerder } from './distributed-herder';
import { forwardRequest, type ForwardRequest } from './forwarding/forwarding';
import type { Herder } from './herder';
import { HerderMetrics } from './running/herder-metrics';
import { HerderOffsets } from './requests/herder-offsets';
import { HerderReads } from './requests/herder-reads';
import { HerderRestarts } from './requests/herder-restarts';
import { HerderTick } from './tick/herder-tick';
import { HerderWrites } from './requests/herder-writes';
import { sendTaskConfigs } from './forwarding/internal-request';
import { Membership } from './group/membership';
import { OffsetLocks } from './offsets/offset-locks';
import { OffsetStores } from './offsets/offset-stores';
import { PluginNames } from './running/plugin-names';
import { sessionPulse } from './group/pulse';
import { RequestQueue } from './queue/request-queue';
import { SessionKeyKeeper } from './forwarding/session-key-keeper';
import { StatusReporter } from './running/status-reporter';
import { TaskPublication } from './running/task-publication';
import { TaskSet } from './running/task-set';
import { TickRequests } from './requests/tick-requests';
import { TickStage } from './queue/tick-stage';
import { UnsyncBackoff } from './tick/unsync-backoff';
import { Wakeup } from './queue/wakeup';
import { monotonicNow } from './monotonic-clock';

export interface HerderOptions {
  readonly config: WorkerConfig;
  readonly clients: KafkaClients;
  readonly registry: PluginRegistry;
  readonly validator: ConfigValidator;
  /** Where code of plug-ins runs beside their tasks. (Default: in this thread) */
  readonly pluginHost?: PluginHost;
  /** The host reports to the herder and reads offsets through it. The herder closes it. */
  readonly taskHost: (deps: { readonly offsets: OffsetStorage; readonly listener: TaskListener }) => TaskHost;
  readonly logger: Logger;
  /** Advertised URL of this worker, e.g. `http://10.0.0.5:8083/`. */
  readonly restUrl: string;
  /** Replaces placeholders of configuration providers. (Default: none are known) */
  readonly resolve?: (config: ConnectorConfig, expires?: (ttlMs: number) => void) => Promise<ConnectorConfig>;
  /** How other workers are reached. (Default: without TLS settings) */
  readonly forward?: ForwardRequest;
  /** A level that some worker set for all of them. (Default: nothing) */
  readonly onLoggerLevel?: (namespace: string, level: string) => void;
  /** The herder can not go on: the process should end with status 1. (Default: only logged) */
  readonly onFatal?: (error: unknown) => void;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** `host:port`, the port always written. */
function workerIdOf(restUrl: string): string {
  const { hostname, port, protocol } = new URL(restUrl);
  return `${hostname}:${port || DEFAULT_PORTS[protocol]}`;
}

interface Storage {
  readonly sharedOffsets: OffsetStore;
  readonly statuses: StatusStore;
  readonly configs: ConfigStore;
}

function createStorage(
  { config, clients, logger }: HerderOptions,
  admin: ReturnType<KafkaClients['admin']>,
  permissions: { readonly offset: SendPermission; readonly status: SendPermission; readonly config: ChangePermission },
  onEvent: ConstructorParameters<typeof ConfigStore>[2],
): Storage {
  const client = config.client('worker');
  const base = config.clientId.trim() === '' ? config.groupId : `${config.groupId}-${config.clientId}`;
  const log = (kind: 'config' | 'offset' | 'status', clientId: string, producer?: Record<string, string>) =>
    new KafkaCompactedLog({
      topic: storageTopic(kind, config[kind]),
      clients,
      admin,
      client,
      clientId: `${base}-${clientId}`,
      producer,
      permission: permissions[kind],
      logger,
    });
  return {
    sharedOffsets: new OffsetStore(log('offset', 'offsets'), logger),
    // Statuses are written again by the store, which knows when an older one has had its day.
    statuses: new StatusStore(log('status', 'statuses', { 'delivery.timeout.ms': '120000', retries: '0' }), logger),
    configs: new ConfigStore(log('config', 'configs'), logger, onEvent, permissions.config),
  };
}

export function createHerder(options: HerderOptions): Herder {
  const { config, clients, validator, onFatal = () => undefined } = options;
  const logger = options.logger.child({}, 'millrace.herder');
  const resolve = options.resolve ?? (async (unresolved: ConnectorConfig) => unresolved);
  const restUrl = options.restUrl.endsWith('/') ? options.restUrl : `${options.restUrl}/`;
  const workerId = workerIdOf(restUrl);
  const client = config.client('worker');
  const admin = clients.admin({ ...client, 'client.id': `${config.groupId}-shared-admin` });
  const plugins = new ConnectorPlugins(options.registry);
  const pluginHost = options.pluginHost ?? new InlinePluginHost(options.registry);
  const workMetrics = new WorkMetrics(config.metricsWindows);
  const groupMetrics = GroupMetrics.create(config.metricsWindows);
  const memberId = config.clientId || `connect-${workerId}`;
  const wakeup = new Wakeup();
  const stage = new TickStage();
  const queue = new RequestQueue(() => wakeup.wake());
  // The tick needs the parts it drives, and they need its snapshot: it gets them when it runs.
  const tick: HerderTick = new HerderTick({
    configs: () => configs,
    statuses: () => statuses,
    membership: () => membership,
    work: () => work,
    reads: () => reads,
    keys: () => keys,
    queue,
    stage,
    wakeup,
    backoff: new UnsyncBackoff(config.scheduledRebalanceMaxDelayMs, config.workerUnsyncBackoffMs),
    syncTimeoutMs: config.workerSyncTimeoutMs,
    logger,
  });
  const lease = new SessionLease(config.sessionTimeoutMs);
  const permissions = {
    offset: new LogPermission(lease),
    status: new LogPermission(lease),
    config: new ConfigPermission(lease, config),
  };
  const { sharedOffsets, statuses, configs } = createStorage({ ...options, logger }, admin, permissions, (event) => {
    tick.onConfigEvent(event);
    if (event.type === 'logger-level') options.onLoggerLevel?.(event.namespace, event.level);
    if (event.type === 'target-state-changed') restarts.targetChanged(event.connector);
  });
  const restarts: AutomaticRestarts = new AutomaticRestarts({
    connectors: () => connectors,
    tasks: () => tasks,
    reporter: () => reporter,
    snapshot: () => tick.snapshot(),
    newestSnapshot: () => configs.snapshot(),
    queue,
    settings: config.restart,
    logger,
  });
  const membership: Membership = new Membership({
    clients,
    client: { ...client, 'client.id': memberId },
    settings: config,
    workerUrl: restUrl,
    snapshot: () => configs.snapshot(),
    joinSnapshot: tick.joinSnapshot,
    stopWork: async (stopped) => await work.stop(stopped),
    cancelLostWork: async (lost) => await work.cancelLost(lost),
    lease,
    wake: () => wakeup.wake(),
    metrics: groupMetrics,
    logger,
  });
  const reporter = new StatusReporter({
    statuses,
    workerId,
    generation: () => membership.generation,
    version: (connector) => plugins.describe(configs.snapshot().connectorConfig(connector))?.version ?? null,
    topicTracking: config.topicTrackingEnable,
    life: restarts,
    metrics: workMetrics,
  });
  const offsets = new OffsetStores({
    shared: sharedOffsets,
    clients,
    worker: config,
    snapshot: () => configs.snapshot(),
    resolve,
    permission: permissions.offset,
    logger,
  });
  const taskHost = options.taskHost({ offsets, listener: reporter });
  const offsetLocks = new OffsetLocks();
  const publication: TaskPublication = new TaskPublication({
    connectors: () => connectors,
    configs,
    plugins,
    resolve,
    queue,
    offsetLocks,
    isLeader: () => membership.isLeader,
    sendToLeader: async (connector, taskConfigs) =>
      await sendTaskConfigs(connector, taskConfigs, {
        leaderUrl: membership.leaderUrl,
        sign: membership.signsRequests,
        key: configs.snapshot().sessionKey,
        macAlgorithm: config.interWorkerSignatureAlgorithm,
        forward: options.forward ?? forwardRequest,
      }),
    logger,
  });
  const reloads: ConfigReloads = new ConfigReloads({
    queue,
    restart: async (connector) => await work.reconfigureConnector(connector),
    logger,
  });
  const connectors = new ConnectorSet({
    plugins,
    pluginHost,
    reporter,
    offsets,
    resolve,
    workerSettings: (plugin) => grantedSettings(plugin, config.raw),
    topicCreation: config.topicCreationEnable,
    reconfigure: (connector) => publication.request(connector),
    onResolved: (connector, resolved, lifetime) => reloads.plan(connector, resolved, lifetime),
    onStop: (connector) => {
      restarts.forget({ connector, task: null });
      workMetrics.forget({ connector, task: null });
      reloads.forget(connector);
    },
    logger,
  });
  const tasks = new TaskSet({
    host: taskHost,
    plugins,
    pluginHost,
    reporter,
    offsets,
    resolve,
    lease: () => lease.forWork(),
    stopTimeoutMs: config.taskShutdownGracefulTimeoutMs,
    metrics: workMetrics,
    onStop: (id) => {
      restarts.forget(id);
      workMetrics.forget(id);
    },
    logger,
  });
  const work = new AssignedWork({
    connectors,
    tasks,
    statuses,
    offsets,
    dropUnsentOffsets: () => permissions.offset.dropUnsent(),
    reporter,
    snapshot: () => tick.snapshot(),
    logger,
  });
  const keys = new SessionKeyKeeper({
    configs,
    settings: {
      algorithm: config.interWorkerKeyGenerationAlgorithm,
      size: config.interWorkerKeySize,
      ttlMs: config.interWorkerKeyTtlMs,
    },
    isResponsible: () => membership.isLeader && membership.signsRequests,
    readTimeoutMs: config.workerSyncTimeoutMs,
    logger,
  });
  const reads = new HerderReads(() => configs.snapshot(), statuses.cache, plugins);
  const requests = new TickRequests({
    queue,
    stage,
    leadership: membership,
    configs,
    pulse: () => sessionPulse(config),
  });
  const writes = new HerderWrites({
    configs,
    reads,
    requests,
    validator,
    offsetLocks,
    requiresSignature: () => membership.signsRequests,
    verificationAlgorithms: config.interWorkerVerificationAlgorithms,
  });
  const herderRestarts = new HerderRestarts({ configs, reads, requests, membership, connectors, tasks, work });
  const connectorOffsets = new HerderOffsets({
    configs,
    offsets,
    requests,
    plugins,
    pluginHost,
    clients,
    worker: config,
    locks: offsetLocks,
    resolve,
    lease: () => WorkLease.of(lease.forWork()),
    areTasksGone: (connector) => tick.isSettled && !membership.wasRunningTasksOf(connector),
    configReadTimeoutMs: config.workerSyncTimeoutMs,
  });
  statuses.onTopicForgotten = (connector, topic) => tasks.forgetTopic(connector, topic);
  const topics = new ActiveTopics(statuses, {
    enabled: config.topicTrackingEnable,
    resetAllowed: config.topicTrackingAllowReset,
  });
  const metrics = new HerderMetrics({
    work: workMetrics,
    group: groupMetrics,
    connectors,
    tasks,
    membership,
    statuses: statuses.cache,
    plugins: new PluginNames(plugins, options.registry, config),
    snapshot: () => configs.snapshot(),
    clientId: memberId,
  });
  const { tickMs } = config.watchdog;
  const watchdog = new Watchdog({
    look: () => {
      const since = tick.busySince;
      const hint = `${stage.sentence()} Until it does, this worker starts and stops nothing (watchdog.tick.ms).`;
      return since === null ? [] : [{ id: 'tick', what: "This worker's herder", since, limitMs: tickMs, hint }];
    },
    limitMs: tickMs,
    logger,
    now: monotonicNow,
  });
  return new DistributedHerder({
    watchdog,
    workerId,
    admin,
    sharedOffsets,
    offsets,
    statuses,
    configs,
    membership,
    taskHost,
    queue,
    stage,
    tick,
    work,
    publication,
    reads,
    writes,
    connectorOffsets,
    topics,
    metrics,
    restarts: herderRestarts,
    gracefulTimeoutMs: config.taskShutdownGracefulTimeoutMs,
    onFatal,
    logger,
  });
}
