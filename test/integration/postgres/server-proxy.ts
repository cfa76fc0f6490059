/**
 * Proxy between a task and its server: counts the bytes sent by the server, can switch to another server, can drop
 * parameters of the startup packet, as connection poolers do, and can let others act just before a command arrives.
 */
import net, { type AddressInfo, type Socket } from 'node:net';
import { Transform } from 'node:stream';

export class ServerProxy {
  /** Bytes received from the server. */
  bytes = 0;
  /** Awaited once, before the next message of a client that contains `text` reaches the server. */
  before: { readonly text: string; act(): Promise<unknown> } | null = null;
  private readonly sockets = new Set<Socket>();
  /** By the connection to the server. */
  private readonly clients = new Map<Socket, Socket>();
  private readonly listener = net.createServer((client) => {
    const { hostname, port } = new URL(this.target);
    const server = net.createConnection({ host: hostname, port: Number(port || 5432), noDelay: true });
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) this.sockets.add(socket.on('error', end).on('close', end));
    this.clients.set(server, client);
    client.pipe(startup(this.dropped)).pipe(this.holding()).pipe(server);
    server.on('data', (chunk: Buffer) => (this.bytes += chunk.length)).pipe(client);
  });

  private holding(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _, done) => {
        const { before } = this;
        if (before === null || !chunk.includes(before.text)) {
          done(null, chunk);
          return;
        }
        this.before = null;
        before.act().then(
          () => done(null, chunk),
          (error: Error) => done(error),
        );
      },
    });
  }

  /** @param target URL of the server for new connections; may be changed */
  private constructor(
    public target: string,
    private readonly dropped: readonly string[],
  ) {}

  /** @param dropped parameters of the startup packet that the server does not receive */
  static async to(target: string, dropped: readonly string[] = []): Promise<ServerProxy> {
    const proxy = new ServerProxy(target, dropped);
    await new Promise<void>((resolve) => proxy.listener.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** Connector settings to connect through this proxy. */
  get address(): Record<string, string> {
    const { address, port } = this.listener.address() as AddressInfo;
    return { 'database.hostname': address, 'database.port': String(port) };
  }

  /** From now on, nothing passes on the connections that are open, as with a peer that is gone. */
  freeze(): void {
    for (const socket of this.sockets) {
      socket.unpipe();
      socket.removeAllListeners('data');
      socket.pause();
    }
  }

  /** Resets the connection that the server sees at `port`, as the host of a server does that has no such connection. */
  reset(port: number): void {
    for (const [server, client] of this.clients) if (server.localPort === port) client.resetAndDestroy();
  }

  /** Ends all connections. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.listener.close(resolve));
  }
}

const PROTOCOL_3 = 3 << 16;

/** Passes on what a client sends, without these parameters of its startup packet. */
function startup(dropped: readonly string[]): Transform {
  let held = Buffer.alloc(0);
  let isStarted = dropped.length === 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      if (isStarted) {
        done(null, chunk);
        return;
      }
      held = Buffer.concat([held, chunk]);
      // A request for TLS precedes it.
      while (!isStarted && held.length >= 8 && held.length >= held.readInt32BE(0)) {
        const packet = held.subarray(0, held.readInt32BE(0));
        held = held.subarray(packet.length);
        isStarted = packet.readInt32BE(4) === PROTOCOL_3;
        this.push(isStarted ? without(packet, dropped) : packet);
      }
      if (isStarted) this.push(held);
      done();
    },
  });
}

function without(packet: Buffer, dropped: readonly string[]): Buffer {
  const texts = packet.toString('utf8', 8, packet.length - 2).split('\0');
  const kept = texts.filter((_, i) => !dropped.includes(texts[i - (i % 2)] as string));
  const body = Buffer.from(`${kept.join('\0')}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + body.length, 0);
  head.writeInt32BE(PROTOCOL_3, 4);
  return Buffer.concat([head, body]);
}
