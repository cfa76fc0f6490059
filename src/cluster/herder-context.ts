/** What the parts of a herder share: its options, and the objects that several parts use. */
import { Wakeup } from '@millrace/sdk';
import type { ConfigValidator } from '../config/validation/config-infos';
import type { WorkerConfig } from '../config/worker-config';
import type { Admin, KafkaClients } from '../kafka/port';
import type { Logger } from '../logging/logger';
import type { PluginRegistry } from '../plugins/registry';
import { GroupMetrics } from '../metrics/group-metrics';
import { measuredClients } from '../kafka-clients';
import { ClientMeter, OpenClients } from '../metrics/open-clients';
import { WorkMetrics } from '../metrics/work-metrics';
import type { PluginHost } from '../plugin-host/host';
import { InlinePluginHost } from '../plugin-host/inline-plugin-host';
import type { ExactlyOnceGate, OffsetStorage, TaskHost, TaskListener } from '../tasks/host';
import { LogPermission, SessionLease } from '../tasks/session-lease';
import { ConfigPermission } from './group/config-permission';
import { ConnectorPlugins } from './running/connector-plugins';
import type { ForwardRequest } from './forwarding/forwarding';
import { OffsetLocks } from './offsets/offset-locks';
import { RequestQueue } from './queue/request-queue';
import type { ResolveConfig } from './resolve-config';
import { TickStage } from './queue/tick-stage';
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
  /** (Default: leaves placeholders) */
  readonly resolve?: ResolveConfig;
  /** Sends a request to another worker. (Default: without TLS settings) */
  readonly forward?: ForwardRequest;
  /** Called when a worker of the group sets a log level for all of them. (Default: ignored) */
  readonly onLoggerLevel?: (namespace: string, level: string) => void;
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
  };
}
