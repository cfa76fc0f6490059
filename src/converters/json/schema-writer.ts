/** The `schema` half of JsonConverter's envelope as text. Source: connect-runtime §6.2. */
import { DataError, isRecursive, type Field, type Schema, type SchemaType } from '@millrace/sdk';
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

/** Characters. Types that contain two of the next below them, and so on, have a text that no memory holds. */
const LONGEST_TEXT = 16 * 1024 * 1024;

/**
 * Throws DataError `CONVERTER_JSON_SCHEMA` for a schema that contains itself, or whose text is too long: the envelope
 * has each part written out.
 */
export function schemaText(schema: Schema, renderDefault: RenderDefault): string {
  if (isRecursive(schema)) throw unwritable(schema, 'it contains itself, or is nested too deep');
  const text = new SchemaText(renderDefault);
  text.addSchema(schema);
  if (text.length > LONGEST_TEXT) throw unwritable(schema, `its text is longer than ${LONGEST_TEXT} characters`);
  return text.parts.join('');
}

function unwritable({ type, name }: Schema, reason: string): DataError {
  const named = name === null ? TYPE_NAMES[type] : `"${name.slice(0, 200)}"`;
  return new DataError(
    `JsonConverter cannot write the schema ${named} into each record: ${reason}. Set schemas.enable=false, or use a converter with a schema registry.`,
    { code: 'CONVERTER_JSON_SCHEMA' },
  );
}

class SchemaText {
  readonly parts: string[] = [];
  length = 0;

  constructor(private readonly renderDefault: RenderDefault) {}

  /**
   * Members in Java's order: type, parts, optional, name, version, doc, parameters, default, and for a struct's field
   * its name last.
   */
  addSchema(schema: Schema, field?: string): void {
    if (this.length > LONGEST_TEXT) return;
    this.add(`{"type":"${TYPE_NAMES[schema.type]}"`);
    if (schema.type === 'ARRAY' && schema.valueSchema) {
      this.addMember('items', schema.valueSchema);
    } else if (schema.type === 'MAP' && schema.keySchema && schema.valueSchema) {
      this.addMember('keys', schema.keySchema);
      this.addMember('values', schema.valueSchema);
    } else if (schema.type === 'STRUCT') {
      this.addFields(schema.fields ?? []);
    }
    this.add(this.facts(schema));
    if (field !== undefined) this.add(`,"field":${quote(field)}`);
    this.add('}');
  }

  private addMember(name: string, schema: Schema): void {
    this.add(`,"${name}":`);
    this.addSchema(schema);
  }

  private addFields(fields: readonly Field[]): void {
    this.add(',"fields":[');
    fields.forEach(({ name, schema }, i) => {
      if (i > 0) this.add(',');
      this.addSchema(schema, name);
    });
    this.add(']');
  }

  private facts(schema: Schema): string {
    let text = `,"optional":${schema.optional}`;
    if (schema.name !== null) text += `,"name":${quote(schema.name)}`;
    if (schema.version !== null) text += `,"version":${schema.version}`;
    if (schema.doc !== null) text += `,"doc":${quote(schema.doc)}`;
    if (schema.parameters !== null) {
      const members = Object.entries(schema.parameters).map(([key, value]) => `${quote(key)}:${quote(value)}`);
      text += `,"parameters":{${members.join(',')}}`;
    }
    if (schema.default !== undefined && schema.default !== null) {
      text += `,"default":${this.renderDefault(schema, schema.default)}`;
    }
    return text;
  }

  private add(text: string): void {
    this.parts.push(text);
    this.length += text.length;
  }
}
