/** Chunk keys: texts of PostgreSQL here, serialized Java objects in offsets (cdc-postgres §6.4). */
import { plainDecimal } from '@millrace/sdk';
import type { KeyValues } from '../database/key-range';
import { readObjectArray } from './java-array-reader';
import { writeObjectArray } from './java-array-writer';
import { dateText, dayOf, localDate } from './java-date';
import type { JavaValue } from './java-value';
import type { KeyType } from './key-type';

/** Type oids whose values Debezium does not keep as texts. */
const BOOL = 16;
const BYTEA = 17;
const INT8 = 20;
const INT2 = 21;
const INT4 = 23;
const OID = 26;
const FLOAT4 = 700;
const FLOAT8 = 701;
const DATE = 1082;
const NUMERIC = 1700;
const UUID = 2950;

/** Which rows a key delimits: those with larger keys (`after`), or those up to it. */
export type KeyBound = 'after' | 'upTo';

/** Hexadecimal digits of the serialized array. */
export function encodeKey(key: KeyValues | null, types: readonly KeyType[]): string {
  return writeObjectArray(key?.map((text, i) => encoded(text, types[i])) ?? null).toString('hex');
}

/**
 * Null: no key. Throws an Error for a key of values that are not known.
 * @param bound a value that is not exact becomes one that delimits more rows rather than fewer
 */
export function decodeKey(hex: string, bound: KeyBound): KeyValues | null {
  if (!/^(?:[0-9a-f]{2})*$/i.test(hex)) throw new Error('is not hexadecimal');
  const values = readObjectArray(Buffer.from(hex, 'hex'));
  return values === null || values.length === 0 ? null : values.map((value) => decoded(value, bound));
}

function encoded(text: string, type: KeyType | undefined): JavaValue {
  if (type?.objectName != null) return { type: 'PGobject', name: type.objectName, value: text };
  switch (type?.oid) {
    case BOOL:
      return { type: 'Boolean', value: text.startsWith('t') };
    case INT2:
    case INT4:
      return { type: 'Integer', value: BigInt(text) };
    case INT8:
    case OID:
      return { type: 'Long', value: BigInt(text) };
    case FLOAT4:
      return { type: 'Float', value: Number(text) };
    case FLOAT8:
      return { type: 'Double', value: Number(text) };
    case UUID:
      return { type: 'UUID', value: text };
    case BYTEA:
      if (text.startsWith('\\x')) return { type: 'byte[]', value: Buffer.from(text.slice(2), 'hex') };
      break;
    case DATE:
      return localDate(text) ?? { type: 'String', value: text };
    case NUMERIC: {
      const [, whole, fraction = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(text) ?? [];
      if (whole !== undefined)
        return { type: 'BigDecimal', unscaled: BigInt(whole + fraction), scale: fraction.length };
    }
  }
  return { type: 'String', value: text };
}

function decoded(value: JavaValue, bound: KeyBound): string {
  if (value === null) throw new Error('contains null');
  switch (value.type) {
    case 'BigDecimal':
      // The text of 1E+1000000000 would be as long.
      if (Math.abs(value.scale) > 20_000) throw new Error('contains a decimal out of range');
      return plainDecimal(value);
    case 'byte[]':
      return `\\x${value.value.toString('hex')}`;
    case 'LocalDate':
      return dateText(value);
    case 'Date':
      return dayOf(value.millis, bound);
    default:
      return String(value.value);
  }
}
