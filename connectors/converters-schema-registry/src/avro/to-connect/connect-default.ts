/** Defaults in the JSON of Avro schemas as Connect values. */
import { checkValue, DAY_MS, LogicalName, safeInteger, setMember, type Schema, unscaledOf } from '@millrace/sdk';
import { scaleOf } from '../from-connect/logical-props';
import { JsonNumber, type JsonTree } from '../json/json-tree';
import type { AvroSchema } from '../schema/avro-schema';

/**
 * Undefined: it does not fit, and is ignored as in Java.
 * @param isOfField whether it is the default of an Avro field, or else a `connect.default`
 */
export function connectDefault(connect: Schema, avro: AvroSchema, tree: JsonTree, isOfField: boolean): unknown {
  const value = valueOf(connect, avro, tree, isOfField);
  if (value === undefined || !isSmall(value)) return undefined;
  return checkValue({ ...connect, optional: true }, value) === null ? value : undefined;
}

/** Defaults within defaults multiply: larger ones are ignored, too. */
const MOST_PARTS = 10_000;

function isSmall(value: unknown): boolean {
  let parts = 0;
  const count = (one: unknown): boolean => {
    if (++parts > MOST_PARTS) return false;
    if (typeof one !== 'object' || one === null || one instanceof Uint8Array) return true;
    if (one instanceof Map) return [...(one as Map<unknown, unknown>)].every(count);
    return Object.values(one).every(count);
  };
  return count(value);
}

function valueOf(connect: Schema, avro: AvroSchema, tree: JsonTree, isOfField: boolean): unknown {
  if (tree === null) return null;
  if (avro.type === 'union') return inUnion(connect, avro.types, tree, isOfField);
  switch (connect.type) {
    case 'INT8':
    case 'INT16':
    case 'INT32':
    case 'INT64':
      return integer(connect, tree);
    case 'FLOAT32':
    case 'FLOAT64': {
      const text = tree instanceof JsonNumber ? tree.text : tree;
      const value = typeof text === 'string' ? Number(text) : NaN;
      if (Number.isNaN(value) && text !== 'NaN') return undefined;
      return connect.type === 'FLOAT32' ? Math.fround(value) : value;
    }
    case 'BOOLEAN':
      return typeof tree === 'boolean' ? tree : undefined;
    case 'STRING':
      return typeof tree === 'string' ? tree : undefined;
    case 'BYTES': {
      if (typeof tree !== 'string') return undefined;
      const bytes = Buffer.from(tree, 'latin1');
      if (connect.name !== LogicalName.DECIMAL) return bytes;
      return { unscaled: unscaledOf(bytes, 0, bytes.length), scale: scaleOf(connect) };
    }
    case 'ARRAY':
      if (avro.type !== 'array' || !Array.isArray(tree)) return undefined;
      return all(tree, (element) => valueOf(connect.valueSchema as Schema, avro.items, element as JsonTree, isOfField));
    case 'MAP':
      return mapOf(connect, avro, tree, isOfField);
    case 'STRUCT':
      return struct(connect, avro, tree, isOfField);
  }
}

/** A default is of the first type of a union. */
function inUnion(connect: Schema, types: readonly AvroSchema[], tree: JsonTree, isOfField: boolean): unknown {
  const [first] = types;
  if (first === undefined) return undefined;
  if (first.type === 'null') return null;
  const isPlain = types.length === 1 || (types.length === 2 && types.some(({ type }) => type === 'null'));
  // Java's converter ignores those of optional parts in a `connect.default`.
  if (isPlain) return isOfField ? valueOf(connect, first, tree, isOfField) : undefined;
  const field = connect.fields?.[0];
  const value = field === undefined ? undefined : valueOf(field.schema, first, tree, isOfField);
  if (field === undefined || value === undefined) return undefined;
  const made: Record<string, unknown> = {};
  for (const { name } of connect.fields ?? []) setMember(made, name, name === field.name ? value : null);
  return made;
}

function integer(connect: Schema, tree: JsonTree): unknown {
  if (!(tree instanceof JsonNumber) || !/^-?\d{1,19}$/.test(tree.text)) return undefined;
  const value = safeInteger(BigInt(tree.text));
  const scale = connect.name === LogicalName.DATE ? DAY_MS : 1;
  switch (connect.name) {
    case LogicalName.DATE:
    case LogicalName.TIME:
    case LogicalName.TIMESTAMP: {
      const date = new Date(Number(value) * scale);
      return Number.isNaN(date.getTime()) ? value : date;
    }
    default:
      return value;
  }
}

function mapOf(connect: Schema, avro: AvroSchema, tree: JsonTree, isOfField: boolean): unknown {
  const valueSchema = connect.valueSchema as Schema;
  if (avro.type === 'map') {
    if (!(tree instanceof Map)) return undefined;
    const members = [...(tree as ReadonlyMap<string, JsonTree>)];
    const entries = all(members, ([key, value]) => pair(key, valueOf(valueSchema, avro.values, value, isOfField)));
    return entries && new Map(entries as [unknown, unknown][]);
  }
  // Java's converter takes no entries of other maps.
  return isOfField && Array.isArray(tree) && tree.length === 0 ? new Map() : undefined;
}

function pair(key: unknown, value: unknown): [unknown, unknown] | undefined {
  return value === undefined ? undefined : [key, value];
}

function struct(connect: Schema, avro: AvroSchema, tree: JsonTree, isOfField: boolean): unknown {
  if (avro.type !== 'record' || !(tree instanceof Map)) return undefined;
  const members = tree as ReadonlyMap<string, JsonTree>;
  const made: Record<string, unknown> = {};
  for (const [index, field] of avro.fields.entries()) {
    const schema = connect.fields?.[index]?.schema;
    if (schema === undefined) return undefined;
    const member = members.get(field.name);
    const value = member === undefined ? (schema.default ?? null) : valueOf(schema, field.schema, member, isOfField);
    if (value === undefined) return undefined;
    setMember(made, field.name, value);
  }
  return made;
}

/** Undefined if one of the results is. */
function all<T>(list: readonly T[], convert: (one: T) => unknown): unknown[] | undefined {
  const made = list.map(convert);
  return made.includes(undefined) ? undefined : made;
}
