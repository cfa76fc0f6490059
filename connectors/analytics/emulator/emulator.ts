/**
 * A stand-in for an Azure Data Explorer cluster, for tests and demos: the service's HTTP interface in front of real parts, Azurite for blobs,
 * queues and the status table, and DuckDB for tables. One listener is both the ingestion and the query endpoint. Source: analytics-sink §7.
 */
import { mkdir } from 'node:fs/promises';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express from 'express';
import { Catalog } from './engine/catalog';
import { Database } from './engine/database';
import { Faults } from './faults';
import { controlRoutes } from './http/control-routes';
import { ExpiringTokens } from './http/expiring-tokens';
import { loginRoutes, type Application } from './http/login';
import { authenticated, errors, requestIds, withFaults } from './http/requests';
import { serviceRoutes } from './http/service-routes';
import type { BatchingPolicy } from './ingest/batches';
import { Ingestor } from './ingest/ingestor';
import { Loader } from './ingest/loader';
import { Reports } from './ingest/reports';
import { startAzurite } from './storage/azurite';
import { PassThrough } from './storage/pass-through';
import { Resources } from './storage/resources';

export interface EmulatorOptions {
  /** (Default: 127.0.0.1) */
  readonly host?: string;
  /** (Default: a free one) */
  readonly port?: number;
  /** Tables, blobs and messages are kept there. (Default: in memory) */
  readonly dataDir?: string;
  /** The database that is there from the beginning. (Default: `demo`) */
  readonly database?: string;
  /** Who may log in. (Default: no login is needed) */
  readonly application?: Application;
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer };
  /** Life of a storage SAS, ms. (Default: 1 h) */
  readonly sasLifetimeMs?: number;
  /** Life of bearer tokens, ms. (Default: 1 h) */
  readonly tokenLifetimeMs?: number;
  /** For tables without a policy of their own. (Default: 200 ms, 500 blobs, 1 GiB) */
  readonly batching?: Partial<BatchingPolicy>;
  /** Routes under `/__emulator`. (Default: true from code, off in the program) */
  readonly control?: boolean;
  /** False: no cloud metadata, as of a cluster without it. (Default: true) */
  readonly metadata?: boolean;
}

export interface AnalyticsEmulator {
  /** For `analytics.url` and for queries alike. */
  readonly url: string;
  readonly faults: Faults;
  readonly ingestor: Ingestor;
  readonly resources: Resources;
  readonly tokens: ExpiringTokens;
  /** Method and path of each request so far. */
  readonly requests: readonly string[];
  stop(): Promise<void>;
}

const HOUR_MS = 3_600_000;

export async function startAnalyticsEmulator(options: EmulatorOptions = {}): Promise<AnalyticsEmulator> {
  const { host = '127.0.0.1', dataDir = null } = options;
  if (dataDir !== null) await mkdir(join(dataDir, 'storage'), { recursive: true });
  const faults = new Faults();
  const tokens = new ExpiringTokens('token', options.tokenLifetimeMs ?? HOUR_MS);
  const identities = new ExpiringTokens('identity', HOUR_MS);

  const azurite = await startAzurite(dataDir && join(dataDir, 'storage'));
  const database = await Database.open(dataDir && join(dataDir, 'tables.duckdb'));
  const catalog = await Catalog.open(database, options.database ?? 'demo');
  const [blob, queue, table] = await Promise.all([
    PassThrough.start('blob', azurite.blobUrl, faults),
    PassThrough.start('queue', azurite.queueUrl, faults, () => ingestor.notify()),
    PassThrough.start('table', azurite.tableUrl, faults),
  ]);
  const urls = { blob: blob.url, queue: queue.url, table: table.url };
  const resources = new Resources(azurite, urls, options.sasLifetimeMs ?? HOUR_MS);
  await resources.create();
  const loader = new Loader(catalog, database);
  const reports = new Reports(database, resources);
  const batching = { timeMs: 200, items: 500, bytes: 1024 ** 3, ...options.batching };
  const ingestor = new Ingestor({ catalog, database, loader, faults, identities, resources, reports, batching });
  ingestor.start();

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
  await listen(server, host, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls ? 'https' : 'http'}://${host}:${port}`,
    faults,
    ingestor,
    resources,
    tokens,
    requests,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await ingestor.stop();
      await Promise.all([blob.stop(), queue.stop(), table.stop()]);
      await database.close();
      await azurite.stop();
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}
