import type { User } from './user';

/** Storage of users. Every promise settles within the store's timeout. */
export interface UserStore {
  /** Replaces the user with this e-mail, if any. */
  save(user: User): Promise<void>;
  find(email: string): Promise<User | null>;
}

/** The store is unreachable or did not respond in time. A retry may succeed; a write may have been applied. */
export class StoreUnavailableError extends Error {
  constructor(cause: unknown) {
    super('the user store is not available', { cause });
    this.name = 'StoreUnavailableError';
  }
}

/** The store rejected the command. Retrying is of no use. */
export class StoreRefusedError extends Error {
  constructor(
    /** The e-mail of the user concerned. */
    readonly email: string,
    cause: unknown,
  ) {
    super('the user store rejected the command', { cause });
    this.name = 'StoreRefusedError';
  }
}
