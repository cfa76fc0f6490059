/** The listener, plaintext or TLS, and its connections. */
import { createServer as createPlainServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import type { Dispatch } from '../requests/handler';
import { Connection, type ConnectionLimits } from './connection';

export interface ListenerOptions {
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  /** Null: plaintext. */
  readonly tls: TlsOptions | null;
  readonly authenticationRequired: boolean;
  readonly maxConnections: number;
  readonly limits: ConnectionLimits;
  readonly log: (line: string) => void;
}

export interface Listener {
  readonly port: number;
  /** Closes all connections and waits for requests in progress. */
  close(): Promise<void>;
}

/** @throws the error of `listen`, for example EADDRINUSE. */
export async function listen(options: ListenerOptions, dispatch: Dispatch): Promise<Listener> {
  const connections = new Set<Connection>();
  let lastId = 0;
  const accept = (socket: Socket): void => {
    const connection = new Connection(
      ++lastId,
      socket,
      dispatch,
      options.limits,
      !options.authenticationRequired,
      options.log,
    );
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
  };
  const server: Server = options.tls ? createTlsServer(options.tls, accept) : createPlainServer(accept);
  server.maxConnections = options.maxConnections;
  // Node destroys the socket after a failed TLS handshake; the client reports the error.
  server.on('tlsClientError', () => {});

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.removeListener('error', reject);
      server.on('error', (error) => options.log(`The listener failed: ${error.message}`));
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const open = [...connections];
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const connection of open) connection.close();
      await Promise.all(open.map((connection) => connection.settled()));
      await closed;
    },
  };
}
