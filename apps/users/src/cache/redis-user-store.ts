import { StoreRefusedError, StoreUnavailableError, type UserStore } from '../user/user-store';
import type { CacheClient } from './client';
import { withDeadline } from './deadline';
import { isRefusal } from './failure';

const PREFIX = 'user:';
/** A key like those of users, but of nobody: no e-mail is empty. */
export const NOBODYS_KEY = PREFIX;

/** Users as hashes `user:<e-mail>` with the fields `email` and `name`: the original's layout, readable by both. */
export function createRedisUserStore(connection: { current(): CacheClient }, timeoutMs: number): UserStore {
  async function ask<T>(email: string, work: (client: CacheClient, key: string) => Promise<T>): Promise<T> {
    try {
      return await withDeadline(work(connection.current(), PREFIX + email), timeoutMs);
    } catch (error) {
      throw isRefusal(error) ? new StoreRefusedError(email, error) : new StoreUnavailableError(error);
    }
  }
  return {
    save: async ({ email, name }) => await ask(email, (client, key) => client.replace(key, { email, name })),
    find: async (email) => {
      const fields = await ask(email, (client, key) => client.read(key));
      if (Object.keys(fields).length === 0) return null;
      // Somebody else may have written it.
      return { email: fields['email'] ?? '', name: fields['name'] ?? '' };
    },
  };
}
