import type { User } from './user';

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
