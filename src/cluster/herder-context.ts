/** What the parts of a herder share: its options, the storage topics, and other objects that several parts use. */
import { Wakeup } from '@millrace/sdk';
import type { ConfigValidator } from '../config/validation/config-infos';
import type { WorkerConfig } from '../config/worker-config';
import type { Admin, KafkaClients, SendPermission } from '@millrace/kafka-client';
import type { Logger } from '../logging/logger';
import type { PluginRegistry } from '../plugins/registry';
import { GroupMetrics } from '../metrics/group-metrics';
import { measuredClients } from '../kafka-clients';
import { ClientMeter, OpenClients } from '../metrics/open-clients';
import { WorkMetrics } from '../metrics/work-metrics';
import type { PluginHost } from '../plugin-host/host';
import { InlinePluginHost } from '../plugin-host/inline-plugin-host';
import type { ChangePermission } from '../storage/config/change-permission';
import type { ConfigEvent } from '../storage/config/config-state';
import { ConfigStore, type OnConfigDelta } from '../storage/config/config-store';
import { KafkaCompactedLog } from '../storage/log/kafka-compacted-log';
import { TransactionalWriter } from '../storage/log/transactional-writer';
import { OffsetStore } from '../storage/offsets/offset-store';
import { StatusStore, type OnStatus } from '../storage/status/status-store';
import { storageTopic } from '../storage/log/storage-topic';
import type { ExactlyOnceGate, OffsetStorage, TaskHost, TaskListener } from '../tasks/host';
import { LogPermission, SessionLease } from '../tasks/session-lease';
import { HerderError } from './errors';
import { ConfigPermission } from './group/config-permission';
import { ConnectorPlugins } from './running/connector-plugins';
import type { ForwardRequest } from './forwarding/forwarding';
import { OffsetLocks } from './offsets/offset-locks';
import { RequestQueue } from './queue/request-queue';
import type { ResolveConfig } from './resolve-config';
import { TickStage } from './queue/tick-stage';
import { workerIdOf } from './group/group-workers';

/** Before the storage topics have been read, what they do not contain may exist: an empty list would be wrong. */
export class Opening {
  private isDone = false;

  finish(): void {
    this.isDone = true;
  }

  /** Throws HerderError 404: clients retry on 404. */
  require(): void {
    if (!this.isDone) throw new HerderError(404, 'Worker is still starting up.');
  }
}

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
  /** (Default: leaves placeholders) */
  readonly resolve?: ResolveConfig;
  /** Sends a request to another worker. (Default: without TLS settings) */
  readonly forward?: ForwardRequest;
  /** Called when a worker of the group sets a log level for all of them. (Default: ignored) */
  readonly onLoggerLevel?: (namespace: string, level: string) => void;
  /** Problems for the health report besides those of tasks, one sentence each. (Default: there are none) */
  readonly problems?: () => readonly string[];
  /** The herder cannot continue: the process should exit with status 1. (Default: only logged) */
  readonly onFatal?: (error: unknown) => void;
}

/** What all parts share. */
export interface HerderContext extends HerderOptions {
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
  readonly opening: Opening;
}

export function createContext(options: HerderOptions): HerderContext {
  const { config, registry } = options;
  const openClients = new OpenClients();
  const meter = new ClientMeter(config.metricsWindows, (announcement) => openClients.accept(announcement));
  const clients = measuredClients(options.clients, meter, null);
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
    opening: new Opening(),
  };
}

export interface HerderStorageOptions {
  readonly config: WorkerConfig;
  readonly clients: KafkaClients;
  readonly admin: Admin;
  readonly permissions: {
    readonly offset: SendPermission;
    readonly status: SendPermission;
    readonly config: ChangePermission;
  };
  /** Called for every change of the config topic that is read after the start. */
  readonly onConfigEvent: (event: ConfigEvent) => void;
  /** What was read from the topics, from their beginning on. (Default: not reported) */
  readonly history?: { readonly onConfig: OnConfigDelta; readonly onStatus: OnStatus };
  readonly logger: Logger;
}

/** The worker's storage topics. Source: connect-runtime §1. */
export interface HerderStorage {
  readonly sharedOffsets: OffsetStore;
  readonly statuses: StatusStore;
  readonly configs: ConfigStore;
}

export function createStorage(options: HerderStorageOptions): HerderStorage {
  const { config, clients, admin, permissions, onConfigEvent, history, logger } = options;
  const client = config.client('worker');
  const { exactlyOnceSourceSupport } = config;
  const base = config.clientId.trim() === '' ? config.groupId : `${config.groupId}-${config.clientId}`;
  const log = (kind: 'config' | 'offset' | 'status', clientId: string, producer?: Record<string, string>) =>
    new KafkaCompactedLog({
      topic: storageTopic(kind, config[kind]),
      clients,
      admin,
      client,
      clientId: `${base}-${clientId}`,
      producer,
      isolation: isolation(kind, exactlyOnceSourceSupport),
      // The transaction of a killed task ends when the task starts again, which reads the offsets once more.
      startsCommitted: kind === 'offset',
      permission: permissions[kind],
      logger,
    });
  const leaderWriter =
    exactlyOnceSourceSupport === 'disabled'
      ? null
      : new TransactionalWriter({
          topic: config.config.topic,
          clients,
          client,
          clientId: `${base}-configs-leader`,
          transactionalId: `connect-cluster-${config.groupId}`,
          permission: permissions.config,
          logger,
        });
  return {
    sharedOffsets: new OffsetStore(log('offset', 'offsets'), logger),
    // The store retries statuses itself, because it knows which of them are outdated.
    statuses: new StatusStore(
      log('status', 'statuses', { 'delivery.timeout.ms': '120000', retries: '0' }),
      logger,
      history?.onStatus,
    ),
    configs: new ConfigStore(
      log('config', 'configs'),
      logger,
      onConfigEvent,
      permissions.config,
      leaderWriter,
      history?.onConfig,
    ),
  };
}

/**
 * Statuses are never written in transactions. Offsets are read committed in any case, unlike in Java: other workers of
 * the group, or this one before, may write them in transactions, and an aborted offset would skip records.
 */
function isolation(
  kind: 'config' | 'offset' | 'status',
  support: WorkerConfig['exactlyOnceSourceSupport'],
): 'read_committed' | undefined {
  return kind === 'offset' || (kind === 'config' && support === 'enabled') ? 'read_committed' : undefined;
}
