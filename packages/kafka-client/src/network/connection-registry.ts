/** The connections to all brokers, by address and lane: opens, reuses and closes them, and backs off after failures. */
import { startInterval, sleep, backoffMs, type Logger } from '@millrace/sdk';
import type { NetworkMetrics } from '../client-metrics';
import { addressText, type ConnectionSettings, type HostAndPort } from './client-config';
import { KafkaError } from '../errors';
import { KafkaConnection } from './kafkajs-connection';

export const MAIN_LANE = '';
/** Idle connections are looked for so often; ten times as often as they expire, within bounds. */
const IDLE_CHECK_MS = [10_000, 60_000] as const;

/** The connections to one address, by lane, and its connection failures. */
export interface Peer {
  readonly address: HostAndPort;
  readonly open: Map<string, KafkaConnection>;
  readonly opening: Map<string, Promise<KafkaConnection>>;
  failures: number;
  retryAt: number;
}

export class ConnectionRegistry {
  private readonly peers = new Map<string, Peer>();
  private readonly abort = new AbortController();
  /** Aborted by `close`. */
  readonly closing: AbortSignal = this.abort.signal;
  private readonly idleTimer: NodeJS.Timeout;

  constructor(
    private readonly settings: ConnectionSettings,
    private readonly logger: Logger,
    private readonly metrics?: NetworkMetrics,
  ) {
    const [least, most] = IDLE_CHECK_MS;
    const { connectionsMaxIdleMs } = settings;
    const everyMs = connectionsMaxIdleMs > 0 ? Math.min(most, Math.max(least, connectionsMaxIdleMs / 10)) : most;
    this.idleTimer = startInterval(() => this.closeIdle(), everyMs).unref();
  }

  /** Connected nodes first, then those without connection failures. */
  preferred<T extends HostAndPort>(nodes: readonly T[]): T[] {
    const rank = (node: T): number => {
      const peer = this.peers.get(addressText(node));
      if (peer?.open.get(MAIN_LANE)?.usable === true) return 0;
      return peer === undefined || peer.failures === 0 ? 1 : 1 + peer.failures;
    };
    return shuffled(nodes).sort((a, b) => rank(a) - rank(b));
  }

  peer(address: HostAndPort): Peer {
    const key = addressText(address);
    let peer = this.peers.get(key);
    if (peer === undefined) {
      const { host, port } = address;
      peer = { address: { host, port }, open: new Map(), opening: new Map(), failures: 0, retryAt: 0 };
      this.peers.set(key, peer);
    }
    return peer;
  }

  /** Opens a connection unless one is usable. Concurrent calls share it. */
  get(peer: Peer, lane: string): Promise<KafkaConnection> {
    const open = peer.open.get(lane);
    if (open?.usable === true) return Promise.resolve(open);
    let opening = peer.opening.get(lane);
    if (opening === undefined) {
      opening = this.open(peer, lane).finally(() => peer.opening.delete(lane));
      peer.opening.set(lane, opening);
    }
    return opening;
  }

  private async open(peer: Peer, lane: string): Promise<KafkaConnection> {
    this.failIfClosed();
    const wait = peer.retryAt - performance.now();
    if (wait > 0) await sleep(wait, this.closing);
    this.failIfClosed();
    const connection = new KafkaConnection(peer.address, this.settings, this.metrics);
    const abort = (): void => connection.fail(closedError());
    this.closing.addEventListener('abort', abort, { once: true });
    try {
      await connection.open();
    } catch (error) {
      peer.failures++;
      if (!this.closing.aborted) this.logFailure(peer, error as KafkaError);
      const { reconnectBackoffMs, reconnectBackoffMaxMs } = this.settings;
      peer.retryAt =
        performance.now() + backoffMs(peer.failures, { firstMs: reconnectBackoffMs, maxMs: reconnectBackoffMaxMs });
      throw error;
    } finally {
      this.closing.removeEventListener('abort', abort);
    }
    this.failIfClosed(connection);
    if (this.peers.get(addressText(peer.address)) !== peer) {
      const error = new KafkaError('CONNECTION_FAILED', 'The Kafka broker left the cluster', {
        retriable: true,
      });
      connection.fail(error);
      throw error;
    }
    if (peer.failures > 0) this.logger.info(`Kafka broker ${addressText(peer.address)} is reachable again`);
    peer.failures = 0;
    peer.open.set(lane, connection);
    return connection;
  }

  /** Warns once per outage; later attempts are logged at debug level. */
  private logFailure(peer: Peer, error: KafkaError): void {
    const level = peer.failures === 1 ? 'warn' : 'debug';
    this.logger[level](`${error.message} (client '${this.settings.clientId}')`);
  }

  /** Throws KafkaError ABORTED. */
  failIfClosed(opened?: KafkaConnection): void {
    if (!this.closing.aborted) return;
    opened?.fail(closedError());
    throw closedError();
  }

  private closeIdle(): void {
    const oldest = performance.now() - this.settings.connectionsMaxIdleMs;
    for (const peer of this.peers.values()) {
      for (const [lane, connection] of peer.open) {
        const expired = this.settings.connectionsMaxIdleMs > 0 && connection.idle && connection.lastUsedAt < oldest;
        if (connection.usable && !expired) continue;
        peer.open.delete(lane);
        connection.fail(new KafkaError('CONNECTION_FAILED', 'The idle connection was closed', { retriable: true }));
      }
    }
  }

  /** Closes connections to brokers that left the cluster or moved, and idle ones to bootstrap addresses. */
  closeMoved(nodes: readonly HostAndPort[]): void {
    const current = new Set(nodes.map(addressText));
    const bootstrap = new Set(this.settings.bootstrapServers.map(addressText));
    for (const [key, peer] of this.peers) {
      if (current.has(key)) continue;
      if (!bootstrap.has(key)) this.peers.delete(key);
      const error = new KafkaError('CONNECTION_FAILED', `Kafka broker ${key} left the cluster`, { retriable: true });
      for (const [lane, connection] of peer.open) {
        if (bootstrap.has(key) && !connection.idle) continue;
        peer.open.delete(lane);
        connection.fail(error);
      }
    }
  }

  close(): void {
    clearInterval(this.idleTimer);
    this.abort.abort();
    for (const peer of this.peers.values()) {
      for (const connection of peer.open.values()) connection.fail(closedError());
      peer.open.clear();
    }
  }
}

function closedError(): KafkaError {
  return new KafkaError('ABORTED', 'The Kafka client is closed');
}

export function shuffled<T>(items: readonly T[]): T[] {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
}
