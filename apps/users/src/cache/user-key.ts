/** Keys of users: `user:` and the e-mail, as the original has them. */

const PREFIX = 'user:';
/**
 * A cluster places a key by what stands between its first `{` and the next `}`, and by the whole key where that is
 * nothing. An e-mail with such a pair could choose its place, and many of them one place for all: this goes before
 * them. No e-mail has a space in it, so no other key begins like this.
 */
const WHOLE_KEY_COUNTS = '{} ';

/** A key like those of users, but of nobody: no e-mail is empty. */
export const NOBODYS_KEY = PREFIX;

/** Where a user is kept. */
export function userKey(email: string): string {
  const choosesPlace = /^[^{]*\{[^}]+\}/.test(email);
  return PREFIX + (choosesPlace ? WHOLE_KEY_COUNTS : '') + email;
}

/** Where the original keeps the same user. */
export const originalKey = (email: string): string => PREFIX + email;
