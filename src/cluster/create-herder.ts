/** Assembles a herder: storage and queue, then group, running work, requests, and the tick that drives them. */
import { monotonicNow } from '@millrace/sdk';
import { clientsOf } from '../kafka-clients';
import { grantedSettings } from '../plugins/granted-settings';
import type { TaskHost } from '../tasks/host';
import { Watchdog } from '../tasks/hosts/watchdog';
import { WorkLease } from '../tasks/session-lease';
import { fenceProducers } from './fencing/fence-producers';
import { FencingRounds, taskTransactionalId } from './fencing/fencing-rounds';
import { HerderGate } from './fencing/herder-gate';
import { forwardRequest } from './forwarding/forwarding';
import { InternalMarks } from './forwarding/internal-marks';
import { requestFencing, sendTaskConfigs, type LeaderAddress } from './forwarding/internal-request';
import { SessionKeyKeeper } from './forwarding/session-key-keeper';
import { GroupWorkers } from './group/group-workers';
import { Membership } from './group/membership';
import { detectSuspension } from './group/suspension-detector';
import { hasTask } from './group/work';
import { DistributedHerder, type Herder, type HerderFacets } from './herder';
import {
  createContext,
  createStorage,
  type HerderContext,
  type HerderOptions,
  type HerderStorage,
} from './herder-context';
import { ChangeHistory } from './history/change-history';
import { OffsetStores } from './offsets/offset-stores';
import { HerderDeadLetters } from './requests/herder-dead-letters';
import { HerderOffsets } from './requests/herder-offsets';
import { HerderReads } from './requests/herder-reads';
import { HerderRecords } from './requests/herder-records';
import { HerderRestarts } from './requests/herder-restarts';
import { HerderWrites } from './requests/herder-writes';
import { readBack, readOwnBack } from './requests/read-back';
import { TickRequests } from './requests/tick-requests';
import { TopicRequests } from './requests/topic-requests';
import { ActiveTopics } from './running/active-topics';
import { AssignedWork } from './running/assigned-work';
import { AutomaticRestarts } from './running/automatic-restarts';
import { ConfigReloads } from './running/config-reloads';
import { ConnectorSet } from './running/connector-set';
import { prepareExpectedWork } from './running/expected-work';
import { HerderMetrics } from './running/herder-metrics';
import { PluginNames } from './running/plugin-names';
import { PluginReloads } from './running/plugin-reloads';
import { StatusReporter } from './running/status-reporter';
import { taskConfigRequests } from './running/task-config-requests';
import { TaskPublication } from './running/task-publication';
import { TaskSet } from './running/task-set';
import { HerderTick } from './tick/herder-tick';
import { UnsyncBackoff } from './tick/unsync-backoff';
import { WorkingConfig } from './tick/working-config';

export function createHerder(options: HerderOptions): Herder {
  const context = createContext(options);
  const { config, clients, admin, wakeup, queue, stage, lease, permissions, logger } = context;
  const history = new ChangeHistory();
  const storage = createStorage({
    ...{ config, clients, admin, permissions, history, logger },
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
    onMember: (absence) => history.onMember(context.workerId, absence),
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
  const running = createRunningParts(context, storage, working, membership, { requests, fencing, history });
  const reads = new HerderReads(() => configs.snapshot(), statuses.cache, context.plugins);
  const tick = new HerderTick({
    ...{ configs, working, statuses, membership, reads, keys, queue, stage, wakeup, logger },
    work: running.work,
    restarts: running.automaticRestarts,
    backoff: new UnsyncBackoff(config.scheduledRebalanceMaxDelayMs, config.workerUnsyncBackoffMs),
    syncTimeoutMs: config.workerSyncTimeoutMs,
  });
  return new DistributedHerder({
    ...{ admin, storage, membership, queue, stage, tick, reads, history, logger },
    ...running,
    ...createFacets(context, storage, membership, running, reads, tick, { requests, fencing }),
    ...{ workerId: context.workerId, opening: context.opening },
    workers: new GroupWorkers(async () => await admin.describeGroup(config.groupId)),
    prepareExpectedWork: () =>
      prepareExpectedWork({
        ...{ workerId: context.workerId, plugins: context.plugins, pluginHost: context.pluginHost, logger },
        ...{ snapshot: configs.snapshot(), statuses: statuses.cache, host: running.taskHost },
      }),
    watchdog: createWatchdog(context, tick),
    gracefulTimeoutMs: config.taskShutdownGracefulTimeoutMs,
    problems: options.problems ?? (() => []),
    onFatal: options.onFatal ?? (() => undefined),
  });
}

function createFencing(context: HerderContext, { configs }: HerderStorage, requests: TickRequests): FencingRounds {
  const { config, clients, plugins, resolve, logger } = context;
  return new FencingRounds({
    ...{ configs, logger },
    groupId: config.groupId,
    runAsLeader: async (stage, run) => await requests.runAsLeader(stage, run),
    isSink: (connector) => plugins.type(configs.snapshot().connectorConfig(connector)) === 'sink',
    fenceProducers: async (connector, ids, signal) => {
      const resolved = await resolve(configs.snapshot().connectorConfig(connector) ?? {}, connector);
      await fenceProducers(
        { clients: clientsOf(clients, connector), worker: config, connector, config: resolved },
        ids,
        signal,
      );
    },
    readTimeoutMs: config.workerSyncTimeoutMs,
  });
}

/** Requests that run on the tick, and the leader's fencing of zombie tasks, which consists of such requests. */
interface Coordination {
  readonly requests: TickRequests;
  readonly fencing: FencingRounds;
}

interface RunningParts {
  readonly automaticRestarts: AutomaticRestarts;
  readonly offsetStores: OffsetStores;
  readonly taskHost: TaskHost;
  readonly connectors: ConnectorSet;
  readonly tasks: TaskSet;
  readonly work: AssignedWork;
  readonly publication: TaskPublication;
  readonly pluginReloads: PluginReloads;
  readonly metrics: HerderMetrics;
}

/** What runs the connectors and tasks of this worker. */
function createRunningParts(
  context: HerderContext,
  { configs, statuses, sharedOffsets }: HerderStorage,
  working: WorkingConfig,
  membership: Membership,
  { requests, fencing, history }: Coordination & { readonly history: ChangeHistory },
): RunningParts {
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
    onConnection: history.onConnection,
    exists: (connector) => working.snapshot().contains(connector),
    logger,
  });
  const offsetStores = new OffsetStores({
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
  const taskHost = context.taskHost({ offsets: offsetStores, listener: reporter, gate });
  const connectors = new ConnectorSet({
    ...{ plugins, pluginHost, reporter, offsets: offsetStores, resolve, logger },
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
    ...{ plugins, pluginHost, reporter, offsets: offsetStores, resolve, logger },
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
    ...{ connectors, tasks, statuses, offsets: offsetStores, reporter, logger },
    configs: working,
    dropUnsentOffsets: () => permissions.offset.dropUnsent(),
    requestTaskConfigs: taskConfigRequests(configs, logger),
  });
  const reloads = new ConfigReloads({
    queue,
    restart: async (connector) => await work.reconfigureConnector(connector),
    logger,
  });
  const pluginReloads = new PluginReloads({
    ...{ registry, pluginHost, taskHost, queue, work, logger },
    configs: working,
    worker: config,
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
  return { automaticRestarts, offsetStores, taskHost, connectors, tasks, work, publication, pluginReloads, metrics };
}

/** What REST calls. */
function createFacets(
  context: HerderContext,
  { configs, statuses }: HerderStorage,
  membership: Membership,
  { connectors, tasks, work, offsetStores: offsets }: RunningParts,
  reads: HerderReads,
  tick: HerderTick,
  { requests, fencing }: Coordination,
): Omit<HerderFacets, 'reads' | 'history'> {
  const { config, clients, validator, plugins, pluginHost, resolve, lease, permissions, offsetLocks, logger } = context;
  const reading = new TopicRequests(clients);
  const shared = {
    requireOpen: () => context.opening.require(),
    readBack: async () => await readBack({ configs, statuses }),
  };
  return {
    writes: new HerderWrites({
      ...{ configs, reads, requests, validator, offsetLocks, logger, ...shared },
      readOwnBack: async () => await readOwnBack({ configs, statuses }),
      fence: async (connector) => await fencing.fence(connector),
      requiresSignature: () => membership.requiresSignatures,
      verificationAlgorithms: config.interWorkerVerificationAlgorithms,
      marks: new InternalMarks(
        () => configs.snapshot().sessionKey,
        () => membership.requiresMarks,
      ),
    }),
    restarts: new HerderRestarts({ configs, reads, requests, membership, connectors, tasks, work, ...shared }),
    offsets: new HerderOffsets({
      ...{ configs, offsets, requests, plugins, pluginHost, clients, resolve, ...shared },
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
    deadLetters: new HerderDeadLetters({ ...{ reads, plugins, clients, resolve }, worker: config, requests: reading }),
    records: new HerderRecords({
      ...{ reads, plugins, pluginHost, resolve },
      worker: config,
      requests: reading,
      activeTopics: (name) =>
        config.topicTrackingEnable ? statuses.cache.topicsOf(name).map(({ topic }) => topic) : [],
    }),
    topics: new ActiveTopics(statuses, {
      enabled: config.topicTrackingEnable,
      resetAllowed: config.topicTrackingAllowReset,
    }),
  };
}

/** Reports a tick that hangs. */
function createWatchdog({ config, stage, logger }: HerderContext, tick: HerderTick): Watchdog {
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
