import type { User } from './user';

/** Where users are kept. Every promise settles within the store's time-out. */
export interface UserStore {
  /** Replaces what was there under this e-mail. */
  save(user: User): Promise<void>;
  find(email: string): Promise<User | null>;
}

/** The store could not be asked or did not answer in time: later it may. What was to be saved may or may not be. */
export class StoreUnavailableError extends Error {
  constructor(cause: unknown) {
    super('the user store is not available', { cause });
    this.name = 'StoreUnavailableError';
  }
}

/** The store answered that it will not: asking again changes nothing. */
export class StoreRefusedError extends Error {
  constructor(
    /** Whose record it was. */
    readonly email: string,
    cause: unknown,
  ) {
    super('the user store refused', { cause });
    this.name = 'StoreRefusedError';
  }
}
