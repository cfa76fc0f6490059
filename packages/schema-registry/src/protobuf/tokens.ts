/** The tokens of a .proto text. */

/**
 * Blanks and comments, or one token: a string, a number, a name, or any other character. What is not closed ends with
 * the text, so that each character is looked at once.
 */
const PART =
  /\s+|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[^\n])*"?|'(?:[^'\\\n]|\\[^\n])*'?|\d(?:[eE][+-]|[\w.])*|[\w.]+|[^]/g;

export function* tokensOf(text: string): Generator<string, void> {
  for (const [token] of text.matchAll(PART))
    if (!/^\s/.test(token) && !token.startsWith('//') && !token.startsWith('/*')) yield token;
}
