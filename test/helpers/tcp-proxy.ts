/**
 * A TCP proxy that can cut and delay connections. Brokers advertise their own address, so clients of this process are
 * redirected by replacing `net.connect`, not by configuration.
 */
import net, { type AddressInfo, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Connections made so far. */
  readonly connections: number;
  /** Ends all connections at once, in the middle of any request. */
  cutAll(): void;
  /** Each current connection is cut instead of delivering its next answer: the broker has processed the request. */
  loseNextAnswers(): void;
  readonly lostAnswers: number;
  /** From now on no data passes, in either direction; connections stay open and new ones are accepted. */
  stall(): void;
  /**
   * Ends `stall`. Delayed data is delivered, including requests of connections that the client has closed meanwhile:
   * they arrive after their retries.
   */
  flow(): void;
  /** A new connection is cut after this many bytes from the client, usually in the middle of a request. */
  cutAfter: number | null;
  /** Until then `net.connect` to the target is redirected here. */
  close(): Promise<void>;
}

/** @param target `host:port` of a broker. */
export async function proxyTo(target: string): Promise<TcpProxy> {
  const at = target.lastIndexOf(':');
  const host = target.slice(0, at);
  const port = Number(target.slice(at + 1));
  const pairs = new Set<{ client: Socket; server: Socket; losing: boolean }>();
  let connections = 0;
  let lostAnswers = 0;
  let stalled = false;

  const listener = net.createServer((client) => {
    connections++;
    const server = net.createConnection({ host, port, noDelay: true });
    const pair = { client, server, losing: false };
    pairs.add(pair);
    let budget = proxy.cutAfter;
    const end = (): void => {
      client.destroy();
      server.destroy();
      pairs.delete(pair);
    };
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
    if (stalled) for (const socket of [client, server]) socket.pause();
    client.on('data', (chunk: Buffer) => {
      if (budget !== null && (budget -= chunk.length) < 0) return end();
      server.write(chunk);
    });
    server.on('data', (chunk: Buffer) => {
      if (!pair.losing) return client.write(chunk);
      lostAnswers++;
      end();
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const own = (listener.address() as AddressInfo).port;

  const direct = net.connect;
  net.connect = ((options: net.NetConnectOpts, ...rest: never[]) => {
    const through =
      (options as net.TcpNetConnectOpts).port === port ? { ...options, host: '127.0.0.1', port: own } : options;
    return direct(through, ...rest);
  }) as typeof net.connect;

  const proxy: TcpProxy = {
    port: own,
    get connections() {
      return connections;
    },
    get lostAnswers() {
      return lostAnswers;
    },
    cutAfter: null,
    loseNextAnswers() {
      for (const pair of pairs) pair.losing = true;
    },
    stall() {
      stalled = true;
      for (const { client, server } of pairs) for (const socket of [client, server]) socket.pause();
    },
    flow() {
      stalled = false;
      // Newest first: an abandoned request arrives after its retry.
      for (const { client, server } of [...pairs].reverse()) for (const socket of [client, server]) socket.resume();
    },
    cutAll() {
      for (const { client, server } of [...pairs]) {
        client.destroy();
        server.destroy();
      }
    },
    async close() {
      net.connect = direct;
      proxy.cutAll();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
  return proxy;
}
