/** A connection to Redis, in cluster mode or not: the few commands the program needs. */
import { createClient, createCluster, type RedisClientOptions } from '@redis/client';
import type { CacheSettings } from '../settings/settings';
import { backoffMs } from './backoff';
import { withDeadline } from './deadline';

export interface CacheClient {
  readonly mode: 'cluster' | 'standalone';
  /** Makes the hash under `key` hold these fields and no others, all at once. */
  replace(key: string, fields: Record<string, string>): Promise<void>;
  /** The fields of the hash under `key`; none when there is no such key. */
  read(key: string): Promise<Record<string, string>>;
  /** Asks every primary. `failures` has one error for each that did not answer. */
  ping(timeoutMs: number): Promise<{ readonly answers: number; readonly failures: readonly unknown[] }>;
  /** Cuts all connections; commands under way reject. */
  destroy(): void;
}

/** Connections waiting for a hung server must not fill the memory. */
const MAX_QUEUED_COMMANDS = 20_000;

/**
 * What both modes share. Nothing is queued while a connection is away: the request is answered at once and the client
 * of this program decides. Notifications and client names are off: they take rights that the application's user need
 * not have.
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
 * Connects to a cluster whose addresses the endpoint tells. Rejects with the first cause, not with the library's
 * "all the root nodes are unavailable".
 * @param onError hears what happens to connections from then on.
 */
export async function openCluster(settings: CacheSettings, onError: (error: unknown) => void): Promise<CacheClient> {
  const cluster = createCluster({
    rootNodes: [{ socket: { ...settings.endpoint, ...(settings.tls ? { tls: true } : {}) } }],
    defaults: options(settings),
    useReplicas: settings.readFromReplicas,
    // A node is dialled when it is needed, so that one that is down does not keep all others from serving.
    minimizeConnections: true,
  });
  let first: unknown;
  let isOpen = false;
  const hear = (error: unknown): void => {
    first ??= error;
    if (isOpen) onError(error);
  };
  cluster.on('error', hear).on('node-error', hear);
  try {
    // Discovery alone: one connection, one question.
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

/** Connects to one server. Rejects with the reason of the first failure. */
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
