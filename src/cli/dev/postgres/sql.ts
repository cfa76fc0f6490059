/** Statements for the database of `millrace dev --seed`. */
import { Client } from 'pg';

const CONNECT_MS = 5_000;
const STATEMENT_MS = 60_000;

/** Connects, runs `use` and closes the connection. */
export async function withDatabase<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const options = { connectionString: url, connectionTimeoutMillis: CONNECT_MS, query_timeout: STATEMENT_MS };
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
    const { code = '', message } = error as { code?: string; message: string };
    if (['ECONNREFUSED', '57P03'].includes(code) || message === 'timeout expired') return false;
    throw error;
  }
}
