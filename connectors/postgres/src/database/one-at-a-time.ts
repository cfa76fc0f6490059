import type { Client } from 'pg';

/** Lets each query wait for the one before it, as several users of a connection need. `pg` deprecates its own queue. */
export function oneAtATime(client: Client): Client {
  const query = client.query.bind(client) as (...args: readonly unknown[]) => Promise<unknown>;
  let last: Promise<unknown> = Promise.resolve();
  const next = (...args: readonly unknown[]): Promise<unknown> => {
    const result = last.then(() => query(...args));
    last = result.catch(() => undefined);
    return result;
  };
  return Object.assign(client, { query: next });
}
