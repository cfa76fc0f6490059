/** Schemas inferred from JSON, and values that fit them. Source: cdc-postgres §7.12. */
import { arraySchema, safeInteger, schema, setMember, structSchema, type Schema } from '@millrace/sdk';
import { JsonNumber, type JsonNode, type JsonObject } from './json-node';

export interface JsonInference {
  /** What a null becomes: no field, or a field of bytes. */
  readonly nulls: 'ignore' | 'optional_bytes';
  /** What an empty array becomes: no field, or an array of texts. */
  readonly emptyArrays: 'ignore' | 'optional_string';
  readonly fieldName: (name: string) => string;
}

const TEXT = schema('STRING', { optional: true });
const FLAG = schema('BOOLEAN', { optional: true });
const BYTES = schema('BYTES', { optional: true });
const FLOAT = schema('FLOAT64', { optional: true });
const NUMBERS = {
  INT32: schema('INT32', { optional: true }),
  INT64: schema('INT64', { optional: true }),
  FLOAT64: FLOAT,
  big: FLOAT,
};

/** JSON that has no Connect schema, e.g. an array of numbers and texts. */
export class NoSchemaError extends Error {}

/** Fields of values and of schemas, and characters of schema names, that one payload may take. */
const MOST_PARTS = 1_000_000;

/**
 * What a payload takes. Each object of an array gets the fields of all others, and each schema the names of those
 * around it, so both grow with the square of the text.
 */
export class PartLimit {
  private parts = 0;

  /** Throws NoSchemaError beyond MOST_PARTS. */
  add(count: number): void {
    this.parts += count;
    if (this.parts > MOST_PARTS) throw new NoSchemaError('the value takes too much memory');
  }
}

/** Null: the value has no schema and is left out. Throws NoSchemaError. `path`: the name of a struct's schema. */
export function inferSchema(path: string | null, node: JsonNode, by: JsonInference, limit: PartLimit): Schema | null {
  if (node === null) return by.nulls === 'optional_bytes' ? BYTES : null;
  if (typeof node === 'string') return TEXT;
  if (typeof node === 'boolean') return FLAG;
  if (node instanceof JsonNumber) return NUMBERS[node.type];
  if (isArray(node)) return inferArray(path, node, by, limit);
  limit.add(node.size + (path?.length ?? 0));
  const fields = new Map<string, Schema>();
  for (const [member, of] of node) {
    const name = by.fieldName(member);
    if (name === '') throw new NoSchemaError('a member has no name');
    const inner = inferSchema(path ? `${path}.${name}` : name, of, by, limit);
    if (inner !== null && !fields.has(name)) fields.set(name, inner);
  }
  return structSchema([...fields], { optional: true, ...(path !== null && { name: path }) });
}

function inferArray(
  path: string | null,
  array: readonly JsonNode[],
  by: JsonInference,
  limit: PartLimit,
): Schema | null {
  if (array.length === 0) return by.emptyArrays === 'optional_string' ? arraySchema(TEXT, { optional: true }) : null;
  const present = array.filter((element) => element !== null);
  let element: Schema | null = null;
  for (const one of present) {
    const of: Schema | null = inferSchema(one instanceof Map ? path : null, one, by, limit);
    element = element === null || of === null ? (element ?? of) : merged(element, of, limit);
  }
  if (present.length === 0) element = inferSchema(null, null, by, limit);
  if (element === null) throw new NoSchemaError('the elements of an array have no type');
  return arraySchema(element, { optional: true });
}

/** The schema of elements of both schemas: for objects, the fields of both. */
function merged(left: Schema, right: Schema, limit: PartLimit): Schema {
  if (left === right) return left;
  if (left.type !== right.type) throw new NoSchemaError('the elements of an array have different types');
  if (left.type === 'ARRAY') {
    return arraySchema(merged(left.valueSchema as Schema, right.valueSchema as Schema, limit), { optional: true });
  }
  if (left.type !== 'STRUCT') return left;
  limit.add((left.fields?.length ?? 0) + (right.fields?.length ?? 0));
  const fields = new Map((left.fields ?? []).map((field) => [field.name, field.schema]));
  for (const { name, schema: of } of right.fields ?? []) {
    const old = fields.get(name);
    // A null of one element says nothing of the type.
    if (old === undefined || old === BYTES) fields.set(name, of);
    else if (of !== BYTES) fields.set(name, merged(old, of, limit));
  }
  return structSchema([...fields], { optional: true, ...(left.name !== null && { name: left.name }) });
}

/** The value of a schema that `inferSchema` returned for it. */
export function valueOfJson(node: JsonNode, of: Schema, by: JsonInference, limit: PartLimit): unknown {
  if (node === null || typeof node !== 'object') return node;
  if (node instanceof JsonNumber) return numberOf(node, of);
  if (isArray(node)) return node.map((element) => valueOfJson(element, of.valueSchema as Schema, by, limit));
  return structOf(node, of, by, limit);
}

function structOf(node: JsonObject, of: Schema, by: JsonInference, limit: PartLimit): Record<string, unknown> {
  limit.add(of.fields?.length ?? 0);
  const values = new Map<string, JsonNode>();
  for (const [name, member] of node) {
    const renamed = by.fieldName(name);
    if (!values.has(renamed)) values.set(renamed, member);
  }
  const struct: Record<string, unknown> = {};
  for (const { name, schema: field } of of.fields ?? []) {
    setMember(struct, name, valueOfJson(values.get(name) ?? null, field, by, limit));
  }
  return struct;
}

function numberOf({ type, value }: JsonNumber, of: Schema): number | bigint {
  if (type === 'big') throw new NoSchemaError('an integer has more than 64 bits');
  return of.type === 'FLOAT64' ? Number(value) : safeInteger(BigInt(value));
}

function isArray(node: JsonNode): node is readonly JsonNode[] {
  return Array.isArray(node);
}
