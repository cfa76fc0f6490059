/**
 * Records as JSON, for Answer.java and for the tests that use its answers. A schema is `INT32`, `INT32?` (optional) or
 * an object; a value with a schema is plain JSON (bytes: base64; decimals: text; dates: milliseconds; maps: pairs).
 * Without one, values that JSON cannot represent carry their type: `{"$date": 0}`, `{"$bytes": …}`, `{"$decimal": …}`,
 * `{"$map": [[key, value]]}`, `{"$buffer": …}` (bytes in a ByteBuffer); `{"$raw": …}` is such a value under a schema it
 * does not fit.
 */
import { isDeepStrictEqual as same } from 'node:util';
import { isDecimal, LogicalName, type ConnectRecord, type Header, type Schema, type SchemaType, decimalText, parseDecimal } from '@millrace/sdk';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type SchemaNotation = string | null | SchemaObject;
export interface SchemaObject {
  readonly type: SchemaType;
  readonly optional?: boolean;
  readonly default?: Json;
  readonly name?: string;
  readonly version?: number;
  readonly doc?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly fields?: readonly (readonly [string, SchemaNotation])[];
  readonly keys?: SchemaNotation;
  readonly values?: SchemaNotation;
}
type Typed = readonly [SchemaNotation, Json];

/** A sink record of topic orders, partition 3, unless stated otherwise. */
export interface RecordNotation {
  readonly source?: boolean;
  readonly topic?: string;
  readonly partition?: number | null;
  readonly timestamp?: number | null;
  readonly key?: Typed;
  readonly value?: Typed;
  readonly headers?: readonly (readonly [string, SchemaNotation, Json])[];
}

const known = new Map<string, Schema>();

/** Equal notations return the same object, as converters do. */
export function readSchema(notation: SchemaNotation): Schema | null {
  if (notation === null) return null;
  const text = JSON.stringify(notation);
  let schema = known.get(text);
  if (!schema) known.set(text, (schema = makeSchema(notation)));
  return schema;
}

function makeSchema(notation: string | SchemaObject): Schema {
  const {
    type,
    keys = null,
    values = null,
    ...rest
  }: SchemaObject = typeof notation === 'string'
    ? { type: notation.replace('?', '') as SchemaType, optional: notation.endsWith('?') }
    : notation;
  const schema: Schema = {
    type,
    optional: rest.optional ?? false,
    default: undefined,
    name: rest.name ?? null,
    version: rest.version ?? null,
    doc: rest.doc ?? null,
    parameters: rest.parameters ?? null,
    fields: rest.fields?.map(([name, of], index) => ({ name, index, schema: readSchema(of) as Schema })) ?? null,
    keySchema: readSchema(keys),
    valueSchema: readSchema(values),
  };
  return Object.freeze({
    ...schema,
    default: rest.default === undefined ? undefined : readValue(schema, rest.default),
  });
}

export function readValue(schema: Schema | null, json: Json): unknown {
  if (json === null) return null;
  if (schema === null) return readSchemaless(json);
  if (typeof json === 'object' && '$raw' in json) return readSchemaless(json.$raw as Json);
  if (schema.name === LogicalName.DECIMAL) return parseDecimal(json as string);
  if (Object.values<string | null>(LogicalName).includes(schema.name)) return new Date(json as number);
  switch (schema.type) {
    case 'INT64':
      return typeof json === 'string' ? BigInt(json) : json;
    case 'FLOAT32':
      return Math.fround(Number(json));
    case 'FLOAT64':
      return Number(json);
    case 'BYTES':
      return Buffer.from(json as string, 'base64');
    case 'ARRAY':
      return (json as Json[]).map((element) => readValue(schema.valueSchema, element));
    case 'MAP':
      return new Map(
        (json as [Json, Json][]).map(([key, value]) => {
          return [readValue(schema.keySchema, key), readValue(schema.valueSchema, value)];
        }),
      );
    case 'STRUCT': {
      const members = json as Readonly<Record<string, Json>>;
      return Object.fromEntries(
        (schema.fields ?? []).map(({ name, schema: of }) => [name, readValue(of, members[name] ?? null)]),
      );
    }
    default:
      return json;
  }
}

function readSchemaless(json: Json): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return (json as Json[]).map(readSchemaless);
  const [[tag, of] = ['', null], ...others] = Object.entries(json);
  if (others.length === 0)
    switch (tag) {
      case '$float64':
        return Number(of);
      case '$bytes':
      case '$buffer':
        return Buffer.from(of as string, 'base64');
      case '$date':
        return new Date(of as number);
      case '$decimal':
        return parseDecimal(of as string);
      case '$map':
        return new Map((of as [Json, Json][]).map(([key, value]) => [readSchemaless(key), readSchemaless(value)]));
    }
  return Object.fromEntries(Object.entries(json).map(([name, member]) => [name, readSchemaless(member)]));
}

export function readRecord(notation: RecordNotation): ConnectRecord {
  const [keySchema, key] = read(notation.key);
  const [valueSchema, value] = read(notation.value);
  const headers = (notation.headers ?? []).map(([name, schema, json]): Header => {
    const of = readSchema(schema);
    return { key: name, schema: of, value: readValue(of, json) };
  });
  const { topic = 'orders', partition = 3, timestamp = 1_700_000_000_123 } = notation;
  const common = { topic, timestamp, keySchema, key, valueSchema, value, headers };
  if (notation.source) return { ...common, partition, sourcePartition: { p: 1 }, sourceOffset: { o: 2 } };
  const original = { originalTopic: topic, originalPartition: partition ?? 0, originalOffset: 42 };
  return { ...common, ...original, partition: partition ?? 0, offset: 42, timestampType: 'CreateTime' };
}

function read([schema, json]: Typed = [null, null]): [Schema | null, unknown] {
  const of = readSchema(schema);
  return [of, readValue(of, json)];
}

export function writeSchema(schema: Schema | null): SchemaNotation {
  if (schema === null) return null;
  const { type, optional, name, version, doc, parameters, fields } = schema;
  const fallback = schema.default ?? null;
  const attributes = [name, version, doc, parameters, fallback].some((attribute) => attribute !== null);
  if (!attributes && !['STRUCT', 'ARRAY', 'MAP'].includes(type)) return type + (optional ? '?' : '');
  return {
    type,
    ...(optional && { optional }),
    ...(name !== null && { name }),
    ...(version !== null && { version }),
    ...(doc !== null && { doc }),
    ...(parameters !== null && { parameters }),
    ...(type === 'MAP' && { keys: writeSchema(schema.keySchema) }),
    ...((type === 'MAP' || type === 'ARRAY') && { values: writeSchema(schema.valueSchema) }),
    ...(fields !== null && { fields: fields.map((field) => [field.name, writeSchema(field.schema)] as const) }),
    ...(fallback !== null && { default: writeValue(schema, fallback) }),
  };
}

export function writeValue(schema: Schema | null, value: unknown): Json {
  const tagged = (tag: string, json: Json): Json => (schema === null ? { [tag]: json } : json);
  switch (typeof value) {
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case 'number':
      // Without the sign of -0, which JSON readers drop.
      return Number.isFinite(value) ? value + 0 : tagged('$float64', String(value));
    case 'boolean':
    case 'string':
      return value;
  }
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) return value.map((element) => writeValue(schema?.valueSchema ?? null, element));
  if (value instanceof Uint8Array) return tagged('$bytes', Buffer.from(value).toString('base64'));
  if (value instanceof Date) return tagged('$date', value.getTime());
  if (isDecimal(value)) return tagged('$decimal', decimalText(value));
  if (schema?.type === 'STRUCT') {
    const struct = value as Readonly<Record<string, unknown>>;
    return Object.fromEntries(
      (schema.fields ?? []).map(({ name, schema: of }) => [name, writeValue(of, struct[name])]),
    );
  }
  const entries = value instanceof Map ? [...(value as Map<unknown, unknown>)] : Object.entries(value);
  if (schema === null && entries.every(([key]) => typeof key === 'string')) {
    return Object.fromEntries(entries.map(([key, member]) => [key as string, writeValue(null, member)]));
  }
  const pairs = entries.map(([key, member]) => {
    return [writeValue(schema?.keySchema ?? null, key), writeValue(schema?.valueSchema ?? null, member)];
  });
  return tagged('$map', pairs);
}

/** The differences; `=` stands for the schema when only the value has changed. */
export function writeChanges(before: ConnectRecord, after: ConnectRecord): Json {
  const [old, now] = [writeRecord(before), writeRecord(after)];
  for (const side of ['key', 'value'] as const) {
    if (now[side][0] !== null && same(now[side][0], old[side][0]) && !same(now[side], old[side])) now[side][0] = '=';
  }
  const changed = Object.entries(now).filter(([name, member]) => !same(member, old[name as keyof typeof old]));
  return Object.fromEntries(changed) as Json;
}

function writeRecord(record: ConnectRecord) {
  return {
    topic: record.topic,
    partition: record.partition ?? null,
    timestamp: record.timestamp ?? null,
    key: [writeSchema(record.keySchema), writeValue(record.keySchema, record.key)],
    value: [writeSchema(record.valueSchema), writeValue(record.valueSchema, record.value)],
    headers: (record.headers ?? []).map(({ key, schema, value }) => [
      key,
      writeSchema(schema),
      writeValue(schema, value),
    ]),
  };
}
