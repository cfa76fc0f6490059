/** Assembles a herder: storage and queue, then group, running work, requests, and the tick that drives them. */
import { monotonicNow } from '@millrace/sdk';
import { clientsOf } from '../kafka-clients';
import { WorkLease } from '../tasks/session-lease';
import { Watchdog } from '../tasks/hosts/watchdog';
import { ActiveTopics } from './running/active-topics';
import { DistributedHerder, type DistributedHerderParts } from './distributed-herder';
import type { Herder } from './herder';
import { ChangeHistory } from './history/change-history';
import { createContext, type HerderContext, type HerderOptions } from './herder-context';
import { createStorage, type HerderStorage } from './herder-storage';
import { prepareExpectedWork } from './running/expected-work';
import { HerderDeadLetters } from './requests/herder-dead-letters';
import { HerderOffsets } from './requests/herder-offsets';
import { HerderReads } from './requests/herder-reads';
import { HerderRestarts } from './requests/herder-restarts';
import { HerderTick } from './tick/herder-tick';
import { HerderWrites } from './requests/herder-writes';
import { fenceProducers } from './fencing/fence-producers';
import { FencingRounds } from './fencing/fencing-rounds';
import { taskTransactionalId } from './fencing/transactional-id';
import { GroupWorkers } from './group/group-workers';
import { Membership } from './group/membership';
import { detectSuspension } from './group/suspension-detector';
import { InternalMarks } from './forwarding/internal-marks';
import { SessionKeyKeeper } from './forwarding/session-key-keeper';
import { createRunningParts, type Coordination, type RunningParts } from './running-parts';
import { TickRequests } from './requests/tick-requests';
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
  const running = createRunningParts(context, storage, working, membership, { requests, fencing });
  const reads = new HerderReads(() => configs.snapshot(), statuses.cache, context.plugins);
  const tick = new HerderTick({
    ...{ configs, working, statuses, membership, reads, keys, queue, stage, wakeup, logger },
    work: running.work,
    restarts: running.automaticRestarts,
    backoff: new UnsyncBackoff(config.scheduledRebalanceMaxDelayMs, config.workerUnsyncBackoffMs),
    syncTimeoutMs: config.workerSyncTimeoutMs,
  });
  return new DistributedHerder({
    ...{ admin, configs, statuses, membership, queue, stage, tick, reads, history, logger },
    ...createRequests(context, storage, membership, running, reads, tick, { requests, fencing }),
    workerId: context.workerId,
    workers: new GroupWorkers(async () => await admin.describeGroup(config.groupId)),
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
    pluginReloads: running.pluginReloads,
    metrics: running.metrics,
    watchdog: createWatchdog(context, tick),
    gracefulTimeoutMs: config.taskShutdownGracefulTimeoutMs,
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

/** What REST calls. */
function createRequests(
  context: HerderContext,
  { configs, statuses }: HerderStorage,
  membership: Membership,
  { connectors, tasks, work, offsets }: RunningParts,
  reads: HerderReads,
  tick: HerderTick,
  { requests, fencing }: Coordination,
): Pick<DistributedHerderParts, 'writes' | 'restarts' | 'connectorOffsets' | 'deadLetters' | 'topics'> {
  const { config, clients, validator, plugins, pluginHost, resolve, lease, permissions, offsetLocks } = context;
  return {
    writes: new HerderWrites({
      ...{ configs, reads, requests, validator, offsetLocks },
      fence: async (connector) => await fencing.fence(connector),
      requiresSignature: () => membership.requiresSignatures,
      verificationAlgorithms: config.interWorkerVerificationAlgorithms,
      marks: new InternalMarks(
        () => configs.snapshot().sessionKey,
        () => membership.requiresMarks,
      ),
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
    deadLetters: new HerderDeadLetters({ reads, plugins, clients, worker: config, resolve }),
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
