/** Texts to numbers as Java's `Long.parseLong`, `Double.parseDouble` and their like take them. */
import { safeInteger } from '../converters/json-tree';

const INTEGER = /^[+-]?[0-9]+$/;
const FLOATING = /^[+-]?(?:NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[dDfF]?)$/;

/** Null when it is no integer, or one that does not fit. Blanks are not allowed. */
export function parseInteger(text: string, bits: number): number | bigint | null {
  if (!INTEGER.test(text)) return null;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(bits, value) === value ? safeInteger(value) : null;
}

/** Null when it is no number. Blanks around it are allowed, hexadecimal numbers are not. */
export function parseFloating(text: string): number | null {
  const trimmed = text.trim();
  if (!FLOATING.test(trimmed)) return null;
  return Number(
    /(?:NaN|Infinity)$/.test(trimmed) ? trimmed.replace(/^[+-](?=NaN)/, '') : trimmed.replace(/[dDfF]$/, ''),
  );
}
