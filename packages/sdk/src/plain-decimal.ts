import type { Decimal } from './schema';

/** `-12.340`: every digit, no exponent (Java's `BigDecimal.toPlainString`). */
export function plainDecimal({ unscaled, scale }: Decimal): string {
  if (scale <= 0) return unscaled === 0n ? '0' : `${unscaled}${'0'.repeat(-scale)}`;
  const sign = unscaled < 0n ? '-' : '';
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
