/**
 * Amazon MemoryDB's rule for passwords: 16 to 128 printable characters without `,` `"` `/` `@`. "Printable" is
 * interpreted as ASCII 0x21 to 0x7E. Also used by scripts that create users.
 */
const ALLOWED = /^[\x21-\x7e]{16,128}$/;
const FORBIDDEN = /[,"/@]/;

export const PASSWORD_RULE = 'must be 16 to 128 printable ASCII characters, without spaces and without , " / @';

export function isPassword(text: string): boolean {
  return ALLOWED.test(text) && !FORBIDDEN.test(text);
}
