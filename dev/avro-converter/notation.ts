/** The JSON of schemas and values for AskAvroConverter.java: nothing is lost, and what is equal has equal texts. */
import { isDecimal, LogicalName, type Schema, type SchemaType } from '@millrace/sdk';

/**
 * null, a boolean, a string, or a list that begins with its kind: `["i64", "12"]`, `["f32", bits]`, `["bytes", hex]`,
 * `["decimal", unscaled, scale]`, `["time", ms]`, `["array", items]`, `["map", entries]`, `["struct", members]`.
 */
export type NotedValue = null | boolean | string | readonly unknown[];

/** A schema of a table; others are referred to by their index. */
export interface TableSchema {
  readonly type: SchemaType;
  readonly optional?: true;
  readonly default?: NotedValue;
  readonly name?: string;
  readonly version?: number;
  readonly doc?: string;
  readonly parameters?: readonly (readonly [string, string])[];
  readonly fields?: readonly (readonly [string, number])[];
  readonly keys?: number;
  readonly values?: number;
}

/** A schema as a tree, as answers have it. */
export interface ShownSchema {
  readonly type: SchemaType;
  readonly optional?: true;
  readonly name?: string;
  /** A struct within itself has only its name. */
  readonly isRepeated?: true;
  readonly version?: number;
  readonly doc?: string;
  readonly parameters?: readonly (readonly [string, string])[];
  readonly default?: NotedValue;
  readonly fields?: readonly (readonly [string, ShownSchema])[];
  readonly keys?: ShownSchema;
  readonly values?: ShownSchema;
}

/** A schema that is used twice is in the table once. */
export class SchemaTable {
  readonly schemas: TableSchema[] = [];
  private readonly known = new Map<Schema, number>();

  /** The schema's index. */
  add(schema: Schema): number {
    const known = this.known.get(schema);
    if (known !== undefined) return known;
    const { type, name, version, doc, parameters, fields, keySchema, valueSchema } = schema;
    const entry: TableSchema = {
      type,
      ...(schema.optional && { optional: true as const }),
      ...(schema.default !== undefined && { default: noted(schema, schema.default) }),
      ...(name !== null && { name }),
      ...(version !== null && { version }),
      ...(doc !== null && { doc }),
      ...(parameters !== null && { parameters: Object.entries(parameters) }),
      ...(fields !== null && { fields: fields.map((field) => [field.name, this.add(field.schema)] as const) }),
      ...(keySchema !== null && { keys: this.add(keySchema) }),
      ...(valueSchema !== null && { values: this.add(valueSchema) }),
    };
    this.known.set(schema, this.schemas.length);
    return this.schemas.push(entry) - 1;
  }
}

const INTEGERS: Partial<Record<SchemaType, string>> = { INT8: 'i8', INT16: 'i16', INT32: 'i32', INT64: 'i64' };
const DAY_MS = 86_400_000;
const TEMPORAL: ReadonlySet<string | null> = new Set([LogicalName.DATE, LogicalName.TIME, LogicalName.TIMESTAMP]);

/** A value of the schema (null: without one) for Java. */
export function noted(schema: Schema | null, value: unknown): NotedValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean' || typeof value === 'string') return value;
  if (isDecimal(value)) return ['decimal', String(value.unscaled), value.scale];
  if (value instanceof Date) return ['time', String(value.getTime())];
  if (value instanceof Uint8Array) return ['bytes', Buffer.from(value).toString('hex')];
  if (Array.isArray(value)) return ['array', value.map((item) => noted(schema && schema.valueSchema, item))];
  if (value instanceof Map)
    return [
      'map',
      [...(value as Map<unknown, unknown>)].map(([key, member]) => [
        noted(schema && schema.keySchema, key),
        noted(schema && schema.valueSchema, member),
      ]),
    ];
  if (typeof value === 'object') {
    const members = value as Record<string, unknown>;
    if (schema !== null)
      return ['struct', (schema.fields ?? []).map((field) => noted(field.schema, own(members, field.name)))];
    return ['map', Object.entries(members).map(([name, member]) => [name, noted(null, member)])];
  }
  return schema === null ? notedNumber(value as number | bigint) : notedOf(schema, value as number | bigint);
}

const own = (members: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(members, name) ? members[name] : undefined;

function notedOf(schema: Schema, value: number | bigint): NotedValue {
  if (TEMPORAL.has(schema.name)) {
    const milliseconds = schema.name === LogicalName.DATE ? BigInt(value) * BigInt(DAY_MS) : value;
    return ['time', String(milliseconds)];
  }
  const integer = INTEGERS[schema.type];
  if (integer !== undefined) return [integer, String(value)];
  return schema.type === 'FLOAT32' ? ['f32', floatBits(Number(value))] : ['f64', doubleBits(Number(value))];
}

function notedNumber(value: number | bigint): NotedValue {
  const isInteger = typeof value === 'bigint' || (Number.isSafeInteger(value) && !Object.is(value, -0));
  return isInteger ? ['i64', String(value)] : ['f64', doubleBits(Number(value))];
}

function floatBits(value: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatBE(value);
  return Number.isNaN(value) ? '7fc00000' : bytes.toString('hex');
}

function doubleBits(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return Number.isNaN(value) ? '7ff8000000000000' : bytes.toString('hex');
}

/** As Java shows its schemas. */
export function shownSchema(schema: Schema | null, around: readonly string[] = []): ShownSchema | null {
  if (schema === null) return null;
  const { type, name, version, doc, parameters, fields, keySchema, valueSchema } = schema;
  const head = { type, ...(schema.optional && { optional: true as const }), ...(name !== null && { name }) };
  if (type === 'STRUCT' && name !== null && around.includes(name)) return { ...head, isRepeated: true };
  const inside = type === 'STRUCT' && name !== null ? [...around, name] : around;
  const of = (inner: Schema): ShownSchema => shownSchema(inner, inside) as ShownSchema;
  return {
    ...head,
    ...(version !== null && { version }),
    ...(doc !== null && { doc }),
    ...(parameters !== null && { parameters: Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1)) }),
    ...(schema.default !== undefined && schema.default !== null && { default: noted(schema, schema.default) }),
    ...(fields !== null && { fields: fields.map((field) => [field.name, of(field.schema)] as const) }),
    ...(keySchema !== null && { keys: of(keySchema) }),
    ...(valueSchema !== null && { values: of(valueSchema) }),
  };
}

/** Entries of maps sorted. Without a schema numbers have no types: those of Java become ours. */
export function comparable(value: NotedValue, hasSchema: boolean): NotedValue {
  if (!Array.isArray(value)) return value;
  const [kind, data] = value as [string, never];
  const inner = (item: NotedValue): NotedValue => comparable(item, hasSchema);
  switch (kind) {
    case 'array':
    case 'struct':
      return [kind, (data as NotedValue[]).map(inner)];
    case 'map': {
      const entries = new Map<string, readonly NotedValue[]>();
      for (const [key, member] of data as [NotedValue, NotedValue][]) {
        const unsigned = withoutSign(inner(key));
        entries.set(JSON.stringify(unsigned), [unsigned, inner(member)]);
      }
      return [kind, [...entries].sort(byText).map(([, entry]) => entry)];
    }
    case 'i8':
    case 'i16':
    case 'i32':
      return hasSchema ? value : ['i64', data];
    case 'f32':
      return hasSchema ? value : notedNumber(Buffer.from(data, 'hex').readFloatBE());
    case 'f64':
      return hasSchema ? value : notedNumber(Buffer.from(data, 'hex').readDoubleBE());
    default:
      return value;
  }
}

/** A map of JavaScript has no key -0. */
function withoutSign(key: NotedValue): NotedValue {
  return Array.isArray(key) && /^f/.test(String(key[0])) ? [key[0], String(key[1]).replace(/^8(?=0*$)/, '0')] : key;
}

const byText = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : a > b ? 1 : 0;
