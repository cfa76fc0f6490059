/** Statements for the database of `millrace dev --seed`. */
import { Client } from 'pg';

const CONNECT_MS = 5_000;
const STATEMENT_MS = 60_000;

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
