/**
 * Emulates an Azure Data Explorer cluster for tests and demos: the service's HTTP API, with Azurite for blobs, queues
 * and the status table, and DuckDB for tables. One listener serves both the ingestion and the query endpoint. Source:
 * analytics-sink §7.
 */
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ensureDir } from 'fs-extra';
import express from 'express';
import { Catalog } from './engine/catalog';
import { Database } from './engine/database';
import { Faults } from './faults';
import { controlRoutes } from './http/control-routes';
import { ExpiringTokens } from './expiring-tokens';
import { loginRoutes, type Application } from './http/login';
import { authenticated, errors, requestIds, withFaults } from './http/requests';
import { serviceRoutes } from './http/service-routes';
import type { BatchingPolicy } from './ingest/batches';
import { Ingestor } from './ingest/ingestor';
import { Loader } from './ingest/loader';
import { Reports } from './ingest/reports';
import { KeptState, type StoragePorts } from './kept-state';
import { startAzurite } from './storage/azurite';
import { PassThrough } from './storage/pass-through';
import { Resources } from './storage/resources';

export interface EmulatorOptions {
  /** (Default: 127.0.0.1) */
  readonly host?: string;
  /**
   * The storage's blob, queue and table services use the next three ports. (Default: free ports, or those of the last
   * run on the data folder)
   */
  readonly port?: number;
  /** Folder for tables, blobs and messages. (Default: in memory) */
  readonly dataDir?: string;
  /** Name of the initial database. (Default: `demo`) */
  readonly database?: string;
  /** The application that may log in. (Default: no login is required) */
  readonly application?: Application;
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer };
  /** Lifetime of a storage SAS in ms. (Default: 1 h) */
  readonly sasLifetimeMs?: number;
  /** Lifetime of bearer tokens in ms. (Default: 1 h) */
  readonly tokenLifetimeMs?: number;
  /** Batching policy for tables without their own. (Default: 200 ms, 500 blobs, 1 GiB) */
  readonly batching?: Partial<BatchingPolicy>;
  /** Enables the routes under `/__emulator`. (Default: true; the command line's default is false) */
  readonly control?: boolean;
  /** False: no cloud metadata endpoint, as on some clusters. (Default: true) */
  readonly metadata?: boolean;
}

export interface AnalyticsEmulator {
  /** Base URL, for `analytics.url` and for queries. */
  readonly url: string;
  readonly faults: Faults;
  readonly ingestor: Ingestor;
  readonly resources: Resources;
  readonly tokens: ExpiringTokens;
  /** Method and path of all requests so far. */
  readonly requests: readonly string[];
  stop(): Promise<void>;
}

const HOUR_MS = 3_600_000;

export async function startAnalyticsEmulator(options: EmulatorOptions = {}): Promise<AnalyticsEmulator> {
  const ends: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    return { ...(await start(options, (end) => ends.push(end))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @param atEnd Registers a clean-up function for each step; they run in reverse order. */
async function start(
  options: EmulatorOptions,
  atEnd: (end: () => Promise<void>) => void,
): Promise<Omit<AnalyticsEmulator, 'stop'>> {
  const { host = '127.0.0.1', port: ownPort = 0, dataDir = null } = options;
  const kept = await KeptState.open(dataDir);
  if (dataDir !== null) await ensureDir(join(dataDir, 'storage'));
  const faults = new Faults();
  const tokens = new ExpiringTokens('token', options.tokenLifetimeMs ?? HOUR_MS, kept.tokenKey);
  const identities = new ExpiringTokens('identity', HOUR_MS, kept.tokenKey);

  const azurite = await startAzurite(dataDir && join(dataDir, 'storage'));
  atEnd(azurite.stop);
  const database = await Database.open(dataDir && join(dataDir, 'tables.duckdb'));
  atEnd(async () => await database.close());
  const catalog = await Catalog.open(database, options.database ?? 'demo');
  // Clients and queued messages contain the storage's addresses.
  const isPortFixed = ownPort !== 0;
  const ports = isPortFixed ? { blob: ownPort + 1, queue: ownPort + 2, table: ownPort + 3 } : kept.storagePorts;
  const passThrough = async (
    target: keyof StoragePorts,
    serviceUrl: string,
    onPosted?: () => void,
  ): Promise<PassThrough> => {
    const port = ports[target];
    const started = await PassThrough.start({
      target,
      serviceUrl,
      faults,
      port,
      isPortFixed,
      ...(onPosted && { onPosted }),
    });
    atEnd(async () => await started.stop());
    return started;
  };
  const blob = await passThrough('blob', azurite.blobUrl);
  const queue = await passThrough('queue', azurite.queueUrl, () => ingestor.notify());
  const table = await passThrough('table', azurite.tableUrl);
  await kept.store({ blob: blob.port, queue: queue.port, table: table.port });
  const urls = { blob: blob.url, queue: queue.url, table: table.url };
  const resources = new Resources(azurite, urls, options.sasLifetimeMs ?? HOUR_MS);
  await resources.create();
  const loader = new Loader(catalog, database);
  const reports = new Reports(database, resources);
  const batching = { timeMs: 200, items: 500, bytes: 1024 ** 3, ...options.batching };
  const ingestor = new Ingestor({ catalog, database, loader, faults, identities, resources, reports, batching });
  ingestor.start();
  atEnd(async () => await ingestor.stop());

  const requests: string[] = [];
  const app = express();
  app.disable('x-powered-by');
  app.use(requestIds);
  app.use((request, _response, next) => {
    if (!request.path.startsWith('/__emulator')) requests.push(`${request.method} ${request.originalUrl}`);
    next();
  });
  if (options.control ?? true) app.use('/__emulator', controlRoutes({ faults, ingestor, resources, tokens, requests }));
  app.use(/\/[^/]+\/oauth2\/(v2\.0\/)?token$/, withFaults(faults, 'token'));
  app.use(loginRoutes({ application: options.application ?? null, tokens, metadata: options.metadata ?? true }));
  app.use(authenticated(options.application ? tokens : null));
  app.use(serviceRoutes({ catalog, database, loader, resources, identities, faults, ingestor }));
  app.use(errors);

  const server = options.tls ? createHttpsServer(options.tls, app) : createHttpServer(app);
  await listen(server, host, ownPort);
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls ? 'https' : 'http'}://${host}:${port}`,
    faults,
    ingestor,
    resources,
    tokens,
    requests,
  };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}
