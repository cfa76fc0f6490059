/** Keys of users: `user:` and the e-mail, as in the original program. */

const PREFIX = 'user:';
/**
 * A cluster derives the slot of a key from the text between its first `{` and the next `}`, or from the whole key if
 * that text is empty. Without this prefix, e-mails with braces could choose their slot and overload one node. E-mails
 * contain no spaces, so no other key starts like this.
 */
const WHOLE_KEY_HASH_TAG = '{} ';

/** A key in the namespace of users that no user can have, because no e-mail is empty. */
export const PROBE_KEY = PREFIX;

/** The key of a user. */
export function userKey(email: string): string {
  const choosesSlot = /^[^{]*\{[^}]+\}/.test(email);
  return PREFIX + (choosesSlot ? WHOLE_KEY_HASH_TAG : '') + email;
}

/** The key of the same user in the original program. */
export const originalKey = (email: string): string => PREFIX + email;
