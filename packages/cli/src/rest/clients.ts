/** The clients of a command, and how it uses them. */
import type * as Context from '../context/server';
import type { Invocation } from '../program/command-spec';
import type * as Client from './connect-client';
import type { ConnectClient } from './connect-client';

/** Calls `work` with a client of the server that the command line names, and closes it at the end. */
export async function withClient<T>(
  invocation: Pick<Invocation, 'options' | 'io'>,
  work: (client: ConnectClient) => Promise<T>,
): Promise<T> {
  const { ConnectClient, serverOf } = load();
  const client = new ConnectClient(serverOf(invocation));
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

/** A worker that needs longer is reported as missing, so that the others' answers do not wait for it. ms */
export const WORKER_ANSWER_MS = 5_000;

/**
 * A client for each URL, for what every worker reports about itself. Only the given URLs are asked: credentials must
 * not go to addresses that a worker names.
 */
export function workerClients(invocation: Pick<Invocation, 'options' | 'io'>): readonly ConnectClient[] {
  const { ConnectClient, serverOf } = load();
  const { urls, timeoutMs, ...access } = serverOf(invocation);
  const limited = { ...access, timeoutMs: Math.min(timeoutMs, WORKER_ANSWER_MS) };
  return urls.map((url) => new ConnectClient({ urls: [url], ...limited }));
}

/** On demand: a help text needs neither HTTP nor TLS. */
function load(): typeof Client & typeof Context {
  /* eslint-disable @typescript-eslint/no-require-imports */
  return {
    ...(require('./connect-client') as typeof Client),
    ...(require('../context/server') as typeof Context),
  };
  /* eslint-enable @typescript-eslint/no-require-imports */
}

/** Requests that a command has under way at once. */
const WIDTH = 8;

/** Calls `work` for each item, a few at a time. The results are in the order of the items; the first error rejects. */
export async function sideBySide<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const i = next++;
      results[i] = await work(items[i] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(WIDTH, items.length) }, worker));
  return results;
}

const OWN_TIMEOUT_MS = 60_000;

/**
 * For requests of `millrace dev` to its own worker. They reject if it requires credentials, or if its certificate is
 * not trusted: `dev` has neither.
 */
export async function withRest<T>(url: string, use: (client: ConnectClient) => Promise<T>): Promise<T> {
  const { ConnectClient } = load();
  const client = new ConnectClient({ urls: [url], timeoutMs: OWN_TIMEOUT_MS });
  try {
    return await use(client);
  } finally {
    client.close();
  }
}
