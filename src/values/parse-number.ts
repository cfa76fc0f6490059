/** Numbers in header text: the smallest type that holds them. Source: connect-runtime §6.4 (5). */
import {
  safeInteger,
  decimalSchema,
  schema as makeSchema,
  type Schema,
  type SchemaAndValue,
  parseDecimal,
} from '@millrace/sdk';

const INTEGERS: readonly [number, Schema][] = [
  [8, makeSchema('INT8')],
  [16, makeSchema('INT16')],
  [32, makeSchema('INT32')],
  [64, makeSchema('INT64')],
];
const FLOAT32 = makeSchema('FLOAT32');
const FLOAT64 = makeSchema('FLOAT64');
const ORDER = [...INTEGERS.map(([, schema]) => schema), FLOAT32, FLOAT64];
/** 10^20 and above never fits an int64, whatever its factor: keeps the power small. */
const MAX_POWER = 19;

/** Null when the text is not a number. */
export function parseNumber(text: string): SchemaAndValue | null {
  if (!/^[+\-\d]/.test(text)) return null;
  const decimal = parseDecimal(text);
  if (!decimal) return null;
  const integral = integer(decimal.unscaled, decimal.scale);
  if (integral !== null) {
    for (const [bits, schema] of INTEGERS) {
      if (BigInt.asIntN(bits, integral) !== integral) continue;
      return { schema, value: safeInteger(integral) };
    }
    if (/^[+-]?\d+$/.test(text)) return { schema: decimalSchema(0), value: { unscaled: integral, scale: 0 } };
  }
  const double = Number(text);
  const float = Math.fround(double);
  if (Number.isFinite(float)) return { schema: FLOAT32, value: float };
  if (Number.isFinite(double)) return { schema: FLOAT64, value: double };
  return { schema: decimalSchema(decimal.scale), value: decimal };
}

function integer(unscaled: bigint, scale: number): bigint | null {
  if (scale === 0 || unscaled === 0n) return unscaled;
  if (scale < 0) return -scale <= MAX_POWER ? unscaled * 10n ** BigInt(-scale) : null;
  // More places than digits: a fraction, and possibly an enormous power.
  if (scale > unscaled.toString().length) return null;
  const unit = 10n ** BigInt(scale);
  return unscaled % unit === 0n ? unscaled / unit : null;
}

/** The wider of two number schemas; null when either is not one. */
export function widen(a: Schema, b: Schema): Schema | null {
  const at = ORDER.indexOf(a);
  const bt = ORDER.indexOf(b);
  return at < 0 || bt < 0 ? null : (ORDER[Math.max(at, bt)] as Schema);
}
