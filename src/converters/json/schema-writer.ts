/** The `schema` half of JsonConverter's envelope as text. Source: connect-runtime §6.2. */
import type { Schema, SchemaType } from '@millrace/sdk';
import { quote } from '../../json/quote';

export const TYPE_NAMES: Readonly<Record<SchemaType, string>> = {
  INT8: 'int8',
  INT16: 'int16',
  INT32: 'int32',
  INT64: 'int64',
  FLOAT32: 'float',
  FLOAT64: 'double',
  BOOLEAN: 'boolean',
  STRING: 'string',
  BYTES: 'bytes',
  ARRAY: 'array',
  MAP: 'map',
  STRUCT: 'struct',
};

/** Renders a default value in payload form. */
type RenderDefault = (schema: Schema, value: unknown) => string;

/**
 * Members in Java's order: type, parts, optional, name, version, doc, parameters, default, and for a struct's field its
 * name last.
 */
export function schemaText(schema: Schema, renderDefault: RenderDefault, field?: string): string {
  let text = `{"type":"${TYPE_NAMES[schema.type]}"`;
  if (schema.type === 'ARRAY' && schema.valueSchema) {
    text += `,"items":${schemaText(schema.valueSchema, renderDefault)}`;
  } else if (schema.type === 'MAP' && schema.keySchema && schema.valueSchema) {
    text += `,"keys":${schemaText(schema.keySchema, renderDefault)},"values":${schemaText(schema.valueSchema, renderDefault)}`;
  } else if (schema.type === 'STRUCT') {
    const fields = (schema.fields ?? []).map((f) => schemaText(f.schema, renderDefault, f.name));
    text += `,"fields":[${fields.join(',')}]`;
  }
  text += `,"optional":${schema.optional}`;
  if (schema.name !== null) text += `,"name":${quote(schema.name)}`;
  if (schema.version !== null) text += `,"version":${schema.version}`;
  if (schema.doc !== null) text += `,"doc":${quote(schema.doc)}`;
  if (schema.parameters !== null) {
    const members = Object.entries(schema.parameters).map(([key, value]) => `${quote(key)}:${quote(value)}`);
    text += `,"parameters":{${members.join(',')}}`;
  }
  if (schema.default !== undefined && schema.default !== null) {
    text += `,"default":${renderDefault(schema, schema.default)}`;
  }
  if (field !== undefined) text += `,"field":${quote(field)}`;
  return text + '}';
}
