/** Proxy between a task and its server: counts the bytes sent by the server and can switch to another server. */
import net, { type AddressInfo, type Socket } from 'node:net';

export class ServerProxy {
  /** Bytes received from the server. */
  bytes = 0;
  private readonly sockets = new Set<Socket>();
  private readonly listener = net.createServer((client) => {
    const { hostname, port } = new URL(this.target);
    const server = net.createConnection({ host: hostname, port: Number(port || 5432), noDelay: true });
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) this.sockets.add(socket.on('error', end).on('close', end));
    client.pipe(server);
    server.on('data', (chunk: Buffer) => (this.bytes += chunk.length)).pipe(client);
  });

  /** @param target URL of the server for new connections; may be changed */
  private constructor(public target: string) {}

  static async to(target: string): Promise<ServerProxy> {
    const proxy = new ServerProxy(target);
    await new Promise<void>((resolve) => proxy.listener.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** Connector settings to connect through this proxy. */
  get address(): Record<string, string> {
    const { address, port } = this.listener.address() as AddressInfo;
    return { 'database.hostname': address, 'database.port': String(port) };
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.listener.close(resolve));
  }
}
