/** Which Connect type the strings, numbers and booleans of a schema are. */
import { LogicalName, type SchemaType } from '@millrace/sdk';
import { unusable } from './schema-error';
import type { Facts } from './schema-facts';
import type { Form } from './shape';
import { MOST_DIGITS } from './vocabulary';

type ScalarType = Exclude<SchemaType, 'ARRAY' | 'MAP' | 'STRUCT'>;

export interface Scalar {
  readonly type: ScalarType;
  readonly form: Form;
  /** Of a logical type. */
  readonly name?: string;
  readonly version?: number;
  readonly isText: boolean;
}

const LOGICAL: ReadonlyMap<string, ScalarType> = new Map<string, ScalarType>([
  [LogicalName.DECIMAL, 'BYTES'],
  [LogicalName.DATE, 'INT32'],
  [LogicalName.TIME, 'INT32'],
  [LogicalName.TIMESTAMP, 'INT64'],
]);
const NUMBERS: ReadonlyMap<string, ScalarType> = new Map<string, ScalarType>([
  ['int8', 'INT8'],
  ['int16', 'INT16'],
  ['int32', 'INT32'],
  ['int64', 'INT64'],
  ['float32', 'FLOAT32'],
  ['float64', 'FLOAT64'],
]);

/** Throws DataError `JSON_SCHEMA_INVALID`. */
export function scalarOf(jsonType: string, facts: Facts): Scalar {
  const { title, connectType } = facts;
  const logical = title === null ? undefined : LOGICAL.get(title);
  if (logical !== undefined && title !== null) return logicalOf(title, logical, jsonType, facts);
  switch (jsonType) {
    case 'boolean':
      return { type: 'BOOLEAN', form: 'boolean', isText: false };
    case 'string':
      return connectType === 'bytes'
        ? { type: 'BYTES', form: 'bytes', isText: true }
        : { type: 'STRING', form: 'string', isText: true };
    default: {
      const type = NUMBERS.get(connectType ?? '') ?? (jsonType === 'integer' ? 'INT64' : 'FLOAT64');
      return { type, form: type.startsWith('INT') ? 'integer' : 'float', isText: false };
    }
  }
}

/** A name alone makes no logical type: its values would have no meaning. */
function logicalOf(name: string, type: ScalarType, jsonType: string, facts: Facts): Scalar {
  if (jsonType === 'boolean') throw unusable(`its title ${name} is that of a logical type, which no boolean is`);
  const isText = jsonType === 'string';
  if (name !== LogicalName.DECIMAL) return { type, form: 'temporal', name, version: 1, isText };
  const scale = facts.parameters?.scale ?? '';
  if (!/^-?\d{1,5}$/.test(scale) || Math.abs(Number(scale)) > MOST_DIGITS)
    throw unusable(`a Decimal needs the connect.parameters "scale", a number of at most ${MOST_DIGITS}`);
  return { type, form: 'decimal', name, version: 1, isText };
}
