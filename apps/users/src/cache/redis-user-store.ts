import type { User } from '../user/user';
import { StoreRefusedError, StoreUnavailableError, type UserStore } from '../user/user-store';
import type { CacheClient } from './client';
import { withDeadline } from './deadline';
import { isRefusal } from './failure';
import { originalKey, userKey } from './user-key';

/**
 * Stores users as hashes `user:<e-mail>` with the fields `email` and `name`, the layout of the original program. Keys
 * differ only for e-mails that would choose their cluster slot.
 */
export function createRedisUserStore(connection: { current(): CacheClient }, timeoutMs: number): UserStore {
  async function execute<T>(email: string, work: (client: CacheClient) => Promise<T>): Promise<T> {
    try {
      return await withDeadline(work(connection.current()), timeoutMs);
    } catch (error) {
      throw isRefusal(error) ? new StoreRefusedError(email, error) : new StoreUnavailableError(error);
    }
  }
  return {
    save: async ({ email, name }) => await execute(email, (client) => client.replace(userKey(email), { email, name })),
    find: async (email) => await execute(email, async (client) => await find(client, email)),
  };
}

/** Also finds users that the original program stored. */
async function find(client: CacheClient, email: string): Promise<User | null> {
  for (const key of new Set([userKey(email), originalKey(email)])) {
    const fields = await client.read(key);
    // Another program may have written the hash, so fields can be missing.
    if (Object.keys(fields).length > 0) return { email: fields['email'] ?? '', name: fields['name'] ?? '' };
  }
  return null;
}
