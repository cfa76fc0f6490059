/**
 * The network layer of every client: bootstrap and failover, metadata, version negotiation, coordinators. Source:
 * kafka-client §1.
 */
import type { Api } from '@millrace/kafka-protocol';
import { startInterval, sleep, backoffMs, type Logger } from '@millrace/sdk';
import type { NetworkMetrics } from '../client-metrics';
import { addressText, readConnectionSettings, type ConnectionSettings } from './client-config';
import { KafkaError } from '../errors';
import { ConnectionRegistry, MAIN_LANE, shuffled, type Peer } from './connection-registry';
import type { KafkaConnection } from './kafkajs-connection';
import type { ClientConfig, TopicPartition } from '../port';
import type { TokenUrls } from '../security/sasl-config';
import { FIND_COORDINATOR, findCoordinatorRequest } from '../protocol/find-coordinator';
import { METADATA, metadataRequest, type MetadataResponse } from '../protocol/metadata';
import { protocolError } from '../protocol/protocol-error';
import type { ReachableClusters } from './reachable-clusters';
import { TopicMetadata, type KnownNode } from './topic-metadata';
import type { Wire, WirePartition, WireRequest } from '../wire';

class NetworkClient implements Wire {
  readonly clientId: string;
  private readonly metadata = new TopicMetadata();
  private readonly connections: ConnectionRegistry;
  private readonly coordinators = new Map<string, number>();
  private readonly metadataTimer: NodeJS.Timeout;
  private refreshing: Promise<void> | null = null;
  private refreshNext: Promise<void> | null = null;
  private topicsToRefresh = new Set<string>();
  private allowAutoCreate = false;
  private connecting: Promise<void> | null = null;

  constructor(
    private readonly settings: ConnectionSettings,
    private readonly logger: Logger,
    metrics?: NetworkMetrics,
    /** What `connect` does, given the function that asks the cluster. */
    private readonly connectVia: (bootstrap: () => Promise<void>) => Promise<void> = async (bootstrap) =>
      await bootstrap(),
  ) {
    this.clientId = settings.clientId;
    this.connections = new ConnectionRegistry(settings, logger, metrics);
    this.metadataTimer = startInterval(() => this.refreshExpired(), Math.max(settings.metadataMaxAgeMs, 1_000)).unref();
  }

  connect(): Promise<void> {
    return this.connectVia(() => this.bootstrapped());
  }

  private bootstrapped(): Promise<void> {
    this.connecting ??= this.bootstrap().catch((error: unknown) => {
      this.connecting = null;
      throw error;
    });
    return this.connecting;
  }

  private async bootstrap(): Promise<void> {
    const deadline = performance.now() + this.settings.connectTimeoutMs;
    for (let round = 1; ; round++) {
      try {
        return await this.loadMetadata([]);
      } catch (error) {
        const { retriable } = error as KafkaError;
        const wait = backoffMs(round, {
          firstMs: this.settings.reconnectBackoffMs,
          maxMs: this.settings.reconnectBackoffMaxMs,
        });
        if (!retriable || this.connections.closing.aborted || performance.now() + wait > deadline) throw error;
        await sleep(wait, this.connections.closing);
      }
    }
  }

  // ------------------------------------------------------------ metadata

  async partitions(topic: string, options: { allowAutoCreate?: boolean } = {}): Promise<readonly WirePartition[]> {
    const known = this.metadata.partitions(topic);
    if (known !== undefined) return known;
    if (options.allowAutoCreate === true) await this.loadMetadata([topic], true);
    else await this.refresh([topic]);
    const found = this.metadata.partitions(topic);
    if (found === undefined) throw this.metadata.failure(topic);
    return found;
  }

  cachedPartitions(topic: string): readonly WirePartition[] | undefined {
    return this.metadata.partitions(topic);
  }

  leader(tp: TopicPartition): number | undefined {
    const leader = this.metadata.leader(tp.topic, tp.partition)?.leader;
    return leader === undefined || leader < 0 ? undefined : leader;
  }

  /** A call during a request shares the next request with other such calls: it needs a newer response. */
  refresh(
    topics: readonly string[] = this.metadata.names(),
    { allowAutoCreate = false }: { allowAutoCreate?: boolean } = {},
  ): Promise<void> {
    for (const topic of topics) this.topicsToRefresh.add(topic);
    if (allowAutoCreate) this.allowAutoCreate = true;
    if (this.refreshing === null) return this.startRefresh();
    this.refreshNext ??= this.refreshing.catch(() => undefined).then(() => this.startRefresh());
    return this.refreshNext;
  }

  private startRefresh(): Promise<void> {
    this.refreshNext = null;
    const topics = [...this.topicsToRefresh];
    const mayCreate = this.allowAutoCreate;
    this.topicsToRefresh = new Set();
    this.allowAutoCreate = false;
    const running = this.loadMetadata(topics, mayCreate).finally(() => {
      if (this.refreshing === running) this.refreshing = null;
    });
    this.refreshing = running;
    return running;
  }

  /** A client without topics needs the addresses of the brokers. */
  private refreshExpired(): void {
    if (this.metadata.nodes().length > 0) this.refreshInBackground();
  }

  private refreshInBackground(): void {
    this.refresh().catch((error: Error) => this.logger.debug(`Refreshing metadata failed: ${error.message}`));
  }

  private async loadMetadata(topics: readonly string[], allowAutoCreate = false): Promise<void> {
    for (const topic of this.metadata.apply(await this.requestMetadata(topics, allowAutoCreate)))
      this.logger.info(`Kafka no longer knows topic '${topic}'; it may have been deleted`, {
        client: this.clientId,
      });
    this.connections.closeMoved(this.metadata.nodes());
  }

  private requestMetadata(topics: readonly string[] | null, allowAutoCreate = false): Promise<MetadataResponse> {
    return this.sendToAnyBroker(METADATA, (version) => metadataRequest(version, topics, allowAutoCreate));
  }

  async allTopics(): Promise<string[]> {
    const response = await this.requestMetadata(null);
    return response.topics.filter((topic) => topic.errorCode === 0 && !topic.internal).map((topic) => topic.name);
  }

  async clusterId(): Promise<string | null> {
    if (this.metadata.nodes().length === 0) await this.loadMetadata([]);
    return this.metadata.clusterId;
  }

  nodes(): readonly KnownNode[] {
    return this.metadata.nodes();
  }

  // ------------------------------------------------------------ nodes

  async anyNode(): Promise<number> {
    if (this.metadata.nodes().length === 0) await this.bootstrapped();
    const failures: KafkaError[] = [];
    for (const node of this.connections.preferred(this.metadata.nodes())) {
      try {
        await this.connections.get(this.connections.peer(node), MAIN_LANE);
        return node.id;
      } catch (error) {
        failures.push(error as KafkaError);
      }
    }
    // No known broker responds: the bootstrap servers may know others.
    await this.loadMetadata([]);
    const [node] = this.connections.preferred(this.metadata.nodes());
    if (node === undefined) throw this.unreachable(failures);
    return node.id;
  }

  async controller(): Promise<number> {
    await this.loadMetadata([]);
    if (this.metadata.controllerId >= 0) return this.metadata.controllerId;
    return this.anyNode();
  }

  async coordinator(type: 'group' | 'transaction', key: string): Promise<number> {
    const cacheKey = `${type}:${key}`;
    const known = this.coordinators.get(cacheKey);
    if (known !== undefined) return known;
    if (this.metadata.nodes().length === 0) await this.bootstrapped();
    const found = await this.sendToAnyBroker(FIND_COORDINATOR, (version) => findCoordinatorRequest(version, type, key));
    if (found.errorCode !== 0) {
      const whose = type === 'group' ? `group '${key}'` : `transactional.id '${key}'`;
      throw protocolError(found.errorCode, `find the coordinator of ${whose}`, { detail: found.errorMessage });
    }
    if (this.metadata.place({ id: found.nodeId, host: found.host, port: found.port })) {
      // Others may have moved, too, for instance to where this broker was.
      this.refreshInBackground();
    }
    this.coordinators.set(cacheKey, found.nodeId);
    return found.nodeId;
  }

  forgetCoordinator(type: 'group' | 'transaction', key: string): void {
    this.coordinators.delete(`${type}:${key}`);
  }

  async version(nodeId: number, apiKey: number, min: number, max: number): Promise<number | undefined> {
    return commonVersion(await this.connectionTo(nodeId, MAIN_LANE), apiKey, min, max);
  }

  send<T>(nodeId: number, request: WireRequest<T>, lane = MAIN_LANE): Promise<T> {
    const node = this.metadata.node(nodeId);
    const open = node === undefined ? undefined : this.connections.peer(node).open.get(lane);
    if (open?.usable === true) return open.request(request);
    return this.connectionTo(nodeId, lane).then((connection) => connection.request(request));
  }

  private async connectionTo(nodeId: number, lane: string): Promise<KafkaConnection> {
    try {
      return await this.connections.get(this.peerOf(nodeId), lane);
    } catch (error) {
      // The broker may have another address now. Callers that retry find it there.
      if ((error as KafkaError).retriable && this.refreshing === null) this.refreshInBackground();
      throw error;
    }
  }

  /** Tries one broker after another, connected ones first, then the bootstrap servers. */
  private async sendToAnyBroker<T>(api: Api, build: (version: number) => WireRequest<T>): Promise<T> {
    const [lowest, highest] = api.versions;
    const failures: KafkaError[] = [];
    const known = this.connections.preferred(this.metadata.nodes()).map((node) => this.connections.peer(node));
    const bootstrap = shuffled(this.settings.bootstrapServers).map((address) => this.connections.peer(address));
    for (const peer of new Set([...known, ...bootstrap])) {
      try {
        const connection = await this.connections.get(peer, MAIN_LANE);
        const version = commonVersion(connection, api.key, lowest, highest);
        if (version === undefined) {
          const text = `Kafka broker ${addressText(peer.address)} has no ${api.name} between v${lowest} and v${highest}`;
          throw new KafkaError('UNSUPPORTED_VERSION_CLIENT', text);
        }
        return await connection.request(build(version));
      } catch (error) {
        this.connections.failIfClosed();
        // Every broker rejects wrong credentials or certificates; trying them on all may lock the account.
        if (!(error instanceof KafkaError) || !error.retriable) throw error;
        failures.push(error);
      }
    }
    throw this.unreachable(failures);
  }

  private unreachable(failures: readonly KafkaError[]): KafkaError {
    const servers = this.settings.bootstrapServers.map(addressText).join(',');
    const reason = failures.at(-1)?.message ?? 'no broker is known';
    return new KafkaError(
      'CONNECTION_FAILED',
      `No Kafka broker can be reached (bootstrap.servers ${servers}): ${reason}`,
      {
        retriable: true,
        cause: failures.at(-1),
      },
    );
  }

  private peerOf(nodeId: number): Peer {
    const node = this.metadata.node(nodeId);
    if (node !== undefined) return this.connections.peer(node);
    throw new KafkaError('CONNECTION_FAILED', `Kafka broker ${nodeId} is unknown`, {
      retriable: true,
    });
  }

  close(): Promise<void> {
    clearInterval(this.metadataTimer);
    this.connections.close();
    return Promise.resolve();
  }
}

export interface WireOptions {
  readonly logger?: Logger;
  readonly tokenUrls?: TokenUrls;
  /** Where requests are counted. (Default: nowhere) */
  readonly metrics?: NetworkMetrics;
  /** `connect` asks no cluster that has just answered another client with these settings. (Default: it does) */
  readonly reachable?: ReachableClusters;
}

const ignore = (): void => undefined;
const SILENT: Logger = { error: ignore, warn: ignore, info: ignore, debug: ignore, trace: ignore };

/** Does not connect yet, see `connect`. Throws KafkaError INVALID_CLIENT_CONFIG. */
export function createWire(config: ClientConfig, options: WireOptions = {}): Wire {
  const { logger = SILENT, tokenUrls, metrics, reachable } = options;
  const connectVia = reachable && (async (ask: () => Promise<void>) => await reachable.connected(config, ask));
  return new NetworkClient(readConnectionSettings(config, tokenUrls), logger, metrics, connectVia);
}

function commonVersion(connection: KafkaConnection, apiKey: number, min: number, max: number): number | undefined {
  const range = connection.brokerVersions.get(apiKey);
  if (range === undefined) return undefined;
  const best = Math.min(max, range.maxVersion);
  return best >= min && best >= range.minVersion ? best : undefined;
}
