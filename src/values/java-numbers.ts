/** Numbers from texts and from other numbers, as in Java: `Long.parseLong`, `Double.parseDouble`, narrowing. */
import { safeInteger, type Decimal } from '@millrace/sdk';

/** Sizes of the integer types. */
export const BITS: Readonly<Record<string, number>> = { INT8: 8, INT16: 16, INT32: 32, INT64: 64 };

const INTEGER = /^[+-]?[0-9]+$/;
const FLOATING = /^[+-]?(?:NaN|Infinity|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[dDfF]?)$/;

/** Null when the text is not an integer, or does not fit. Blanks are not allowed. */
export function parseInteger(text: string, bits: number): number | bigint | null {
  if (!INTEGER.test(text)) return null;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(bits, value) === value ? safeInteger(value) : null;
}

/** Null when the text is not a number. Surrounding blanks are allowed, hexadecimal numbers are not. */
export function parseFloating(text: string): number | null {
  const trimmed = text.trim();
  if (!FLOATING.test(trimmed)) return null;
  return Number(
    /(?:NaN|Infinity)$/.test(trimmed) ? trimmed.replace(/^[+-](?=NaN)/, '') : trimmed.replace(/[dDfF]$/, ''),
  );
}

/** The low bits as a two's complement number. */
export function wrapped(value: bigint, bits: number): number | bigint {
  return safeInteger(BigInt.asIntN(bits, value));
}

/** Truncated, and clamped to the integers of that many bits; 0 for NaN. */
export function saturated(value: number, bits: number): bigint {
  if (Number.isNaN(value)) return 0n;
  const limit = 2 ** (bits - 1);
  if (value >= limit) return 2n ** BigInt(bits - 1) - 1n;
  return value < -limit ? -(2n ** BigInt(bits - 1)) : BigInt(Math.trunc(value));
}

export function wholePart({ unscaled, scale }: Decimal): bigint {
  return scale >= 0 ? unscaled / 10n ** BigInt(scale) : unscaled * 10n ** BigInt(-scale);
}
