/** Chunk keys: texts of PostgreSQL here, serialized Java objects in offsets (cdc-postgres §6.4). */
import { plainDecimal } from '@millrace/sdk';
import type { KeyValues } from '../database/key-range';
import { readObjectArray } from './java-array-reader';
import { writeObjectArray } from './java-array-writer';
import type { JavaValue } from './java-value';

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

/** Hexadecimal digits of the serialized array. */
export function encodeKey(key: KeyValues | null, typeOids: readonly number[]): string {
  return writeObjectArray(key?.map((text, i) => encoded(text, typeOids[i] ?? 0)) ?? null).toString('hex');
}

/** Null: no key. Throws an Error for a key of values that are not known. */
export function decodeKey(hex: string): KeyValues | null {
  if (!/^(?:[0-9a-f]{2})*$/i.test(hex)) throw new Error('is not hexadecimal');
  const values = readObjectArray(Buffer.from(hex, 'hex'));
  return values === null || values.length === 0 ? null : values.map(decoded);
}

function encoded(text: string, typeOid: number): JavaValue {
  switch (typeOid) {
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
      if (/^\d{4}-\d\d-\d\d$/.test(text)) return { type: 'Date', millis: BigInt(Date.parse(`${text}Z`)), nanos: 0 };
      break;
    case NUMERIC: {
      const [, whole, fraction = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(text) ?? [];
      if (whole !== undefined)
        return { type: 'BigDecimal', unscaled: BigInt(whole + fraction), scale: fraction.length };
    }
  }
  return { type: 'String', value: text };
}

function decoded(value: JavaValue): string {
  if (value === null) throw new Error('contains null');
  switch (value.type) {
    case 'BigDecimal':
      // The text of 1E+1000000000 would be as long.
      if (Math.abs(value.scale) > 20_000) throw new Error('contains a decimal out of range');
      return plainDecimal(value);
    case 'byte[]':
      return `\\x${value.value.toString('hex')}`;
    case 'Date':
      return instant(value.millis).slice(0, 10);
    case 'Time':
      return instant(value.millis).slice(11, 19);
    case 'Timestamp': {
      const seconds = instant(value.millis).slice(0, 19).replace('T', ' ');
      return value.nanos === 0 ? seconds : `${seconds}.${String(value.nanos).padStart(9, '0')}`;
    }
    default:
      return String(value.value);
  }
}

/** In UTC, of the years 0 to 9999. */
function instant(millis: bigint): string {
  const text =
    millis > -62_167_219_200_001n && millis < 253_402_300_800_000n ? new Date(Number(millis)).toISOString() : '';
  if (text === '') throw new Error('contains a date out of range');
  return text;
}
