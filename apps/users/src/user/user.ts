/** Users: what is valid, and how they are written. */

/** A stored user. */
export interface User {
  /** The key, compared byte for byte. */
  readonly email: string;
  readonly name: string;
}

const MAX_EMAIL_BYTES = 254;
const MIN_EMAIL_BYTES = 3;
const MAX_NAME_CHARACTERS = 256;
const CONTROL = /\p{Cc}/u;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The problem of an e-mail in a few words without the e-mail; null: it is valid. */
export function emailProblem(email: string): string | null {
  const bytes = Buffer.byteLength(email);
  if (bytes < MIN_EMAIL_BYTES) return 'too short';
  if (bytes > MAX_EMAIL_BYTES) return `longer than ${MAX_EMAIL_BYTES} bytes`;
  if (CONTROL.test(email)) return 'control character';
  if (/\s/u.test(email)) return 'white space';
  if (LONE_SURROGATE.test(email) || email.includes('\ufffd')) return 'not valid Unicode';
  // Any @ that is not the first or last character.
  if (!email.slice(1, -1).includes('@')) return 'no @ between two parts';
  return null;
}

/** As `emailProblem`, of a name. */
export function nameProblem(name: string): string | null {
  if (LONE_SURROGATE.test(name)) return 'not valid Unicode';
  if ([...name].length > MAX_NAME_CHARACTERS) return `longer than ${MAX_NAME_CHARACTERS} characters`;
  return CONTROL.test(name) ? 'control character' : null;
}

/** Characters that Go's encoder escapes. */
const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Encodes a user as Go's `json.Encoder` does: sorted keys, no spaces, a line end. */
export function encodeUser({ email, name }: User): string {
  const text = JSON.stringify({ email, name });
  return `${text.replace(/[<>&\u2028\u2029]/g, (char) => ESCAPES[char] as string)}\n`;
}
