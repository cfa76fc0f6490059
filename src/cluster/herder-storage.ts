/** The worker's storage topics. Source: connect-runtime §1. */
import type { WorkerConfig } from '../config/worker-config';
import type { Admin, KafkaClients, SendPermission } from '../kafka/port';
import type { Logger } from '../logging/logger';
import type { ChangePermission } from '../storage/config/change-permission';
import type { ConfigEvent } from '../storage/config/config-state';
import { ConfigStore, type OnConfigDelta } from '../storage/config/config-store';
import { KafkaCompactedLog } from '../storage/log/kafka-compacted-log';
import { TransactionalWriter } from '../storage/log/transactional-writer';
import { OffsetStore } from '../storage/offsets/offset-store';
import { StatusStore, type OnStatus } from '../storage/status/status-store';
import { storageTopic } from '../storage/log/storage-topic';

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
