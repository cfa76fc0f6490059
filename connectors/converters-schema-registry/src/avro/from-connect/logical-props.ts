/** Avro's own logical types, as attributes. */
import { LogicalName, type Schema } from '@millrace/sdk';
import { DEFAULT_PRECISION, Param, Prop } from '../connect-props';
import { schemaError } from '../schema-error';
import type { AvroSchema } from '../schema/avro-schema';
import { parameter } from './connect-kinds';

const LOWER = {
  decimal: LogicalName.DECIMAL.toLowerCase(),
  date: LogicalName.DATE.toLowerCase(),
  time: LogicalName.TIME.toLowerCase(),
  timestamp: LogicalName.TIMESTAMP.toLowerCase(),
};

/** Throws DataError `AVRO_SCHEMA` for a type that the logical one cannot have. */
export function addLogicalType(schema: Schema, avro: AvroSchema): void {
  if (schema.name === null || avro.type === 'union') return;
  switch (schema.name.toLowerCase()) {
    case LOWER.decimal:
      checkDecimal(schema, avro);
      return void avro.props.set(Prop.LOGICAL_TYPE, 'decimal');
    case LOWER.date:
      return set(avro, 'date', 'int', schema.name);
    case LOWER.time:
      return set(avro, 'time-millis', 'int', schema.name);
    case LOWER.timestamp:
      return set(avro, 'timestamp-millis', 'long', schema.name);
  }
}

function set(avro: Exclude<AvroSchema, { type: 'union' }>, logical: string, type: 'int' | 'long', name: string): void {
  if (avro.type !== type) throw schemaError(`The logical type ${name} needs another type than ${avro.type}.`, { name });
  avro.props.set(Prop.LOGICAL_TYPE, logical);
}

/** A scale that Avro does not allow is written nevertheless, as Java does. */
function checkDecimal(schema: Schema, avro: AvroSchema): void {
  if (avro.type !== 'bytes' && avro.type !== 'fixed')
    throw schemaError(`The logical type ${schema.name} needs another type than ${avro.type}.`);
  const scale = parameter(schema, Param.SCALE) === undefined ? 0 : parsedInteger(schema, Param.SCALE);
  const precision = precisionOf(schema) ?? DEFAULT_PRECISION;
  if (scale < 0 || scale > precision) return;
  const most = avro.type === 'fixed' ? Math.floor(Math.log10(2) * (8 * avro.size - 1)) : Infinity;
  if (precision <= 0 || precision > most)
    throw schemaError(`A decimal of the schema cannot have ${precision} digits in its type.`);
}

/** Null: the schema has none. */
export function precisionOf(schema: Schema): number | null {
  return parameter(schema, Param.PRECISION) === undefined ? null : parsedInteger(schema, Param.PRECISION);
}

/** A decimal of more zeros than this would take seconds, and all the memory, to become a text. */
const MOST_SCALE = 10_000;

export function scaleOf(schema: Schema): number {
  const scale = parsedInteger(schema, Param.SCALE);
  if (Math.abs(scale) <= MOST_SCALE) return scale;
  throw schemaError(`The scale of a decimal is not between -${MOST_SCALE} and ${MOST_SCALE}.`, {
    scale: String(scale),
  });
}

export function parsedInteger(schema: Schema, name: string): number {
  const text = parameter(schema, name) ?? '';
  const value = /^[+-]?\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (value >= -(2 ** 31) && value < 2 ** 31) return value;
  throw schemaError(`The parameter "${name}" of a ${schema.type} schema must be an integer.`, { name });
}
