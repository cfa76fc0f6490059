/** Types as the catalog declares them, in the terms of PostgreSQL's JDBC driver, which Debezium reports. */
import { numericTypmod } from './numbers';
import type { PgType } from './value-type';

export interface SourceType {
  /** Name of the declared type: a domain's own name, `_int4` for an array. */
  readonly name: string;
  /** Under all domains. */
  readonly base: PgType;
  /** Characters, digits, or what else the type counts; `UNBOUNDED` for no limit, null where the driver has none. */
  readonly length: number | null;
  readonly scale: number | null;
}

export const UNBOUNDED = 2147483647;

export function sourceType(types: ReadonlyMap<number, PgType>, oid: number, typmod: number): SourceType | null {
  const declared = types.get(oid);
  if (declared === undefined) return null;
  let base = declared;
  let modifier = typmod;
  while (base.kind === 'd') {
    const under = types.get(base.of);
    if (under === undefined) return null;
    modifier = base.typmod;
    base = under;
  }
  const item = base.isArray ? types.get(base.of) : base;
  const { length, scale } = sizeOf(item?.name ?? '', modifier, base.isArray, declared.kind === 'd');
  return { name: declared.name, base, length, scale };
}

interface Size {
  readonly length: number | null;
  readonly scale: number | null;
}

const FIXED: Readonly<Record<string, number>> = {
  bool: 1,
  char: 1,
  int2: 5,
  int4: 10,
  oid: 10,
  int8: 19,
  date: 13,
};
/** The driver has the digits of a floating-point number as its scale, too. */
const FLOATS: Readonly<Record<string, number>> = { float4: 8, float8: 17 };
/** Length without a fraction. */
const CLOCKS: Readonly<Record<string, number>> = { time: 8, timetz: 14, timestamp: 22, timestamptz: 28 };
const VECTORS = new Set(['vector', 'halfvec', 'sparsevec']);
/** All digits that a numeric without precision may have, before and after the point. */
const NUMERIC_DIGITS = 131089;

function sizeOf(name: string, typmod: number, isArray: boolean, isDomain: boolean): Size {
  if (Object.hasOwn(FIXED, name)) return { length: FIXED[name] as number, scale: 0 };
  const digits = Object.hasOwn(FLOATS, name) ? (FLOATS[name] as number) : null;
  if (digits !== null) return { length: digits, scale: digits };
  if (Object.hasOwn(CLOCKS, name)) {
    // The point and the digits; one digit has the length of two.
    const fraction = typmod < 0 ? 7 : typmod === 0 ? 0 : Math.max(typmod, 2) + 1;
    return { length: (CLOCKS[name] as number) + fraction, scale: typmod < 0 ? 6 : typmod };
  }
  switch (name) {
    case 'interval':
      return { length: 49, scale: typmod < 0 ? 6 : typmod & 0xffff };
    case 'varchar':
    case 'bpchar':
      return { length: typmod < 0 ? UNBOUNDED : typmod - 4, scale: 0 };
    case 'bit':
    case 'varbit':
      return { length: typmod < 0 ? UNBOUNDED : typmod, scale: 0 };
    case 'numeric': {
      const declared = numericTypmod(typmod);
      if (declared !== null) return { length: declared.precision, scale: Math.max(0, declared.scale) };
      return isArray || isDomain ? { length: NUMERIC_DIGITS, scale: 0 } : { length: 0, scale: null };
    }
  }
  return { length: VECTORS.has(name) && !isArray && !isDomain ? null : UNBOUNDED, scale: 0 };
}
