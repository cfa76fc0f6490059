/** The schema of values that have none. */
import { KEY_FIELD, MAP_ENTRY, NAMESPACE, VALUE_FIELD } from '../connect-props';
import { AvroName } from './avro-name';
import { field, primitive, record, type AvroField, type AvroRecord, type AvroSchema } from './avro-schema';
import type { PrimitiveType } from './primitive-types';

/** In the order of their fields. */
const SCALARS: readonly PrimitiveType[] = ['boolean', 'bytes', 'double', 'float', 'int', 'long', 'string'];

export const ANYTHING_SCHEMA = anything();

function anything(): AvroRecord {
  const any = record(new AvroName('Anything', NAMESPACE));
  const entry = record(new AvroName(MAP_ENTRY, NAMESPACE));
  entry.fields.push(field(KEY_FIELD, any), field(VALUE_FIELD, any));
  any.fields.push(
    ...SCALARS.map((type) => optional(type, primitive(type))),
    optional('array', { type: 'array', items: any, props: new Map() }),
    optional('map', { type: 'array', items: entry, props: new Map() }),
  );
  return any;
}

function optional(name: string, schema: AvroSchema): AvroField {
  return field(name, { type: 'union', types: [primitive('null'), schema] }, { default: null });
}
