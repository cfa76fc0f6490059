/**
 * The offsets of each connector: in the worker's topic, or in that and the connector's own (`offsets.storage.topic`).
 * An own topic is opened on first use and shared by all connectors with the same topic and client settings. Source:
 * connect-runtime §1.5.4.
 */
import { ConnectError, type ConnectorConfig, type SourceOffset, type SourcePartition, startTimer } from '@millrace/sdk';
import { SOURCE_KEYS } from '../../config/connector-config';
import { replacedWarning } from '../../config/forced-settings';
import { readKey } from '../../config/framework-key';
import type { WorkerConfig } from '../../config/worker-config';
import { clientsOf } from '../../kafka-clients';
import type { Admin, KafkaClients, SendPermission } from '@millrace/kafka-client';
import type { Logger } from '../../logging/logger';
import type { ConfigSnapshot } from '../../storage/config/config-snapshot';
import type { JsonObject } from '../../storage/connect-json';
import { KafkaCompactedLog } from '../../storage/log/kafka-compacted-log';
import { LayeredOffsets } from '../../storage/offsets/layered-offsets';
import type { PartitionOrder } from '../../storage/offsets/offset-keys';
import {
  OffsetStore,
  type SourceOffsets,
  type TransactionalOffsets,
  type WrittenOffset,
} from '../../storage/offsets/offset-store';
import { connectorOffsetsTopic } from '../../storage/log/storage-topic';
import {
  offsetClientConfigs,
  type OffsetClientConfigs,
  type WorkerClientSettings,
} from '../../tasks/clients/client-configs';
import type { OffsetRecords } from '../../tasks/host';
import type { ResolveConfig } from '../resolve-config';

/** A connector's own topic is closed after this long without use. Milliseconds. */
const IDLE_MS = 600_000;

export interface OffsetStoresOptions {
  /** The worker's store; the caller starts and stops it. */
  readonly shared: OffsetStore;
  readonly clients: KafkaClients;
  readonly worker: WorkerClientSettings & Pick<WorkerConfig, 'offset' | 'exactlyOnceSourceSupport'>;
  readonly snapshot: () => ConfigSnapshot;
  readonly resolve: ResolveConfig;
  /** Permission to write to connectors' own topics. (Default: always) */
  readonly permission?: SendPermission;
  readonly logger: Logger;
  /** (Default: 10 minutes) */
  readonly idleMs?: number;
}

interface OwnTopic {
  readonly store: OffsetStore;
  readonly admin: Admin;
  readonly logger: Logger;
  /** Rejects when the topic cannot be used. */
  readonly started: Promise<void>;
  uses: number;
  timer: NodeJS.Timeout | undefined;
}

/** The location of a connector's offsets, by its config. */
interface Location {
  /** As stored: a different object means a different config. */
  readonly raw: ConnectorConfig;
  /** Null: the worker's topic alone. */
  readonly own: { readonly topic: string; readonly clients: OffsetClientConfigs; readonly key: string } | null;
}

export class OffsetStores implements SourceOffsets {
  private readonly topics = new Map<string, OwnTopic>();
  private readonly locations = new Map<string, Location>();
  /** By the configs that exactly-once tasks were started with. */
  private readonly given = new WeakMap<ConnectorConfig, Location['own']>();
  private readonly orders = new Map<string, PartitionOrder>();
  private closed = false;

  constructor(private readonly options: OffsetStoresOptions) {}

  setPartitionOrder(connector: string, order: PartitionOrder): void {
    this.orders.set(connector, order);
    this.options.shared.setPartitionOrder(connector, order);
  }

  /** Ensures that the connector's offsets are accessible. */
  async open(connector: string): Promise<void> {
    await this.use(connector, async () => undefined);
  }

  async read(
    connector: string,
    partitions: readonly SourcePartition[],
    config?: ConnectorConfig,
  ): Promise<(SourceOffset | null)[]> {
    return await this.use(connector, async (offsets) => await offsets.read(connector, partitions), config);
  }

  async list(connector: string): Promise<[JsonObject, JsonObject | null][]> {
    return await this.use(connector, async (offsets) => await offsets.list(connector));
  }

  async write(connector: string, offsets: readonly WrittenOffset[]): Promise<void> {
    await this.use(connector, async (stores) => await stores.write(connector, offsets));
  }

  async encode(connector: string, offsets: readonly WrittenOffset[], config?: ConnectorConfig): Promise<OffsetRecords> {
    const encode = async (stores: TransactionalOffsets, topic: string): Promise<OffsetRecords> => ({
      topic,
      records: await stores.encode(connector, offsets),
    });
    return await this.use(connector, encode, config);
  }

  async copy(connector: string, offsets: readonly WrittenOffset[], config?: ConnectorConfig): Promise<void> {
    await this.use(connector, async (stores) => stores.copy(connector, offsets), config);
  }

  async flush(): Promise<void> {
    const own = [...this.topics.values()].map(async ({ store }) => await store.flush());
    await Promise.all([this.options.shared.flush(), ...own]);
  }

  /** Closes the connectors' own topics; the worker's stays open. */
  async stop(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.topics.keys()].map(async (key) => await this.close(key)));
  }

  private async use<T>(
    connector: string,
    run: (offsets: TransactionalOffsets, topic: string) => Promise<T>,
    config?: ConnectorConfig,
  ): Promise<T> {
    const { shared, worker, logger } = this.options;
    const own = config ? this.locationIn(connector, config) : await this.locationOf(connector);
    if (own === null) return await run(shared, worker.offset.topic);
    if (this.closed)
      throw new ConnectError(`The offsets topic '${own.topic}' is closed because the worker is stopping.`, {
        code: 'STORAGE_CLOSED',
      });
    const topic = this.topics.get(own.key) ?? this.openTopic(connector, own);
    topic.uses++;
    clearTimeout(topic.timer);
    try {
      await topic.started;
      const layered = new LayeredOffsets(topic.store, shared, logger);
      const order = this.orders.get(connector);
      if (order) layered.setPartitionOrder(connector, order);
      return await run(layered, own.topic);
    } finally {
      topic.uses--;
      if (topic.uses === 0 && this.topics.get(own.key) === topic) this.closeLater(own.key, topic);
    }
  }

  private async locationOf(connector: string): Promise<Location['own']> {
    const raw = this.options.snapshot().connectorConfig(connector);
    const known = this.locations.get(connector);
    // The tasks of a deleted connector store their last offsets in the same place as before.
    if (raw === null || known?.raw === raw) return known?.own ?? null;
    const own = this.hasOwnPlace(raw) ? this.findLocation(connector, await this.options.resolve(raw, connector)) : null;
    this.locations.set(connector, { raw, own });
    return own;
  }

  /** By a resolved config. */
  private locationIn(connector: string, config: ConnectorConfig): Location['own'] {
    const known = this.given.get(config);
    if (known !== undefined) return known;
    const own = this.hasOwnPlace(config) ? this.findLocation(connector, config) : null;
    this.given.set(config, own);
    return own;
  }

  private hasOwnPlace(config: ConnectorConfig): boolean {
    // A transaction cannot span clusters: offsets are on the one that the records are written to.
    const followsRecords = this.isExactlyOnce && config['producer.override.bootstrap.servers'] !== undefined;
    return readKey(SOURCE_KEYS.offsetsTopic, config) !== null || followsRecords;
  }

  private findLocation(connector: string, config: ConnectorConfig): Location['own'] {
    const { worker } = this.options;
    const topic = readKey(SOURCE_KEYS.offsetsTopic, config) ?? worker.offset.topic;
    const clients = offsetClientConfigs(worker, connector, config);
    const here = servers(worker.client('worker')['bootstrap.servers']);
    if (topic === worker.offset.topic && servers(clients.producer['bootstrap.servers']) === here) return null;
    // The same client settings apart from `client.id` share a topic.
    const key = JSON.stringify([topic, clients], (name, value: unknown) => (name === 'client.id' ? undefined : value));
    return { topic, clients, key };
  }

  private get isExactlyOnce(): boolean {
    return this.options.worker.exactlyOnceSourceSupport === 'enabled';
  }

  private openTopic(connector: string, { topic, clients, key }: NonNullable<Location['own']>): OwnTopic {
    const { worker, logger } = this.options;
    const named = logger.child({ connector });
    const created = clientsOf(this.options.clients, connector);
    const admin = created.admin(clients.admin);
    const whose = "source connectors' offset consumers when exactly-once source support is enabled";
    const replaced = replacedWarning(clients.consumer['isolation.level'], 'isolation.level', 'read_committed', whose);
    if (this.isExactlyOnce && replaced !== null) named.warn(replaced);
    const log = new KafkaCompactedLog({
      topic: connectorOffsetsTopic(topic, worker.offset),
      clients: created,
      admin,
      client: {},
      clientId: `connector-offsets-${connector}`,
      producer: clients.producer,
      consumer: clients.consumer,
      isolation: this.isExactlyOnce ? 'read_committed' : undefined,
      startsCommitted: this.isExactlyOnce,
      permission: this.options.permission,
      logger: named,
    });
    const store = new OffsetStore(log, named);
    named.info(`Storing the offsets of connector ${connector} in its own topic '${topic}'`);
    const opened: OwnTopic = { store, admin, logger: named, started: store.start(), uses: 0, timer: undefined };
    this.topics.set(key, opened);
    // The next use retries.
    opened.started.catch(async () => await this.close(key));
    return opened;
  }

  private closeLater(key: string, topic: OwnTopic): void {
    topic.timer = startTimer(() => void this.close(key), this.options.idleMs ?? IDLE_MS);
    topic.timer.unref();
  }

  private async close(key: string): Promise<void> {
    const topic = this.topics.get(key);
    if (!topic) return;
    this.topics.delete(key);
    clearTimeout(topic.timer);
    await topic.started.catch(() => undefined);
    await topic.store.stop().catch((error: unknown) => topic.logger.warn('Cannot close an offsets topic', { error }));
    await topic.admin.close();
  }
}

function servers(list = ''): string {
  return [...new Set(list.split(',').map((server) => server.trim()))].sort().join();
}
