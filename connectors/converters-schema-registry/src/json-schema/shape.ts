/** What a registered schema is to readers and writers: a Connect schema, and how its values look in JSON. */
import type { Schema } from '@millrace/sdk';
import { JsonNumber } from '@millrace/texts/json';

export type Form =
  | 'boolean'
  | 'integer'
  | 'float'
  | 'string'
  | 'bytes'
  | 'decimal'
  | 'temporal'
  | 'array'
  /** A map as an object, and as an array of objects with `key` and `value`. */
  | 'map'
  | 'entries'
  | 'struct'
  | 'union'
  /** Any value: its JSON as a text. */
  | 'any'
  /** None: properties of this shape are no fields. */
  | 'never';

export interface Shape {
  readonly form: Form;
  readonly schema: Schema;
  /** Whether the JSON value may be null. The Connect schema is optional also if it may be missing. */
  readonly isNullable: boolean;
  /** Of decimals and times: whether they are texts, not numbers. */
  readonly isText: boolean;
  /** Keys (see `valueKey`) of the only values; null: all. */
  readonly allowed: ReadonlySet<string> | null;
  /** Of arrays and maps. */
  readonly values: Shape | null;
  /** Of maps as entries. */
  readonly keys: Shape | null;
  /** Fields of a struct, or alternatives of a union. */
  readonly fields: readonly ShapeField[];
  /** Of structs: no other members are allowed. */
  readonly isClosed: boolean;
}

export interface ShapeField {
  readonly name: string;
  readonly shape: Shape;
  /** Whether the member may not be missing. */
  readonly isRequired: boolean;
}

/** Distinguishes scalars: of numbers as they are compared, e.g. 1 and 1.0 are equal. Undefined: it is no scalar. */
export function valueKey(tree: unknown): string | undefined {
  switch (typeof tree) {
    case 'string':
      return `"${tree}`;
    case 'number':
    case 'boolean':
      return String(tree);
    default:
      if (tree === null) return 'null';
      return tree instanceof JsonNumber ? String(tree.toNumber()) : undefined;
  }
}
