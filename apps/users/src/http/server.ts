import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How long requests in flight may take after a stop. */
const STOP_MS = 10_000;

const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than a load balancer's idle timeout (usually 60 s), so that the load balancer closes idle connections.
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
  connectionsCheckingInterval: 5_000,
};
const MAX_CONNECTIONS = 10_000;

interface RunningServer {
  readonly port: number;
  /**
   * Accepts no new connections, completes requests in flight, and resolves when all connections are closed.
   */
  stop(): Promise<void>;
}

/** Resolves when the port is open. Rejects if it cannot be opened. */
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
 * @param open responses that are not closed yet; waits for them, so that each request is logged.
 */
async function stop(server: Server, open: ReadonlySet<ServerResponse>): Promise<void> {
  // `Connection: close` makes a keep-alive connection end after the response to its current request.
  server.prependListener('request', (_req, res) => res.setHeader('Connection', 'close'));
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  const late = setTimeout(() => server.closeAllConnections(), STOP_MS);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(idle);
  clearTimeout(late);
  await Promise.all([...open].map(async (res) => await once(res, 'close')));
}
