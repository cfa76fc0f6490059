/**
 * Connect's data model. Schemas are immutable. Create one per table or topic and reuse the object: converters compile
 * and cache one serializer per schema *object*. Source: Kafka Connect data model (connect-runtime §6.1).
 */
export type SchemaType =
  | 'INT8'
  | 'INT16'
  | 'INT32'
  | 'INT64'
  | 'FLOAT32'
  | 'FLOAT64'
  | 'BOOLEAN'
  | 'STRING'
  | 'BYTES'
  | 'ARRAY'
  | 'MAP'
  | 'STRUCT';

export interface Field {
  readonly name: string;
  readonly index: number;
  readonly schema: Schema;
}

export interface Schema {
  readonly type: SchemaType;
  readonly optional: boolean;
  /** `undefined`: no default. A default of null cannot be expressed, as in Java. */
  readonly default: unknown;
  readonly name: string | null;
  readonly version: number | null;
  readonly doc: string | null;
  readonly parameters: Readonly<Record<string, string>> | null;
  /** STRUCT only, in schema order. */
  readonly fields: readonly Field[] | null;
  /** MAP only. */
  readonly keySchema: Schema | null;
  /** ARRAY and MAP only. */
  readonly valueSchema: Schema | null;
}

export interface SchemaOptions {
  optional?: boolean;
  default?: unknown;
  name?: string;
  version?: number;
  doc?: string;
  parameters?: Record<string, string>;
}

function make(
  type: SchemaType,
  options: SchemaOptions,
  fields: readonly Field[] | null = null,
  keySchema: Schema | null = null,
  valueSchema: Schema | null = null,
): Schema {
  return Object.freeze({
    type,
    optional: options.optional ?? false,
    default: options.default,
    name: options.name ?? null,
    version: options.version ?? null,
    doc: options.doc ?? null,
    parameters: options.parameters ? Object.freeze({ ...options.parameters }) : null,
    fields,
    keySchema,
    valueSchema,
  });
}

/** A primitive schema, e.g. `schema('INT64', { optional: true })`. */
export function schema(type: Exclude<SchemaType, 'ARRAY' | 'MAP' | 'STRUCT'>, options: SchemaOptions = {}): Schema {
  return make(type, options);
}

/** An array of values of one schema. */
export function arraySchema(valueSchema: Schema, options: SchemaOptions = {}): Schema {
  return make('ARRAY', options, null, null, valueSchema);
}

/** A map; keys may have any schema. */
export function mapSchema(keySchema: Schema, valueSchema: Schema, options: SchemaOptions = {}): Schema {
  return make('MAP', options, null, keySchema, valueSchema);
}

/**
 * A struct with the fields in the order given.
 * @example structSchema([['id', schema('INT32')], ['title', schema('STRING', { optional: true })]], { name: 'todo' })
 */
export function structSchema(fields: readonly (readonly [string, Schema])[], options: SchemaOptions = {}): Schema {
  const seen = new Set<string>();
  const list = fields.map(([name, fieldSchema], index) => {
    if (seen.has(name)) throw new TypeError(`struct schema has two fields named "${name}"`);
    seen.add(name);
    return Object.freeze({ name, index, schema: fieldSchema });
  });
  return make('STRUCT', options, Object.freeze(list));
}

/** An optional copy of the schema, or the schema itself if it is optional. */
export function optional(of: Schema): Schema {
  return of.optional ? of : Object.freeze({ ...of, optional: true });
}

/**
 * Name, version, doc and parameters of a schema, for a changed copy. As in Java, without optionality and default.
 * Source: connect-runtime §7.1.
 */
export function schemaBasics(of: Schema): SchemaOptions {
  return {
    ...(of.name !== null && { name: of.name }),
    ...(of.version !== null && { version: of.version }),
    ...(of.doc !== null && { doc: of.doc }),
    ...(of.parameters !== null && { parameters: { ...of.parameters } }),
  };
}

/** Arbitrary-precision decimal: the value is `unscaled × 10^-scale`. */
export interface Decimal {
  readonly unscaled: bigint;
  readonly scale: number;
}

/** An int64 as Connect data: a number where that is exact, a bigint outside ±2^53. Wraps to 64 bits, as Java does. */
export function safeInteger(value: bigint): number | bigint {
  const wrapped = BigInt.asIntN(64, value);
  const number = Number(wrapped);
  return Number.isSafeInteger(number) ? number : wrapped;
}

/** Milliseconds per day, the unit of the logical type Date. */
export const DAY_MS = 86_400_000;

/**
 * Names of Connect's logical types. Values: Decimal → `Decimal`, the other three → `Date`, or a number where a `Date`
 * does not reach (see `ConnectValue`).
 */
export const LogicalName = {
  DECIMAL: 'org.apache.kafka.connect.data.Decimal',
  DATE: 'org.apache.kafka.connect.data.Date',
  TIME: 'org.apache.kafka.connect.data.Time',
  TIMESTAMP: 'org.apache.kafka.connect.data.Timestamp',
} as const;

export function decimalSchema(scale: number, options: SchemaOptions = {}): Schema {
  const parameters = { scale: String(scale), ...options.parameters };
  return make('BYTES', { ...options, name: LogicalName.DECIMAL, version: 1, parameters });
}
export function dateSchema(options: SchemaOptions = {}): Schema {
  return make('INT32', { ...options, name: LogicalName.DATE, version: 1 });
}
export function timeSchema(options: SchemaOptions = {}): Schema {
  return make('INT32', { ...options, name: LogicalName.TIME, version: 1 });
}
export function timestampSchema(options: SchemaOptions = {}): Schema {
  return make('INT64', { ...options, name: LogicalName.TIMESTAMP, version: 1 });
}
