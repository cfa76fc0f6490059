/** The listening socket, plain or TLS, and the connections it has accepted. */
import { createServer as createPlainServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import type { Dispatch } from '../requests/handler';
import { Connection, type ConnectionLimits } from './connection';

export interface ListenerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Null: plain text. */
  readonly tls: TlsOptions | null;
  readonly authenticationRequired: boolean;
  readonly maxConnections: number;
  readonly limits: ConnectionLimits;
  readonly log: (line: string) => void;
}

export interface Listener {
  readonly port: number;
  /** Closes every connection and waits for what they were doing. */
  close(): Promise<void>;
}

/** @throws what `listen` fails with, EADDRINUSE above all. */
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
  // A failed TLS handshake is the client's affair: its socket is destroyed by Node.
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
