/** The worker's HTTP listeners. The port is open before the worker has joined its group. Source: connect-rest §0.4, §5.2. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { forwardRequest } from '../cluster/forwarding';
import type { Herder } from '../cluster/herder';
import type { ConfigValidator } from '../config/validation';
import type { WorkerConfig } from '../config/worker-config';
import type { Logger } from '../logging/logger';
import type { PluginRegistry } from '../plugins/registry';
import { createApp } from './app';
import type { RestContext } from './context';
import { createForwarder, type ForwardRequest } from './forward';
import { RestError } from './rest-error';

export interface RestServerOptions {
  /** Or a function answering null until there is one: its worker id may depend on the port the server got. */
  readonly herder: Herder | (() => Herder | null);
  readonly registry: PluginRegistry;
  readonly validator: ConfigValidator;
  readonly config: Pick<WorkerConfig, 'listeners'>;
  readonly logger: Logger;
  /** Emulated Kafka version and build, shown by `GET /`. */
  readonly version: string;
  readonly commit: string;
  /** (Default: over HTTP) */
  readonly forward?: ForwardRequest;
  /** Milliseconds a request may take. (Default: 90000) */
  readonly requestLimitMs?: number;
  /** Milliseconds `GET /health` waits. (Default: 10000) */
  readonly healthLimitMs?: number;
}

export interface BoundListener {
  readonly protocol: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}

export interface RestServer {
  /** Opens every listener; answers them with the ports they got. Rejects with a sentence that names the listener. */
  listen(): Promise<readonly BoundListener[]>;
  /** Takes no new connections, lets requests under way finish for a moment, then cuts them off. */
  close(): Promise<void>;
}

const IDLE_MS = 90_000;
const CLOSE_GRACE_MS = 2_000;

export function createRestServer(options: RestServerOptions): RestServer {
  const herderIfReady = typeof options.herder === 'function' ? options.herder : (): Herder => options.herder as Herder;
  const context: RestContext = {
    herderIfReady,
    herder: () => {
      const herder = herderIfReady();
      if (!herder) throw new RestError(404, 'Worker is still starting up.');
      return herder;
    },
    registry: options.registry,
    validator: options.validator,
    logger: options.logger,
    forward: createForwarder(options.forward ?? forwardRequest),
    version: options.version,
    commit: options.commit,
    healthLimitMs: options.healthLimitMs ?? 10_000,
  };
  const app = createApp(context, { logger: options.logger, requestLimitMs: options.requestLimitMs ?? 90_000 });
  const servers: Server[] = [];
  let closing = false;

  async function open(listener: BoundListener): Promise<BoundListener> {
    const shown = `${listener.protocol}://${listener.host}:${listener.port}`;
    if (listener.protocol === 'https') {
      throw new Error(`listeners: ${shown} cannot be opened, this version serves http only`);
    }
    const server = createServer({ keepAliveTimeout: IDLE_MS }, app);
    // A connection whose last request ends while we are closing would otherwise stay open until it has been idle for long.
    server.on('request', (_request, response) => {
      response.once('finish', () => {
        if (closing) setImmediate(() => server.closeIdleConnections());
      });
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) =>
        reject(new Error(`listeners: cannot open ${shown}: ${error.message}`, { cause: error })),
      );
      server.listen({ port: listener.port, ...(listener.host === '' ? {} : { host: listener.host }) }, resolve);
    });
    servers.push(server);
    return { ...listener, port: (server.address() as AddressInfo).port };
  }

  async function close(): Promise<void> {
    closing = true;
    await Promise.all(
      servers.splice(0).map(
        (server) =>
          new Promise<void>((resolve) => {
            const cut = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
            server.close(() => {
              clearTimeout(cut);
              resolve();
            });
            server.closeIdleConnections();
          }),
      ),
    );
  }

  return {
    listen: async () => {
      try {
        const bound: BoundListener[] = [];
        for (const listener of options.config.listeners) bound.push(await open(listener));
        return bound;
      } catch (error) {
        await close();
        throw error;
      }
    },
    close,
  };
}
