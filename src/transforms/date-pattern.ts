/**
 * Splits patterns of `java.text.SimpleDateFormat` into tokens, English and UTC. Sources: Java's documentation of that
 * class; connect-runtime §7.2.
 */
import type { ParsedValue } from '@millrace/sdk';

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

const LETTERS = 'GyYMLwWdDFEuaHkKhmsSzZX';
const MAX_ISO_ZONE = 3;

/** Throws Error with a reason, Java's: an unknown letter, an unterminated quote, too long a zone. */
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
  if (!LETTERS.includes(letter)) throw new Error(`Illegal pattern character '${letter}'`);
  if (letter === 'X' && token.length > MAX_ISO_ZONE) throw new Error('invalid ISO 8601 format: length=' + token.length);
  return { letter, count: token.length };
}

/** Why a setting is not a pattern, or null: it is one, or it is no text. */
export function patternFault(pattern: ParsedValue): string | null {
  try {
    if (typeof pattern === 'string') parsePattern(pattern);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
