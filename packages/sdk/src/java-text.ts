/**
 * Values as Java's `toString` prints them, held to recorded answers (test/golden/java-text). Source: connect-runtime
 * §1.3, §6.3. Doubles and floats have the shortest text that reads back as the same number, as on JDK 19 and later;
 * older JDKs print some with more digits (JDK-4511638). Kafka 4.3.1's image runs Java 21.
 */
import { isDecimal } from './check-value';
import { readMember } from './member';
import { expectNesting } from './nesting';
import type { Decimal, Schema } from './schema';

/** Forms of values whose text in Java depends on the JVM: byte arrays print an address, dates the local time zone. */
export interface JavaTextForms {
  /** Default: base64. */
  readonly bytes?: (bytes: Buffer) => string;
  /** Default: as on a machine in UTC, `Tue Nov 14 22:13:20 UTC 2023`. */
  readonly date?: (date: Date) => string;
}

const DEFAULT_FORMS: JavaTextForms = {};

/** `String.valueOf`: `Struct{a=1,in=Struct{x=1}}` without null fields, `{a=1, b=2}`, `[1, null]`, `1.0E10`, `null`. */
export function javaText(schema: Schema | null, value: unknown, forms = DEFAULT_FORMS, depth = 0): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return numberText(schema, value);
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'object':
      return value === null ? 'null' : objectText(schema, value, forms, depth + 1);
    default:
      return 'null';
  }
}

function numberText(schema: Schema | null, value: number): string {
  if (schema?.type === 'FLOAT32') return javaFloat(value);
  if (schema?.type === 'FLOAT64' || !Number.isInteger(value)) return javaDouble(value);
  // A larger whole number does not fit a long, so it was a double.
  return Math.abs(value) < 2 ** 63 ? BigInt(value).toString() : javaDouble(value);
}

function objectText(schema: Schema | null, value: object, forms: JavaTextForms, depth: number): string {
  expectNesting(depth);
  if (schema?.type === 'STRUCT') {
    const fields: string[] = [];
    for (const field of schema.fields ?? []) {
      const member = readMember(value as Record<string, unknown>, field.name);
      if (member !== null && member !== undefined)
        fields.push(`${field.name}=${javaText(field.schema, member, forms, depth)}`);
    }
    return `Struct{${fields.join(',')}}`;
  }
  const valueSchema = schema?.valueSchema ?? null;
  if (Array.isArray(value))
    return `[${value.map((element) => javaText(valueSchema, element, forms, depth)).join(', ')}]`;
  if (value instanceof Uint8Array) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return forms.bytes ? forms.bytes(bytes) : bytes.toString('base64');
  }
  if (value instanceof Date) return forms.date ? forms.date(value) : javaDate(value);
  if (isDecimal(value)) return decimalText(value);
  const entries: [unknown, unknown][] =
    value instanceof Map ? [...(value as Map<unknown, unknown>)] : Object.entries(value);
  const keySchema = schema?.keySchema ?? null;
  const pairs = entries.map(([key, member]) => {
    return `${javaText(keySchema, key, forms, depth)}=${javaText(valueSchema, member, forms, depth)}`;
  });
  return `{${pairs.join(', ')}}`;
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `java.util.Date.toString` on a machine in UTC. */
function javaDate(date: Date): string {
  const two = (n: number): string => String(n).padStart(2, '0');
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  return `${DAYS[date.getUTCDay()]} ${MONTHS[date.getUTCMonth()]} ${two(date.getUTCDate())} ${time} UTC ${date.getUTCFullYear()}`;
}

/** `Double.toString`: `1.0`, `1.0E7`, `1.0E-5`, `-0.0`, `NaN`, `Infinity`. */
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

/** `Float.toString`: the value is rounded to a float32, whose shortest text has fewer digits. */
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
 * normal float32, so shorter texts need no attempt.
 */
export function shortestFloat(value: number): number {
  const float = Math.fround(value);
  for (let precision = Math.abs(float) < 1.2e-38 ? 1 : 6; precision < 9; precision++) {
    const candidate = Number(float.toPrecision(precision));
    if (Math.fround(candidate) === float) return evenOfTie(candidate, float, precision);
  }
  return Number(float.toPrecision(9));
}

/** Java rounds a tie to the even digit (158007.12 for 158007.125), where `toPrecision` rounds up. */
function evenOfTie(roundedUp: number, float: number, precision: number): number {
  if (Math.abs(roundedUp) <= Math.abs(float)) return roundedUp;
  const digits = float.toPrecision(precision + 1);
  if (!/[02468]\.?5(?:e|$)/.test(digits) || Number(digits) !== float) return roundedUp;
  const even = Number(digits.replace(/5(?=e|$)/, '0'));
  return Math.fround(even) === float ? even : roundedUp;
}

function exponentForm(shortest: string, value: number): string {
  // Java prints at least two digits and then picks the nearest such text: 4.9E-324 where JavaScript prints 5e-324.
  const text = shortest.includes('.') ? shortest : value.toExponential(1);
  const at = text.indexOf('e');
  const exponent = text.charAt(at + 1) === '+' ? text.slice(at + 2) : text.slice(at + 1);
  return text.slice(0, at) + 'E' + exponent;
}

/** `BigDecimal.toString`: `12.340`, `1E+3`, `1E-10`; keeps every digit of the unscaled value. */
export function decimalText(decimal: Decimal): string {
  const { unscaled, scale } = decimal;
  const negative = unscaled < 0n;
  const digits = (negative ? -unscaled : unscaled).toString();
  const exponent = digits.length - 1 - scale;
  if (scale === 0 || (scale > 0 && exponent >= -6)) return plainDecimal(decimal);
  const mantissa = digits.length > 1 ? `${digits.charAt(0)}.${digits.slice(1)}` : digits;
  return `${negative ? '-' : ''}${mantissa}E${exponent >= 0 ? '+' : ''}${exponent}`;
}

/** `BigDecimal.toPlainString`: `-12.340`; every digit, no exponent. */
export function plainDecimal({ unscaled, scale }: Decimal): string {
  if (scale <= 0) return unscaled === 0n ? '0' : `${unscaled}${'0'.repeat(-scale)}`;
  const sign = unscaled < 0n ? '-' : '';
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/;

/**
 * `new BigDecimal(text)`; null when the text is not a decimal number. The scale is the text's own: 3 for `12.340`, -3
 * for `1E+3`.
 */
export function parseDecimal(text: string): Decimal | null {
  const match = DECIMAL.exec(text);
  if (!match) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return null;
  const unscaled = BigInt(whole + fraction);
  return { unscaled: sign === '-' ? -unscaled : unscaled, scale: fraction.length - Number(exponent) };
}

/**
 * Java's `String.trim()`: removes characters up to U+0020 at both ends. JavaScript's also removes U+00A0, U+FEFF and
 * others.
 */
export function javaTrim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 0x20) start++;
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--;
  return text.slice(start, end);
}
