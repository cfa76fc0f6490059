import type { User } from './user';

/** Go's encoder escapes these, and clients have recorded its bytes. */
const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** The record as Go's `json.Encoder` writes it: sorted keys, no spaces, a line end. */
export function encodeUser({ email, name }: User): string {
  const text = JSON.stringify({ email, name });
  return `${text.replace(/[<>&\u2028\u2029]/g, (char) => ESCAPES[char] as string)}\n`;
}
