/**
 * Connect values as an expression sees them: integers exactly, decimals as the nearest double, dates and times as
 * milliseconds, structs and maps as maps. Source: cdc-postgres §7.13.
 */
import { celMap, type CelInput, type CelMap } from '@bufbuild/cel';
import { decimalText, isDecimal, readMember, type Schema } from '@millrace/sdk';

/** Characters and bytes that one evaluation may read. */
export const LONGEST_TEXT = 1_048_576;
/** What an element counts that is neither text nor bytes. */
const ELEMENT = 16;

/**
 * What one evaluation has read. Each read counts, also of the same value, because an expression may join all of them
 * to one text.
 */
export class ReadLimit {
  private read = 0;

  reset(): void {
    this.read = 0;
  }

  /** Throws RangeError beyond LONGEST_TEXT. */
  add(size: number): void {
    this.read += size;
    if (this.read <= LONGEST_TEXT) return;
    throw new RangeError(`it reads more than ${LONGEST_TEXT} characters or bytes of the record`);
  }
}

/** Throws RangeError when `limit` is reached. */
export function celValue(schema: Schema | null, value: unknown, limit: ReadLimit): CelInput {
  limit.add(typeof value === 'string' || value instanceof Uint8Array ? value.length : ELEMENT);
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return isInteger(schema, value) ? BigInt(value) : value;
    case 'bigint':
    case 'boolean':
      return value;
    case 'object':
      return value === null ? null : celObject(schema, value, limit);
    default:
      return null;
  }
}

function isInteger(schema: Schema | null, value: number): boolean {
  return schema === null ? Number.isSafeInteger(value) : schema.type.startsWith('INT');
}

function celObject(schema: Schema | null, value: object, limit: ReadLimit): CelInput {
  const inner = schema?.valueSchema ?? null;
  if (Array.isArray(value)) return (value as unknown[]).map((element) => celValue(inner, element, limit));
  if (value instanceof Uint8Array) return value;
  if (value instanceof Date) return BigInt(value.getTime());
  if (isDecimal(value)) return Number(decimalText(value));
  if (value instanceof Map) {
    const keys = schema?.keySchema ?? null;
    const entries = [...(value as Map<unknown, unknown>)].map(([key, member]) => {
      return [celValue(keys, key, limit) as string, celValue(inner, member, limit)] as const;
    });
    return celMap(new Map(entries));
  }
  return structMap(schema, value as Readonly<Record<string, unknown>>, limit);
}

/** A member is converted when the expression reads it. */
function structMap(schema: Schema | null, struct: Readonly<Record<string, unknown>>, limit: ReadLimit): CelMap {
  return celMap(new StructMembers(schema, struct, limit));
}

const fieldsOf = new WeakMap<Schema, ReadonlyMap<string, Schema>>();

function namedFields(schema: Schema): ReadonlyMap<string, Schema> {
  let fields = fieldsOf.get(schema);
  if (!fields) {
    fields = new Map((schema.fields ?? []).map((field) => [field.name, field.schema]));
    fieldsOf.set(schema, fields);
  }
  return fields;
}

/** Undefined: the struct has no such field. */
export function fieldSchema(struct: Schema, name: string): Schema | undefined {
  return namedFields(struct).get(name);
}

class StructMembers implements ReadonlyMap<string, CelInput> {
  private readonly fields: ReadonlyMap<string, Schema> | null;

  constructor(
    schema: Schema | null,
    private readonly struct: Readonly<Record<string, unknown>>,
    private readonly limit: ReadLimit,
  ) {
    this.fields = schema === null ? null : namedFields(schema);
  }

  get size(): number {
    return this.names().length;
  }

  has(name: string): boolean {
    return this.fields === null ? Object.hasOwn(this.struct, name) : this.fields.has(name);
  }

  get(name: string): CelInput | undefined {
    if (!this.has(name)) return undefined;
    const schema = this.fields?.get(name) ?? null;
    return celValue(schema, readMember(this.struct, name) ?? schema?.default ?? null, this.limit);
  }

  private names(): string[] {
    const names = this.fields === null ? Object.keys(this.struct) : [...this.fields.keys()];
    this.limit.add(names.length * ELEMENT);
    return names;
  }

  *entries(): MapIterator<[string, CelInput]> {
    for (const name of this.names()) yield [name, this.get(name) as CelInput];
  }

  *values(): MapIterator<CelInput> {
    for (const [, value] of this.entries()) yield value;
  }

  keys(): MapIterator<string> {
    return this.names().values();
  }

  [Symbol.iterator](): MapIterator<[string, CelInput]> {
    return this.entries();
  }

  forEach(visit: (value: CelInput, name: string, map: ReadonlyMap<string, CelInput>) => void): void {
    for (const [name, value] of this.entries()) visit(value, name, this);
  }
}
