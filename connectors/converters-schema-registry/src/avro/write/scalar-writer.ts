/** The writer of a scalar Connect schema in an Avro type that can hold its values, or some of them. */
import { LogicalName, type Schema } from '@millrace/sdk';
import { Prop } from '../connect-props';
import type { AvroSchema } from '../schema/avro-schema';
import { decimalWriter, fixedDecimalWriter, temporalWriter } from './logical-writers';
import { mismatch } from './mismatch';
import {
  enumWriter,
  fixedWriter,
  int64Of,
  putDouble,
  putFloat,
  unfit,
  writeBinary,
  writeBoolean,
  writeFloat32,
  writeFloat64,
  writeInt16,
  writeInt32,
  writeInt64,
  writeInt8,
  writeText,
  type WriteValue,
} from './primitive-writers';

/** The only logical types of Avro with the unit of Connect's. Others would give the same number another meaning. */
const SAME_UNIT: ReadonlyMap<string, readonly string[]> = new Map([
  [LogicalName.DATE, ['date']],
  [LogicalName.TIME, ['time-millis']],
  [LogicalName.TIMESTAMP, ['timestamp-millis', 'local-timestamp-millis']],
]);

/** Null: the type cannot hold them; with `strict`, not all of them. */
export function scalarWriter(connect: Schema, avro: AvroSchema, scale: number, strict: boolean): WriteValue | null {
  if (avro.type === 'union') return null;
  const logical = avro.props.get(Prop.LOGICAL_TYPE);
  if (connect.name === LogicalName.DECIMAL) {
    // The same digits would be another number.
    if (logical === 'decimal' && scaleOf(avro) !== scale) return null;
    if (avro.type === 'fixed') return fixedDecimalWriter(scale, avro.size);
    return avro.type === 'bytes' ? decimalWriter(scale) : null;
  }
  const units = connect.name === null ? undefined : SAME_UNIT.get(connect.name);
  if (units !== undefined && typeof logical === 'string' && !units.includes(logical)) return null;
  const write = plainWriter(connect, avro, strict);
  return units === undefined || write === null ? write : temporalWriter(connect.name as string, write);
}

function scaleOf(avro: Exclude<AvroSchema, { type: 'union' }>): number {
  const scale = avro.props.get(Prop.SCALE);
  return typeof scale === 'object' && scale !== null && 'text' in scale ? Number(scale.text) : 0;
}

function plainWriter(connect: Schema, avro: AvroSchema, strict: boolean): WriteValue | null {
  switch (connect.type) {
    case 'INT8':
      return integerWriter(avro, writeInt8);
    case 'INT16':
      return integerWriter(avro, writeInt16);
    case 'INT32':
      return integerWriter(avro, writeInt32);
    case 'INT64':
      if (avro.type === 'int') return strict ? null : asInt;
      return integerWriter(avro, writeInt64);
    case 'FLOAT32':
      if (avro.type === 'double') return (value, out) => putDouble(out, Math.fround(numberOf(value, 'FLOAT32')));
      return avro.type === 'float' ? writeFloat32 : null;
    case 'FLOAT64':
      if (avro.type === 'float') return strict ? null : asFloat;
      return avro.type === 'double' ? writeFloat64 : null;
    case 'BOOLEAN':
      return avro.type === 'boolean' ? writeBoolean : null;
    case 'STRING':
      if (avro.type === 'enum') return enumWriter(avro.symbols);
      return avro.type === 'string' || avro.type === 'bytes' ? writeText : null;
    case 'BYTES':
      if (avro.type === 'fixed') return fixedWriter(avro.size);
      return avro.type === 'bytes' ? writeBinary : null;
    default:
      return null;
  }
}

function integerWriter(avro: AvroSchema, own: WriteValue): WriteValue | null {
  switch (avro.type) {
    case 'int':
      return own;
    case 'long':
      return own;
    case 'float':
      return asFloat;
    case 'double':
      return asDouble;
    default:
      return null;
  }
}

const asInt: WriteValue = (value, out) => {
  const number = int64Of(value, 'INT64');
  if (BigInt.asIntN(32, number) !== number) mismatch('the value is out of the range of int, the type in Avro');
  writeInt32(Number(number), out);
};

const asDouble: WriteValue = (value, out) => {
  const number = numberOf(value, 'a number');
  if (typeof value === 'bigint' && BigInt(number) !== value) mismatch('a double cannot represent the value exactly');
  putDouble(out, number);
};

const asFloat: WriteValue = (value, out) => {
  const number = numberOf(value, 'a number');
  const isExact = Number.isNaN(number) || Math.fround(number) === number;
  if (!isExact || (typeof value === 'bigint' && BigInt(number) !== value))
    mismatch('a float cannot represent the value exactly');
  putFloat(out, number);
};

function numberOf(value: unknown, wanted: string): number {
  if (typeof value === 'number') return value;
  return typeof value === 'bigint' ? Number(value) : unfit(value, wanted);
}
