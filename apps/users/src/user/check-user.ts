/** Validation of users. Each check returns the problem in a few words without the value, or null. */

const MAX_EMAIL_BYTES = 254;
const MIN_EMAIL_BYTES = 3;
const MAX_NAME_CHARACTERS = 256;
const CONTROL = /\p{Cc}/u;
const LONE_SURROGATE = /\p{Surrogate}/u;

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

export function nameProblem(name: string): string | null {
  if (LONE_SURROGATE.test(name)) return 'not valid Unicode';
  if ([...name].length > MAX_NAME_CHARACTERS) return `longer than ${MAX_NAME_CHARACTERS} characters`;
  return CONTROL.test(name) ? 'control character' : null;
}
