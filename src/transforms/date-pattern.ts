/**
 * Splits patterns of `java.text.SimpleDateFormat` into tokens, English and UTC. Sources: Java's documentation of that
 * class; connect-runtime §7.2.
 */

export interface Letter {
  readonly letter: string;
  /** Number of repetitions. */
  readonly count: number;
}
/** A pattern letter, or literal text. */
export type Piece = string | Letter;

export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
/** Java abbreviates by locale; English abbreviations are the first three letters. */
export const SHORT = 3;

const SUPPORTED = 'GyMLdDEuaHkKhmsSzZX';
/** Week letters: the first day and the number of a week depend on the locale. */
const UNSUPPORTED = 'YwWF';
const MAX_ISO_ZONE = 3;

/** Throws Error with a reason: an unknown letter, an unsupported one, or an unterminated quote. */
export function parsePattern(pattern: string): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const [token, quoted] of pattern.matchAll(/''|'((?:[^']|'')*)(?:'|$)|([A-Za-z])\2*|[^]/g)) {
    if (token === "''") pieces.push("'");
    else if (quoted !== undefined) {
      if (token.length !== quoted.length + 2) throw new Error('Unterminated quote');
      pieces.push(quoted.replaceAll("''", "'"));
    } else if (/^[A-Za-z]/.test(token)) pieces.push(letterOf(token));
    else pieces.push(token);
  }
  return pieces;
}

function letterOf(token: string): Letter {
  const letter = token.charAt(0);
  if (UNSUPPORTED.includes(letter)) throw new Error(`Pattern character '${letter}' is not supported`);
  if (!SUPPORTED.includes(letter)) throw new Error(`Illegal pattern character '${letter}'`);
  if (letter === 'X' && token.length > MAX_ISO_ZONE) throw new Error('invalid ISO 8601 format: length=' + token.length);
  return { letter, count: token.length };
}
