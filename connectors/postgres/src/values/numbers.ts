import { decimalSchema, plainDecimal, schema, structSchema, type Decimal, unscaledBytes } from '@millrace/sdk';
import { Plain, rawCell, rawText, type RawCell } from './plain-text';
import {
  ascii,
  int64,
  NOT_FINITE,
  textLike,
  type DecimalMode,
  type DefaultText,
  type TextDecoder,
  type ValueOptions,
  type ValueType,
} from './value-type';

const MINUS = 45;
const DOT = 46;
const ZERO = 48;
/** A double represents all integers of this many digits exactly. */
const EXACT_DIGITS = 15;

/** Fits int2, int4 and oid: read digit by digit, no string in between. */
export const decodeInt: TextDecoder = (bytes, start, end) => {
  let at = start;
  const negative = bytes[at] === MINUS;
  if (negative) at++;
  let value = 0;
  for (; at < end; at++) value = value * 10 + ((bytes[at] as number) - ZERO);
  return negative ? -value : value;
};

export const decodeInt8: TextDecoder = (bytes, start, end) =>
  end - start <= EXACT_DIGITS ? decodeInt(bytes, start, end) : int64(BigInt(ascii(bytes, start, end)));

/** The unscaled value of a plain decimal, of at most 15 digits. */
function unscaledOf(bytes: Buffer, start: number, end: number): number {
  const negative = bytes[start] === MINUS;
  let value = 0;
  for (let at = negative ? start + 1 : start; at < end; at++) {
    const c = bytes[at] as number;
    if (c !== DOT) value = value * 10 + (c - ZERO);
  }
  // No negative zero.
  return negative ? 0 - value : value;
}

export const decodeFloat: TextDecoder = (bytes, start, end) => Number(ascii(bytes, start, end));

export const decodeBool: TextDecoder = (bytes, start) => bytes[start] === 116;

/** Unscaled value and scale of plain decimal text. */
export function parseDecimal(bytes: Buffer, start: number, end: number): Decimal | typeof NOT_FINITE {
  let at = start;
  const negative = bytes[at] === MINUS;
  if (negative) at++;
  const first = bytes[at] as number;
  if (first > 57) return NOT_FINITE;
  let scale = 0;
  if (end - at <= EXACT_DIGITS) {
    let unscaled = 0;
    for (; at < end; at++) {
      const c = bytes[at] as number;
      if (c === DOT) scale = end - at - 1;
      else unscaled = unscaled * 10 + (c - ZERO);
    }
    return { unscaled: BigInt(negative ? -unscaled : unscaled), scale };
  }
  const text = ascii(bytes, start, end);
  const dot = text.indexOf('.');
  if (dot < 0) return { unscaled: BigInt(text), scale: 0 };
  scale = text.length - dot - 1;
  return { unscaled: BigInt(text.slice(0, dot) + text.slice(dot + 1)), scale };
}

const SPECIAL_NUMERIC: Readonly<Record<string, string>> = {
  NaN: 'NAN',
  Infinity: 'POSITIVE_INFINITY',
  '-Infinity': 'NEGATIVE_INFINITY',
};

const VARIABLE_SCALE = structSchema(
  [
    ['scale', schema('INT32')],
    ['value', schema('BYTES')],
  ],
  { name: 'io.debezium.data.VariableScaleDecimal', version: 1, doc: 'Variable scaled decimal' },
);

/** Precision and scale out of a numeric type modifier; null for unconstrained `numeric`. */
export function numericTypmod(typmod: number): { precision: number; scale: number } | null {
  if (typmod < 4) return null;
  const packed = typmod - 4;
  // The scale is an 11-bit signed number since PostgreSQL 15 allows it to be negative.
  return { precision: (packed >> 16) & 0xffff, scale: ((packed & 0x7ff) ^ 1024) - 1024 };
}

const INTEGER_TEXT = /^-?\d+$/;
const FLOAT_TEXT = /^(?:-?\d+(?:\.\d*)?(?:e[+-]?\d+)?|NaN|-?Infinity)$/i;
const DECIMAL_TEXT = /^(-?\d+)(?:\.(\d*))?$/;

/**
 * Uses the scale of the column, not that of the literal; null where it would have to be rounded.
 */
function defaultOfScale(scale: number): DefaultText {
  return (literal) => {
    const found = DECIMAL_TEXT.exec(literal);
    if (found === null) return null;
    const [, whole, fraction = ''] = found;
    if (!/^0*$/.test(fraction.slice(scale))) return null;
    return scale === 0 ? (whole as string) : `${whole}.${fraction.slice(0, scale).padEnd(scale, '0')}`;
  };
}

/** `0.00` */
const zeroText = (scale: number): string => plainDecimal({ unscaled: 0n, scale });

function nonDecimal(mode: Exclude<DecimalMode, 'precise'>, scale: number, defaultText: DefaultText): ValueType {
  if (mode === 'double')
    return { schema: schema('FLOAT64'), decode: decodeFloat, unavailable: null, fallback: 0, defaultText };
  const decode: TextDecoder = (bytes, start, end) => {
    const text = ascii(bytes, start, end);
    return SPECIAL_NUMERIC[text] ?? text;
  };
  const raw = rawText(decode, Plain.DecimalText);
  return { schema: schema('STRING'), decode, unavailable: null, fallback: zeroText(scale), defaultText, raw };
}

export function numericType(typmod: number, options: ValueOptions): ValueType {
  const declared = numericTypmod(typmod);
  if (options.decimals !== 'precise')
    return nonDecimal(
      options.decimals,
      Math.max(0, declared?.scale ?? 0),
      declared === null ? textLike(DECIMAL_TEXT) : defaultOfScale(Math.max(0, declared.scale)),
    );
  if (declared === null) {
    const decode: TextDecoder = (bytes, start, end) => {
      const decimal = parseDecimal(bytes, start, end);
      if (decimal === NOT_FINITE) return decimal;
      let { unscaled, scale } = decimal;
      while (scale > 0 && unscaled % 10n === 0n) {
        unscaled /= 10n;
        scale--;
      }
      return { scale, value: unscaledBytes(unscaled) };
    };
    return {
      schema: VARIABLE_SCALE,
      decode,
      unavailable: null,
      fallback: { scale: 0, value: Buffer.of(0) },
      defaultText: null,
    };
  }
  const scale = Math.max(0, declared.scale);
  return {
    schema: decimalSchema(scale, { parameters: { 'connect.decimal.precision': String(declared.precision) } }),
    decode: parseDecimal,
    unavailable: null,
    fallback: { unscaled: 0n, scale },
    defaultText: defaultOfScale(scale),
    raw: rawCell({ form: 'decimal', decode: parseDecimal, read: unscaledOf }, Plain.Decimal, scale),
  };
}

/**
 * Sessions run with lc_monetary=C, so the text is `-$1,234.56` whatever the server's locale: an amount of 123456
 * smallest units, which are not hundredths in every currency.
 */
export function moneyType(options: ValueOptions): ValueType {
  const { currencyDigits, moneyFractionDigits } = options;
  const amount = (bytes: Buffer, start: number, end: number): Decimal => {
    const coins = ascii(bytes, start, end)
      .replace(/[$,.]/g, '')
      .replace(/^\((.*)\)$/, '-$1');
    return { unscaled: BigInt(coins), scale: currencyDigits };
  };
  if (options.decimals === 'double')
    return {
      schema: schema('FLOAT64'),
      decode: (b, s, e) => Number(plainDecimal(amount(b, s, e))),
      unavailable: null,
      fallback: 0,
      defaultText: null,
    };
  if (options.decimals === 'string')
    return {
      schema: schema('STRING'),
      decode: (b, s, e) => plainDecimal(amount(b, s, e)),
      unavailable: null,
      fallback: zeroText(moneyFractionDigits),
      defaultText: null,
    };
  return {
    schema: decimalSchema(moneyFractionDigits),
    decode: (b, s, e) => rescale(amount(b, s, e), moneyFractionDigits),
    unavailable: null,
    fallback: { unscaled: 0n, scale: moneyFractionDigits },
    defaultText: null,
  };
}

/** Half-up, as Debezium rounds money to fewer digits than the server sends. */
function rescale(decimal: Decimal, scale: number): Decimal {
  if (scale >= decimal.scale) return { unscaled: decimal.unscaled * 10n ** BigInt(scale - decimal.scale), scale };
  const divisor = 10n ** BigInt(decimal.scale - scale);
  const half = divisor / 2n;
  const { unscaled } = decimal;
  return { unscaled: (unscaled < 0n ? unscaled - half : unscaled + half) / divisor, scale };
}

const LIMITS = { INT16: 32767, INT32: 2147483647, INT64: Infinity } as const;

/** @param limit the largest value, where the schema's type does not say it; the type then has no negative values */
export function plainInteger(type: keyof typeof LIMITS, decode: TextDecoder, limit?: number): ValueType {
  const form = { form: 'integer', decode } as const;
  const isLong = type === 'INT64' && limit === undefined;
  return plainNumber(type, decode, rawCell(form, isLong ? Plain.Long : Plain.Integer, limit ?? LIMITS[type]));
}

export function plainNumber(
  type: 'INT16' | 'INT32' | 'INT64' | 'FLOAT32' | 'FLOAT64',
  decode: TextDecoder,
  raw?: RawCell,
): ValueType {
  const defaultText = textLike(type.startsWith('INT') ? INTEGER_TEXT : FLOAT_TEXT);
  return { schema: schema(type), decode, unavailable: null, fallback: 0, defaultText, raw };
}
