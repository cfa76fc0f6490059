/** Structs, their schemas, and errors about them, in Java's words and with its classes. */
import {
  ConnectError,
  DataError,
  javaText,
  readMember,
  schemaBasics,
  structSchema,
  type ConnectRecord,
  type Schema,
  type SchemaType,
} from '@millrace/sdk';

export type StructValue = Readonly<Record<string, unknown>>;

/** Optional and without a default. */
export function asOptional(schema: Schema): Schema {
  return Object.freeze({ ...schema, optional: true, default: undefined });
}

/** The fields of `schema` and further ones. Throws DataError when two have one name. */
export function extended(schema: Schema, more: readonly (readonly [string, Schema])[]): Schema {
  const fields = [...(schema.fields ?? []).map(({ name, schema: of }) => [name, of] as const), ...more];
  const names = fields.map(([name]) => name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) {
    throw dataError(`Cannot create field because of field name duplication ${twice}`);
  }
  return structSchema(fields, schemaBasics(schema));
}

export function dataError(message: string): DataError {
  return new DataError(message, { code: 'PG_TRANSFORM_DATA' });
}

/** As `dataError`, where Java throws another class than DataException. */
export class TransformError extends DataError {
  constructor(
    override readonly javaClass: string,
    message: string,
    cause?: unknown,
  ) {
    super(message, { code: 'PG_TRANSFORM_DATA', cause });
  }
}

export function connectError(message: string): ConnectError {
  return new ConnectError(message, { code: 'PG_TRANSFORM_DATA' });
}

/** Whether the record is a change event. */
export function isEnvelope({ value, valueSchema }: ConnectRecord): boolean {
  return value !== null && value !== undefined && (valueSchema?.name?.endsWith('.Envelope') ?? false);
}

/** Undefined: the struct has no such field. */
export function schemaOf(schema: Schema, name: string): Schema | undefined {
  return schema.fields?.find((field) => field.name === name)?.schema;
}

/** The field's value, or its default. Throws DataError if the struct has no such field. */
export function fieldOf(schema: Schema, struct: StructValue, name: string): unknown {
  const field = knownField(schema, name);
  return readMember(struct, name) ?? field.default ?? null;
}

/** The field's value without its default. Throws DataError if there is no such field, or it has another type. */
export function typedField(schema: Schema, struct: StructValue, name: string, type: SchemaType): unknown {
  if (knownField(schema, name).type !== type) throw dataError(`Field '${name}' is not of type ${type}`);
  return readMember(struct, name) ?? null;
}

function knownField(schema: Schema, name: string): Schema {
  const field = schemaOf(schema, name);
  if (field === undefined) throw dataError(`${name} is not a valid field name`);
  return field;
}

/** Throws DataError unless the value is a struct. `purpose` is the text in brackets of Java's message. */
export function requireStruct(schema: Schema | null, value: unknown, purpose: string): StructValue {
  if (schema?.type === 'STRUCT' && value !== null && value !== undefined) return value as StructValue;
  throw dataError(`Only Struct objects supported for [${purpose}], found: ${javaClassOf(schema, value)}`);
}

const CLASSES: Readonly<Partial<Record<SchemaType, string>>> = {
  INT8: 'java.lang.Byte',
  INT16: 'java.lang.Short',
  INT32: 'java.lang.Integer',
  INT64: 'java.lang.Long',
  FLOAT32: 'java.lang.Float',
  FLOAT64: 'java.lang.Double',
  BOOLEAN: 'java.lang.Boolean',
  STRING: 'java.lang.String',
  ARRAY: 'java.util.ArrayList',
  MAP: 'java.util.HashMap',
};

/** As Java's messages about a value of the wrong type have it. */
export function javaTypeName({ type }: Schema): string {
  return `class ${CLASSES[type] ?? 'org.apache.kafka.connect.data.Struct'}`;
}

function javaClassOf(schema: Schema | null, value: unknown): string {
  if (value === null || value === undefined) return 'null';
  const known = schema && CLASSES[schema.type];
  if (known) return known;
  if (typeof value === 'string') return 'java.lang.String';
  return typeof value === 'object' && !Array.isArray(value) ? 'java.util.HashMap' : typeof value;
}

/** A record's key or value in an error message, bounded. */
export function shortText(schema: Schema | null, value: unknown): string {
  const text = javaText(schema, value);
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}

const LONGEST_TEXT = 1_000;
