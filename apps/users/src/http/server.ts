import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How long requests may take to end when the server is asked to stop. */
const STOP_MS = 10_000;

const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than a load balancer's idle time (60 s mostly): the side that speaks first must be the one that hangs up.
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
  connectionsCheckingInterval: 5_000,
};
const MAX_CONNECTIONS = 10_000;

export interface RunningServer {
  readonly port: number;
  /**
   * Takes no new connections, lets requests that are being answered end, and resolves when all connections are closed.
   */
  stop(): Promise<void>;
}

/** Resolves when the port is open. Rejects when it cannot be. */
export async function startServer(listener: RequestListener, host: string, port: number): Promise<RunningServer> {
  const server = createServer(LIMITS, listener);
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const open = new Set<ServerResponse>();
  server.prependListener('request', (_req, res) => {
    open.add(res);
    res.once('close', () => open.delete(res));
  });
  return { port: (server.address() as AddressInfo).port, stop: () => stop(server, open) };
}

/**
 * @param open Responses that are not closed yet: whoever waits for their end, as the log does, must not be cut short.
 */
async function stop(server: Server, open: ReadonlySet<ServerResponse>): Promise<void> {
  // A connection that was kept alive for its next request is idle once its answer is out.
  server.prependListener('request', (_req, res) => res.setHeader('Connection', 'close'));
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  const late = setTimeout(() => server.closeAllConnections(), STOP_MS);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(idle);
  clearTimeout(late);
  await Promise.all([...open].map(async (res) => await once(res, 'close')));
}
