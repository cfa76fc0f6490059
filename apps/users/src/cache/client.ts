/** A Redis client, in cluster mode or standalone, with the few commands that the program needs. */
import { createClient, createCluster, type RedisClientOptions } from '@redis/client';
import type { CacheSettings } from '../settings/settings';
import { backoffMs } from './backoff';
import { withDeadline } from './deadline';

export interface CacheClient {
  readonly mode: 'cluster' | 'standalone';
  /** Atomically replaces the hash under `key` by these fields. */
  replace(key: string, fields: Record<string, string>): Promise<void>;
  /** The fields of the hash under `key`. Empty if the key does not exist. */
  read(key: string): Promise<Record<string, string>>;
  /** Pings every primary. `failures` has one error for each that did not respond. */
  ping(timeoutMs: number): Promise<{ readonly answers: number; readonly failures: readonly unknown[] }>;
  /** Closes all connections; pending commands reject. */
  destroy(): void;
}

/** Bounds the memory of commands that wait for a hung server. */
const MAX_QUEUED_COMMANDS = 20_000;

/**
 * Options of both modes. Commands are not queued while a connection is down: the request fails at once and the client
 * of this program decides. Notifications and client names are off, because they need further rights.
 */
function options(settings: CacheSettings): RedisClientOptions & { socket: object } {
  const { tls, connectTimeoutMs } = settings;
  return {
    credentialsProvider: {
      type: 'async-credentials-provider',
      credentials: async () => ({ username: settings.username, password: settings.password() }),
    },
    socket: {
      connectTimeout: connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelay: 5_000,
      reconnectStrategy: (failures: number) => backoffMs(failures),
      ...(tls
        ? { tls: true, ...(tls.ca && { ca: tls.ca }), ...(tls.servername && { servername: tls.servername }) }
        : {}),
    },
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_QUEUED_COMMANDS,
    disableClientInfo: true,
    maintNotifications: 'disabled',
  } as RedisClientOptions & { socket: object };
}

/**
 * Connects to the cluster that the endpoint belongs to. Rejects with the first cause instead of the library's "all the
 * root nodes are unavailable".
 * @param onError receives connection errors after the start.
 */
export async function openCluster(settings: CacheSettings, onError: (error: unknown) => void): Promise<CacheClient> {
  const cluster = createCluster({
    rootNodes: [{ socket: { ...settings.endpoint, ...(settings.tls ? { tls: true } : {}) } }],
    defaults: options(settings),
    useReplicas: settings.readFromReplicas,
    // Connects to a node on first use, so that one that is down does not block the others.
    minimizeConnections: true,
  });
  let first: unknown;
  let isOpen = false;
  const onFailure = (error: unknown): void => {
    first ??= error;
    if (isOpen) onError(error);
  };
  cluster.on('error', onFailure).on('node-error', onFailure);
  try {
    // Only discovers the cluster, over one connection.
    await withDeadline(cluster.connect(), settings.connectTimeoutMs + settings.timeoutMs);
  } catch (error) {
    cluster.destroy();
    throw first ?? error;
  }
  isOpen = true;
  return {
    mode: 'cluster',
    replace: async (key, fields) => void (await cluster.multi().del(key).hSet(key, fields).exec()),
    read: async (key) => ({ ...(await cluster.hGetAll(key)) }),
    ping: async (timeoutMs) =>
      await countAnswers(
        cluster.masters.map(async (node) => await (await cluster.nodeClient(node)).ping()),
        timeoutMs,
      ),
    destroy: () => cluster.destroy(),
  };
}

/** Connects to a single server. Rejects with the first failure. */
export async function openStandalone(settings: CacheSettings, onError: (error: unknown) => void): Promise<CacheClient> {
  let isOpen = false;
  const base = options(settings);
  const client = createClient({
    ...base,
    socket: {
      ...base.socket,
      ...settings.endpoint,
      reconnectStrategy: (failures: number) => isOpen && backoffMs(failures),
    } as RedisClientOptions['socket'],
  });
  client.on('error', (error) => isOpen && onError(error));
  try {
    await withDeadline(client.connect(), settings.connectTimeoutMs + settings.timeoutMs);
  } catch (error) {
    client.destroy();
    throw error;
  }
  isOpen = true;
  return {
    mode: 'standalone',
    replace: async (key, fields) => void (await client.multi().del(key).hSet(key, fields).exec()),
    read: async (key) => ({ ...(await client.hGetAll(key)) }),
    ping: async (timeoutMs) => await countAnswers([client.ping()], timeoutMs),
    destroy: () => client.destroy(),
  };
}

async function countAnswers(
  pings: readonly Promise<unknown>[],
  timeoutMs: number,
): Promise<{ answers: number; failures: unknown[] }> {
  const results = await Promise.allSettled(pings.map((ping) => withDeadline(ping, timeoutMs)));
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  return { answers: results.length - failures.length, failures };
}
