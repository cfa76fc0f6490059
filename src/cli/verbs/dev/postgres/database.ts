/** Clients of the database of `millrace dev --seed`: where it is, and connections to it. */
import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';

const CONNECT_MS = 5_000;
const STATEMENT_MS = 60_000;
/** Below the ports that systems give to outgoing connections. */
const PORTS = { first: 15_000, end: 20_000 };

/** Port and password of the database in a data folder, kept across restarts. */
export interface ServerFile {
  /** On 127.0.0.1. */
  readonly port: number;
  readonly password: string;
}

/** Null if the folder has none. */
export function readServerFile(folder: string): ServerFile | null {
  try {
    return JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8')) as ServerFile;
  } catch {
    return null;
  }
}

/** The existing one, or a new one with a free port. Only this user can read it. */
export async function serverFile(folder: string): Promise<ServerFile> {
  const existing = readServerFile(folder);
  if (existing) return existing;
  const created = { port: await freePort(), password: randomBytes(18).toString('base64url') };
  try {
    writeFileSync(join(folder, 'server.json'), `${JSON.stringify(created)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    // Another worker has created it.
    const other = readServerFile(folder);
    if (!other) throw error;
    return other;
  }
  return created;
}

/** Any one, so that the databases of two folders rarely want the same. */
async function freePort(): Promise<number> {
  for (let tried = PORTS.first; tried < PORTS.end; tried++) {
    const port = randomInt(PORTS.first, PORTS.end);
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
  throw new Error(`None of the ports ${PORTS.first} to ${PORTS.end - 1} of 127.0.0.1 is free.`);
}

/** For the superuser `postgres` and the database `postgres`. */
export function databaseUrl({ port, password }: ServerFile): string {
  return `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
}

/**
 * Connects, runs `use` and closes the connection.
 * @param options.queryTimeoutMs for each query; 0: none. (Default: a minute)
 */
export async function withDatabase<T>(
  url: string,
  use: (client: Client) => Promise<T>,
  { queryTimeoutMs = STATEMENT_MS }: { readonly queryTimeoutMs?: number } = {},
): Promise<T> {
  const options = { connectionString: url, connectionTimeoutMillis: CONNECT_MS, query_timeout: queryTimeoutMs };
  const client = new Client({ ...options, application_name: 'millrace dev' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Whether the server accepts queries. Rejects if it refuses the login. */
export async function answers(url: string): Promise<boolean> {
  try {
    await withDatabase(url, async (client) => await client.query('SELECT 1'));
    return true;
  } catch (error) {
    // Not listening yet, "the database system is starting up", or a timeout.
    const { code = '' } = error as { code?: string };
    if (['ECONNREFUSED', '57P03'].includes(code) || isSilence(error)) return false;
    throw error;
  }
}

/** Whether the server has accepted the connection and not answered in time. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout expired';
}
