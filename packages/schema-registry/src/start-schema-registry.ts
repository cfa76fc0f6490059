/** Starts a registry: its log, its state, and a server. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { memoryLog, type RegistryLog } from './core/log';
import { Registry } from './core/registry';
import { formats } from './formats';
import { routesOf } from './http/routes';
import { registryServer } from './http/server';

export interface SchemaRegistryOptions {
  /** 0: any free port. */
  readonly port: number;
  /** (Default: 127.0.0.1) */
  readonly host?: string;
  /** Closed with the registry, also if it does not start. (Default: in memory) */
  readonly log?: RegistryLog;
  /** Gets lines about what an operator should know. (Default: nowhere) */
  readonly report?: (line: string) => void;
}

export interface RunningSchemaRegistry {
  readonly url: string;
  readonly port: number;
  /** Ends connections; requests that have begun are answered first. */
  close(): Promise<void>;
}

/** Resolves when the log is read and the server listens. Rejects with the log's error, or with that of the port. */
export async function startSchemaRegistry(options: SchemaRegistryOptions): Promise<RunningSchemaRegistry> {
  const { host = '127.0.0.1', log = memoryLog(), report = () => undefined } = options;
  const registry = new Registry(log, formats, report);
  const server = registryServer({ routes: routesOf(registry), report });
  try {
    await registry.start();
    server.listen(options.port, host);
    await once(server, 'listening');
  } catch (error) {
    await log.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      await closed;
      await registry.close();
    },
  };
}
