/** Assembles what runs the connectors and tasks of this worker. */
import { grantedSettings } from '../plugins/granted-settings';
import type { TaskHost } from '../tasks/host';
import { AssignedWork } from './running/assigned-work';
import { AutomaticRestarts } from './running/automatic-restarts';
import { ConfigReloads } from './running/config-reloads';
import { ConnectorSet } from './running/connector-set';
import { forwardRequest } from './forwarding/forwarding';
import type { HerderContext } from './herder-context';
import type { HerderStorage } from './herder-storage';
import { HerderMetrics } from './running/herder-metrics';
import type { FencingRounds } from './fencing/fencing-rounds';
import { HerderGate } from './fencing/herder-gate';
import { taskTransactionalId } from './fencing/transactional-id';
import { requestFencing, sendTaskConfigs, type LeaderAddress } from './forwarding/internal-request';
import { hasTask } from './group/work';
import type { Membership } from './group/membership';
import { OffsetStores } from './offsets/offset-stores';
import { PluginNames } from './running/plugin-names';
import { PluginReloads } from './running/plugin-reloads';
import { StatusReporter } from './running/status-reporter';
import { taskConfigRequests } from './running/task-config-requests';
import { TaskPublication } from './running/task-publication';
import { TaskSet } from './running/task-set';
import type { TickRequests } from './requests/tick-requests';
import type { WorkingConfig } from './tick/working-config';

/** Requests that run on the tick, and the leader's fencing of zombie tasks, which consists of such requests. */
export interface Coordination {
  readonly requests: TickRequests;
  readonly fencing: FencingRounds;
}

/** The connectors and tasks of this worker. */
export interface RunningParts {
  readonly automaticRestarts: AutomaticRestarts;
  readonly offsets: OffsetStores;
  readonly taskHost: TaskHost;
  readonly connectors: ConnectorSet;
  readonly tasks: TaskSet;
  readonly work: AssignedWork;
  readonly publication: TaskPublication;
  readonly pluginReloads: PluginReloads;
  readonly metrics: HerderMetrics;
}

export function createRunningParts(
  context: HerderContext,
  { configs, statuses, sharedOffsets }: HerderStorage,
  working: WorkingConfig,
  membership: Membership,
  { requests, fencing }: Coordination,
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
    exists: (connector) => working.snapshot().contains(connector),
    logger,
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
  return { automaticRestarts, offsets, taskHost, connectors, tasks, work, publication, pluginReloads, metrics };
}
