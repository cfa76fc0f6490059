/**
 * Declares the fields of Kafka messages: name (camelCase, as in Kafka's message definitions), type and API versions.
 * The same list defines decoding, encoding and the TypeScript types.
 */

/**
 * int64 is a JavaScript number: offsets, timestamps and producer ids stay below 2^53. `?`: nullable. `records`:
 * nullable bytes of record batches.
 */
export type Primitive =
  'bool' | 'int8' | 'int16' | 'int32' | 'int64' | 'uuid' | 'string' | 'string?' | 'bytes' | 'bytes?' | 'records';

/** A list of fields declares an array of structs. */
export type FieldType = Primitive | `[]${Primitive}` | readonly Field[];

export interface FieldOptions {
  /** For arrays; nullable primitives have a `?`. */
  readonly nullable?: true;
  /** A tagged field with this number, which is only written if it differs from its default. */
  readonly tag?: number;
  /**
   * Used if the field is not part of the version, or not set in a response. Without it: 0, '', false, null or [].
   */
  readonly default?: number | string | boolean;
}

/** Name, type, versions (`0+`, `1-3`, `2`; default all), options. */
export type Field =
  | readonly [name: string, type: FieldType]
  | readonly [name: string, type: FieldType, versions: string]
  | readonly [name: string, type: FieldType, versions: string, options: FieldOptions];

export interface Api {
  readonly key: number;
  readonly name: string;
  /** The lowest and the highest declared version. What the client and the broker support is their own decision. */
  readonly versions: readonly [number, number];
  /** First version with compact lengths and tagged fields; null: none. */
  readonly flexible: number | null;
  readonly request: readonly Field[];
  readonly response: readonly Field[];
}

/** Preserves the literal types, from which the message types are derived. */
export function api<const A extends Api>(definition: A): A {
  return definition;
}

/** The API with only these of its versions: those that one side of a connection supports. */
export function withVersions<A extends Api>(
  api: A,
  lowest: number,
  highest: number,
): Omit<A, 'versions'> & { readonly versions: readonly [number, number] } {
  if (lowest < api.versions[0] || highest > api.versions[1])
    throw new RangeError(`${api.name} is declared for versions ${api.versions.join(' to ')}`);
  return { ...api, versions: [lowest, highest] };
}

interface PrimitiveValues {
  bool: boolean;
  int8: number;
  int16: number;
  int32: number;
  int64: number;
  /** 16 bytes in hexadecimal. */
  uuid: string;
  string: string;
  'string?': string | null;
  bytes: Buffer;
  'bytes?': Buffer | null;
  records: Buffer | null;
}

type ValueOf<T> = T extends Primitive
  ? PrimitiveValues[T]
  : T extends `[]${infer P extends Primitive}`
    ? PrimitiveValues[P][]
    : T extends readonly Field[]
      ? MessageOf<T>[]
      : never;

type Nullable<F> = F extends readonly [string, FieldType, string, { readonly nullable: true }] ? null : never;

/** A decoded message: it has every field, in all versions. */
export type MessageOf<Fields extends readonly Field[]> = {
  [F in Fields[number] as F[0]]: ValueOf<F[1]> | Nullable<F>;
};

/** A message to encode: omitted fields have their defaults. */
export type Loose<T> = T extends Buffer
  ? T
  : T extends (infer E)[]
    ? readonly Loose<E>[]
    : T extends object
      ? { readonly [K in keyof T]?: Loose<T[K]> }
      : T;

export type RequestOf<A extends Api> = MessageOf<A['request']>;
export type ResponseOf<A extends Api> = Loose<MessageOf<A['response']>>;

/** One element of an array field. */
export type ElementOf<T> = NonNullable<T> extends readonly (infer E)[] ? E : never;
