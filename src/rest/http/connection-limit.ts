/**
 * Bounds the connections of a listener, and those of each client below that, so that one host does not exclude the
 * others. When there is no room, the connection that has been idle for longest is closed: first one of the same client,
 * then one of the client with most connections. If none is idle, the new one is closed.
 */
import type { Socket } from 'node:net';
import type { RestMetrics } from '../../metrics/rest-metrics';
import { clientAddress } from './client-address';
import type { RareWarnings } from './rare-warnings';

interface Connection {
  readonly socket: Pick<Socket, 'destroy'>;
  readonly client: string;
  /** Requests that are not answered. A connection without any is idle, even if it has sent part of a head. */
  requests: number;
}

/** The sockets of a connection with and without TLS have the same. */
type Endpoint = Pick<Socket, 'remoteAddress' | 'remotePort'>;

const keyOf = ({ remoteAddress = '', remotePort = 0 }: Endpoint): string => `${remoteAddress} ${remotePort}`;

export class ConnectionLimit {
  /** The one that has been idle for longest first. */
  private readonly connections = new Map<string, Connection>();
  /** Number of connections by client. */
  private readonly clients = new Map<string, number>();
  private readonly maxOfClient: number;

  /** @param max of all; a client may have half as many */
  constructor(
    private readonly max: number,
    private readonly metrics: RestMetrics,
    private readonly warnings: RareWarnings,
  ) {
    this.maxOfClient = Math.ceil(max / 2);
  }

  /** Listener for new connections, before TLS. */
  add(socket: Socket): void {
    const client = clientAddress(socket.remoteAddress);
    // Closed by the client already.
    if (client === '') return;
    if (!this.makeRoom(client)) {
      this.metrics.dropped.refused++;
      socket.destroy();
      return;
    }
    const key = keyOf(socket);
    // Closed, but not reported yet: its port is in use again.
    const earlier = this.connections.get(key);
    if (earlier) this.remove(key, earlier.socket);
    this.connections.set(key, { socket, client, requests: 0 });
    this.clients.set(client, this.countOf(client) + 1);
    this.metrics.connections++;
    socket.once('close', () => this.remove(key, socket));
  }

  /** Returns a function to call when the request is answered. */
  began(endpoint: Endpoint): () => void {
    const key = keyOf(endpoint);
    const connection = this.connections.get(key);
    if (!connection) return () => undefined;
    connection.requests++;
    return () => {
      connection.requests--;
      if (this.connections.get(key) !== connection) return;
      this.connections.delete(key);
      this.connections.set(key, connection);
    };
  }

  private countOf(client: string): number {
    return this.clients.get(client) ?? 0;
  }

  private makeRoom(client: string): boolean {
    const ofClient = this.countOf(client);
    if (ofClient >= this.maxOfClient) {
      this.warn(client, `${client} has half of`);
      return this.closeIdle(client);
    }
    if (this.connections.size < this.max) return true;
    const [largest = client] = [...this.clients].reduce((a, b) => (b[1] > a[1] ? b : a), [client, ofClient]);
    this.warn('', 'clients have all of');
    return this.closeIdle(largest) || this.closeIdle(null);
  }

  /** @param client null: of any */
  private closeIdle(client: string | null): boolean {
    for (const [key, { socket, client: owner, requests }] of this.connections) {
      if (requests > 0 || (client !== null && owner !== client)) continue;
      this.metrics.dropped.idle++;
      this.remove(key, socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  private remove(key: string, socket: Connection['socket']): void {
    const connection = this.connections.get(key);
    if (connection?.socket !== socket) return;
    this.connections.delete(key);
    const left = this.countOf(connection.client) - 1;
    if (left > 0) this.clients.set(connection.client, left);
    else this.clients.delete(connection.client);
    this.metrics.connections--;
  }

  private warn(client: string, problem: string): void {
    this.warnings.report(
      client,
      () =>
        `REST: ${problem} rest.connections.max (${this.max}), its limit: for each new connection the one that has been ` +
        'idle for longest is closed, or the new one while none is idle',
    );
  }
}
