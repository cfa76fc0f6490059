/** Structs with further fields, nested ones among them. Source: cdc-postgres §7.13, HeaderToValue. */
import { setMember, structSchema, schemaBasics, type Schema } from '@millrace/sdk';
import { dataError, javaTypeName, schemaOf, TransformError, type StructValue } from './structs';

export interface AddedField {
  readonly path: readonly string[];
  readonly schema: Schema | null;
  readonly value: unknown;
}

/** Lists of fields differ by record, so results are kept up to this number per schema. */
const MANY_LISTS = 64;

interface Made {
  readonly fields: readonly AddedField[];
  readonly schema: Schema;
}

export class AddedFields {
  private readonly known = new WeakMap<Schema, Made[]>();

  /** The same object for fields of the same paths and schemas. A field that exists keeps its schema. */
  schema(of: Schema, fields: readonly AddedField[]): Schema {
    let lists = this.known.get(of);
    if (!lists || lists.length >= MANY_LISTS) this.known.set(of, (lists = []));
    let made = lists.find((one) => sameFields(one.fields, fields));
    if (!made)
      lists.push((made = { fields: fields.map((one) => ({ ...one, value: null })), schema: extendedBy(of, fields) }));
    return made.schema;
  }

  /** @param schema the result of `schema` for these fields */
  value(schema: Schema, struct: StructValue | null, fields: readonly AddedField[]): Record<string, unknown> {
    const value: Record<string, unknown> = { ...struct };
    for (const [name, inner] of byName(fields)) {
      const field = schemaOf(schema, name) as Schema;
      const leaf = inner.findLast(({ path }) => path.length === 1);
      const nested = inner.filter(({ path }) => path.length > 1).map(tail);
      if (leaf) setMember(value, name, fitting(name, field, leaf));
      else setMember(value, name, this.value(field, (value[name] ?? null) as StructValue | null, nested));
    }
    return value;
  }
}

function extendedBy(of: Schema, fields: readonly AddedField[]): Schema {
  const names = byName(fields);
  const kept = (of.fields ?? []).map(({ name, schema }) => {
    const nested = (names.get(name) ?? []).filter(({ path }) => path.length > 1);
    if (nested.length === 0) return [name, schema] as const;
    if (schema.type !== 'STRUCT') {
      throw new TransformError(
        'io.debezium.DebeziumException',
        `Field '${name}' is a primitive type, not a struct. Cannot add nested field '${nested[0]?.path.join('.')}'.`,
      );
    }
    return [name, extendedBy(schema, nested.map(tail))] as const;
  });
  const leaves: [string, Schema][] = [];
  const parents: [string, Schema][] = [];
  for (const [name, inner] of names) {
    if (schemaOf(of, name)) continue;
    const leaf = inner.find(({ path }) => path.length === 1);
    if (leaf) leaves.push([name, leaf.schema ?? noSchema(name)]);
    else parents.push([name, extendedBy(EMPTY, inner.map(tail))]);
  }
  const all = structSchema([...kept, ...leaves, ...parents], schemaBasics(of));
  return Object.freeze({ ...all, optional: of.optional });
}

const EMPTY = structSchema([], { optional: true });

function fitting(name: string, field: Schema, { schema, value }: AddedField): unknown {
  if (value === null || schema === null || schema.type === field.type) return value;
  throw dataError(
    `Invalid Java object for schema with type ${field.type}: ${javaTypeName(schema)} for field: "${name}"`,
  );
}

function noSchema(name: string): never {
  throw dataError(`The header for field ${name} has no schema, so the value cannot have the field.`);
}

const tail = (field: AddedField): AddedField => ({ ...field, path: field.path.slice(1) });

function byName(fields: readonly AddedField[]): Map<string, AddedField[]> {
  const names = new Map<string, AddedField[]>();
  for (const field of fields) {
    const name = field.path[0] as string;
    const list = names.get(name);
    if (list) list.push(field);
    else names.set(name, [field]);
  }
  return names;
}

function sameFields(left: readonly AddedField[], right: readonly AddedField[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ path, schema }, i) => path === right[i]?.path && schema === right[i]?.schema)
  );
}
