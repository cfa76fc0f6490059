/** Numbers that two Connect schemas share exactly if Java's `ConnectSchema.equals` says so. */
import type { Schema } from '@millrace/sdk';

export class SchemaIdentity {
  private readonly ids = new Map<string, number>();
  private readonly known = new Map<Schema, number>();
  /** Structs that contain themselves, by their fields. */
  private readonly open: (readonly unknown[])[] = [];

  of(schema: Schema): number {
    const found = this.known.get(schema);
    if (found !== undefined) return found;
    const outer = schema.fields === null ? -1 : this.open.indexOf(schema.fields);
    if (outer >= 0) return -1 - (this.open.length - outer);
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
    const pairs =
      parameters === null ? null : Object.entries(parameters).sort(([one], [other]) => (one < other ? -1 : 1));
    if (fields !== null) this.open.push(fields);
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
    if (fields !== null) this.open.pop();
    return JSON.stringify(parts);
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
