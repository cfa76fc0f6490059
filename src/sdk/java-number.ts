/**
 * Numbers as Java prints them. Sources: connect-runtime §1.3, Java's `Double.toString` (JDK 19 and later) and
 * `BigDecimal.toString`.
 */
import type { Decimal } from './schema';

/** `1.0`, `1.0E7`, `1.0E-5`, `-0.0`, `NaN`, `Infinity`. */
export function javaDouble(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-3 && magnitude < 1e7) {
    const text = String(value);
    return text.includes('.') ? text : text + '.0';
  }
  if (magnitude === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  return exponentForm(value.toExponential(), value);
}

/** The same for a float32, whose shortest text has fewer digits. */
export function javaFloat(value: number): string {
  const float = Math.fround(value);
  if (!Number.isFinite(float) || float === 0) return javaDouble(float);
  const digits = shortestFloat(float);
  const magnitude = Math.abs(float);
  if (magnitude >= 1e-3 && magnitude < 1e7) return javaDouble(digits);
  return exponentForm(digits.toExponential(), float);
}

/**
 * A float64 whose shortest text is the float32's: 0.1 for 0.10000000149011612. Every decimal of six digits survives a
 * normal float32, so shorter texts need not be tried.
 */
export function shortestFloat(value: number): number {
  const float = Math.fround(value);
  for (let precision = Math.abs(float) < 1.2e-38 ? 1 : 6; precision < 9; precision++) {
    const candidate = Number(float.toPrecision(precision));
    if (Math.fround(candidate) === float) return candidate;
  }
  return Number(float.toPrecision(9));
}

function exponentForm(shortest: string, value: number): string {
  // Java shows two digits at least and then picks the nearest such text: 4.9E-324 where JavaScript says 5e-324.
  const text = shortest.includes('.') ? shortest : value.toExponential(1);
  const at = text.indexOf('e');
  const exponent = text.charAt(at + 1) === '+' ? text.slice(at + 2) : text.slice(at + 1);
  return text.slice(0, at) + 'E' + exponent;
}

/** `12.340`, `1E+3`, `1E-10`: every digit of the unscaled value is kept. */
export function decimalText({ unscaled, scale }: Decimal): string {
  const negative = unscaled < 0n;
  const digits = (negative ? -unscaled : unscaled).toString();
  const sign = negative ? '-' : '';
  if (scale === 0) return sign + digits;
  const exponent = digits.length - 1 - scale;
  if (scale > 0 && exponent >= -6) {
    const padded = digits.padStart(scale + 1, '0');
    return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
  }
  const mantissa = digits.length > 1 ? `${digits.charAt(0)}.${digits.slice(1)}` : digits;
  return `${sign}${mantissa}E${exponent >= 0 ? '+' : ''}${exponent}`;
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/;

/** Null when the text is not a decimal number. The scale is the text's own: `12.340` has scale 3, `1E+3` scale -3. */
export function parseDecimal(text: string): Decimal | null {
  const match = DECIMAL.exec(text);
  if (!match) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return null;
  const unscaled = BigInt(whole + fraction);
  return { unscaled: sign === '-' ? -unscaled : unscaled, scale: fraction.length - Number(exponent) };
}
