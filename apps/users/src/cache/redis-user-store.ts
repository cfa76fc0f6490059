import type { User } from '../user/user';
import { StoreRefusedError, StoreUnavailableError, type UserStore } from '../user/user-store';
import type { CacheClient } from './client';
import { withDeadline } from './deadline';
import { isRefusal } from './failure';
import { originalKey, userKey } from './user-key';

/**
 * Users as hashes `user:<e-mail>` with the fields `email` and `name`: the original's layout, readable by both, but for
 * e-mails that would choose their place in a cluster.
 */
export function createRedisUserStore(connection: { current(): CacheClient }, timeoutMs: number): UserStore {
  async function ask<T>(email: string, work: (client: CacheClient) => Promise<T>): Promise<T> {
    try {
      return await withDeadline(work(connection.current()), timeoutMs);
    } catch (error) {
      throw isRefusal(error) ? new StoreRefusedError(email, error) : new StoreUnavailableError(error);
    }
  }
  return {
    save: async ({ email, name }) => await ask(email, (client) => client.replace(userKey(email), { email, name })),
    find: async (email) => await ask(email, async (client) => await find(client, email)),
  };
}

/** What the original wrote is found where it put it. */
async function find(client: CacheClient, email: string): Promise<User | null> {
  for (const key of new Set([userKey(email), originalKey(email)])) {
    const fields = await client.read(key);
    // Somebody else may have written it.
    if (Object.keys(fields).length > 0) return { email: fields['email'] ?? '', name: fields['name'] ?? '' };
  }
  return null;
}
