/** WAL positions: `X/Y` text, and numbers as in offsets (number below 2^53, bigint from there on). */
import { int64 } from '../values/value-type';

export type Lsn = number | bigint;

export function lsn(high: number, low: number): Lsn {
  // 2^21 × 2^32 = 2^53
  return high < 0x200000 ? high * 4294967296 + low : (BigInt(high) << 32n) | BigInt(low);
}

export function parseLsn(text: string): Lsn {
  const [high, low] = text.split('/') as [string, string];
  return lsn(parseInt(high, 16), parseInt(low, 16));
}

export function formatLsn(value: Lsn): string {
  const wide = BigInt(value);
  return `${(wide >> 32n).toString(16)}/${(wide & 0xffffffffn).toString(16)}`.toUpperCase();
}

/** An LSN in an offset; null when it is absent or not an integer. */
export function offsetLsn(value: unknown): Lsn | null {
  if (typeof value === 'bigint') return int64(value);
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  return null;
}
