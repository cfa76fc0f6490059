/** Numbers that two Connect schemas share exactly if Java's `ConnectSchema.equals` says so. */
import type { Field, Schema } from '@millrace/sdk';
import { MAX_DEPTH, schemaError } from '../schema-error';

export class SchemaIdentity {
  private readonly ids = new Map<string, number>();
  private readonly known = new Map<Schema, number>();
  /** The fields of structs that are being looked at. */
  private readonly open = new Set<readonly Field[]>();
  /** Of structs that contain themselves: below zero, and the same for no two structs. */
  private readonly recursive = new Map<readonly Field[], number>();
  private depth = 0;

  of(schema: Schema): number {
    const found = this.known.get(schema);
    if (found !== undefined) return found;
    if (schema.fields !== null && this.open.has(schema.fields)) return this.recursiveId(schema.fields);
    const key = this.key(schema, schema.optional);
    const id = this.id(key);
    this.known.set(schema, id);
    return id;
  }

  /** Of the schema if it were not optional. */
  ofRequired(schema: Schema): number {
    return schema.optional ? this.id(this.key(schema, false)) : this.of(schema);
  }

  private key(schema: Schema, optional: boolean): string {
    const { type, name, version, doc, parameters, fields, keySchema, valueSchema } = schema;
    if (++this.depth > MAX_DEPTH) throw schemaError(`The schema is nested deeper than ${MAX_DEPTH} levels.`);
    const pairs =
      parameters === null ? null : Object.entries(parameters).sort(([one], [other]) => (one < other ? -1 : 1));
    if (fields !== null) this.open.add(fields);
    const parts = [
      type,
      optional,
      name,
      version,
      doc,
      pairs,
      fields?.map((field) => [field.name, this.of(field.schema)]) ?? null,
      keySchema === null ? null : this.of(keySchema),
      valueSchema === null ? null : this.of(valueSchema),
      schema.default === undefined ? null : stable(schema.default),
    ];
    if (fields !== null) this.open.delete(fields);
    this.depth--;
    return JSON.stringify(parts);
  }

  private recursiveId(fields: readonly Field[]): number {
    let id = this.recursive.get(fields);
    if (id === undefined) this.recursive.set(fields, (id = -1 - this.recursive.size));
    return id;
  }

  private id(key: string): number {
    let id = this.ids.get(key);
    if (id === undefined) this.ids.set(key, (id = this.ids.size));
    return id;
  }
}

/** A default as text that equal values share. */
function stable(value: unknown): unknown {
  switch (typeof value) {
    case 'bigint':
      return ['i', String(value)];
    case 'number':
      return Number.isInteger(value) && !Object.is(value, -0)
        ? ['i', BigInt(value).toString()]
        : ['n', numberText(value)];
    case 'object':
      break;
    default:
      return value ?? null;
  }
  if (value === null) return null;
  if (value instanceof Date) return ['d', value.getTime()];
  if (value instanceof Uint8Array) return ['b', Buffer.from(value).toString('base64')];
  if (value instanceof Map) return ['m', [...value].map(([key, member]) => [stable(key), stable(member)])];
  if (Array.isArray(value)) return ['a', value.map(stable)];
  return ['o', Object.entries(value).map(([key, member]) => [key, stable(member)])];
}

function numberText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
