/** The `schema` half of an envelope back to a Schema. Source: connect-runtime §6.2. */
import {
  arraySchema,
  DataError,
  mapSchema,
  schema,
  structSchema,
  type Schema,
  type SchemaOptions,
  type SchemaType,
} from '@millrace/sdk';
import { JsonNumber } from '@millrace/texts/json';
import { readPayload } from './payload-reader';
import { TYPE_NAMES } from './schema-writer';

const TYPES = new Map<string, SchemaType>(Object.entries(TYPE_NAMES).map(([type, name]) => [name, type as SchemaType]));

/** Throws DataError for anything that is not a schema. Null for JSON null. */
export function readSchema(tree: unknown): Schema | null {
  if (tree === null || tree === undefined) return null;
  if (typeof tree !== 'object' || Array.isArray(tree))
    throw new DataError('Invalid schema: it must be a JSON object or null.');
  const json = tree as Record<string, unknown>;
  const options = readOptions(json);
  const bare = build(json, options);
  if (json.default === undefined || json.default === null) return bare;
  // The default is read with the schema it belongs to; struct fields keep their identity.
  return Object.freeze({ ...bare, default: readPayload(bare, json.default) });
}

function build(json: Record<string, unknown>, options: SchemaOptions): Schema {
  if (typeof json.type !== 'string') throw new DataError("Schema must contain 'type' field, and it must be text.");
  const type = TYPES.get(json.type);
  switch (type) {
    case undefined:
      throw new DataError(`Unknown schema type: ${json.type}.`);
    case 'ARRAY':
      return arraySchema(part(json, 'items', 'Array schema did not specify the element type.'), options);
    case 'MAP':
      return mapSchema(
        part(json, 'keys', 'Map schema did not specify the key type.'),
        part(json, 'values', 'Map schema did not specify the value type.'),
        options,
      );
    case 'STRUCT':
      return structSchema(readFields(json.fields), options);
    default:
      return schema(type, options);
  }
}

function part(json: Record<string, unknown>, member: string, reason: string): Schema {
  const found = readSchema(json[member]);
  if (!found) throw new DataError(reason);
  return found;
}

function readFields(fields: unknown): [string, Schema][] {
  if (!Array.isArray(fields)) throw new DataError('Struct schema\'s "fields" argument is not an array.');
  const seen = new Set<string>();
  return fields.map((json: unknown) => {
    const name = typeof json === 'object' && json !== null ? (json as Record<string, unknown>).field : undefined;
    if (typeof name !== 'string')
      throw new DataError('Struct schema\'s field name not specified properly: "field" must be text.');
    if (seen.has(name)) throw new DataError(`Struct schema has two fields named "${name}".`);
    seen.add(name);
    return [name, readSchema(json) as Schema];
  });
}

function readOptions(json: Record<string, unknown>): SchemaOptions {
  const options: SchemaOptions = { optional: json.optional === true };
  if (typeof json.name === 'string') options.name = json.name;
  if (typeof json.doc === 'string') options.doc = json.doc;
  const version = json.version instanceof JsonNumber && json.version.integral ? json.version.toNumber() : json.version;
  if (typeof version === 'number' && Number.isInteger(version)) options.version = version;
  if (json.parameters !== undefined && json.parameters !== null) options.parameters = readParameters(json.parameters);
  return options;
}

function readParameters(json: unknown): Record<string, string> {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new DataError('Schema parameters must be an object.');
  const entries = Object.entries(json);
  for (const [key, value] of entries) {
    if (typeof value !== 'string') throw new DataError(`Schema parameter "${key}" must be text.`);
  }
  return Object.fromEntries(entries) as Record<string, string>;
}
