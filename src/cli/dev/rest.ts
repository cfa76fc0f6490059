/** Requests of `millrace dev` to its own worker. */
import { ConnectClient } from '../rest/connect-client';

const TIMEOUT_MS = 60_000;

/** Rejects if the worker requires credentials or its certificate is not trusted: `dev` has neither. */
export async function withRest<T>(url: string, use: (client: ConnectClient) => Promise<T>): Promise<T> {
  const client = new ConnectClient({ urls: [url], timeoutMs: TIMEOUT_MS });
  try {
    return await use(client);
  } finally {
    client.close();
  }
}
