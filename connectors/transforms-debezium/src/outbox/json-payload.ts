/** A JSON text as a Connect value (`table.expand.json.payload`). Source: cdc-postgres §7.12. */
import type { Schema } from '@millrace/sdk';
import { parseJson } from './json-node';
import { inferSchema, NoSchemaError, PartLimit, valueOfJson, type JsonInference } from './json-schema';

interface ExpandedJson {
  readonly schema: Schema;
  readonly value: unknown;
}

/** Schemas are kept up to this number and length of text, because converters compile each schema object once. */
const MANY_SCHEMAS = 1_000;
const LONG_SCHEMA = 8_192;

export class JsonPayload {
  private readonly schemas = new Map<string, Schema>();

  /** @param name of the outermost struct's schema; null: none */
  constructor(
    private readonly name: string | null,
    private readonly by: JsonInference,
  ) {}

  /** Null: the text is not an object or array in JSON, or has no Connect schema. */
  expand(text: string): ExpandedJson | null {
    if (!text.startsWith('{') && !text.startsWith('[')) return null;
    try {
      const node = parseJson(text);
      const limit = new PartLimit();
      const inferred = inferSchema(this.name, node, this.by, limit);
      if (inferred === null) return null;
      const schema = this.kept(inferred);
      return { schema, value: valueOfJson(node, schema, this.by, limit) };
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof NoSchemaError) return null;
      throw error;
    }
  }

  /** An equal schema that an earlier text had, or this one. */
  private kept(schema: Schema): Schema {
    const text = schemaText(schema);
    const known = this.schemas.get(text);
    if (known || text.length > LONG_SCHEMA) return known ?? schema;
    if (this.schemas.size >= MANY_SCHEMAS) this.schemas.clear();
    this.schemas.set(text, schema);
    return schema;
  }
}

/** Names of structs follow from those of the fields. */
function schemaText({ type, fields, valueSchema }: Schema): string {
  if (fields !== null) {
    return `{${fields.map(({ name, schema }) => `${JSON.stringify(name)}:${schemaText(schema)}`).join(',')}}`;
  }
  return valueSchema === null ? type : `[${schemaText(valueSchema)}]`;
}
