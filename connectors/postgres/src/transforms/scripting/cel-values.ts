/**
 * Connect values as an expression sees them: integers exactly, decimals as the nearest double, dates and times as
 * milliseconds, structs and maps as maps. Source: cdc-postgres §7.13.
 */
import { celMap, type CelInput, type CelMap } from '@bufbuild/cel';
import { decimalText, isDecimal, readMember, type Schema } from '@millrace/sdk';

/** Longer texts would make a regular expression take noticeable time. */
export const LONGEST_TEXT = 1_048_576;

/** Throws RangeError for a text or bytes beyond LONGEST_TEXT. */
export function celValue(schema: Schema | null, value: unknown): CelInput {
  switch (typeof value) {
    case 'string':
      return bounded(value);
    case 'number':
      return isInteger(schema, value) ? BigInt(value) : value;
    case 'bigint':
    case 'boolean':
      return value;
    case 'object':
      return value === null ? null : celObject(schema, value);
    default:
      return null;
  }
}

function isInteger(schema: Schema | null, value: number): boolean {
  return schema === null ? Number.isSafeInteger(value) : schema.type.startsWith('INT');
}

function celObject(schema: Schema | null, value: object): CelInput {
  const inner = schema?.valueSchema ?? null;
  if (Array.isArray(value)) return (value as unknown[]).map((element) => celValue(inner, element));
  if (value instanceof Uint8Array) return bounded(value);
  if (value instanceof Date) return BigInt(value.getTime());
  if (isDecimal(value)) return Number(decimalText(value));
  if (value instanceof Map) {
    const keys = schema?.keySchema ?? null;
    const entries = [...(value as Map<unknown, unknown>)].map(([key, member]) => {
      return [celValue(keys, key) as string, celValue(inner, member)] as const;
    });
    return celMap(new Map(entries));
  }
  return structMap(schema, value as Readonly<Record<string, unknown>>);
}

function bounded<T extends string | Uint8Array>(value: T): T {
  if (value.length <= LONGEST_TEXT) return value;
  throw new RangeError(`a value has a length of ${value.length}, more than ${LONGEST_TEXT}`);
}

/** A member is converted when the expression reads it. */
function structMap(schema: Schema | null, struct: Readonly<Record<string, unknown>>): CelMap {
  return celMap(new StructMembers(schema, struct));
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

class StructMembers implements ReadonlyMap<string, CelInput> {
  private readonly fields: ReadonlyMap<string, Schema> | null;

  constructor(
    schema: Schema | null,
    private readonly struct: Readonly<Record<string, unknown>>,
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
    return celValue(schema, readMember(this.struct, name) ?? schema?.default ?? null);
  }

  private names(): string[] {
    return this.fields === null ? Object.keys(this.struct) : [...this.fields.keys()];
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
