/**
 * What a field of a Kafka message is: its name (camelCase, as in Kafka's own message definitions), its type and the API
 * versions that carry it. One list of fields drives decoding, encoding and the TypeScript types of handlers.
 */

/**
 * int64 is a JavaScript number: offsets, timestamps and producer ids stay below 2^53. `?` marks what may be null.
 * `records` are bytes as they are.
 */
export type Primitive =
  'bool' | 'int8' | 'int16' | 'int32' | 'int64' | 'uuid' | 'string' | 'string?' | 'bytes' | 'bytes?' | 'records';

/** A list of fields stands for an array of such structs. */
export type FieldType = Primitive | `[]${Primitive}` | readonly Field[];

export interface FieldOptions {
  /** Of arrays; primitives say it with `?`. */
  readonly nullable?: true;
  /**
   * Taken when the version does not carry the field, or a response leaves it out. Otherwise 0, '', false, null or [].
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
  /** The lowest and highest version served. Source: kafka-client §4. */
  readonly versions: readonly [number, number];
  /** First version with compact lengths and tagged fields; null: none. */
  readonly flexible: number | null;
  readonly request: readonly Field[];
  readonly response: readonly Field[];
}

/** Keeps the literal types, from which the messages' types are made. */
export function api<const A extends Api>(definition: A): A {
  return definition;
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

type Nullable<F> = F extends readonly [string, FieldType, string, { nullable: true }] ? null : never;

/** A decoded message: every field is there, whatever the version. */
export type MessageOf<Fields extends readonly Field[]> = {
  [F in Fields[number] as F[0]]: ValueOf<F[1]> | Nullable<F>;
};

/** A message to encode: what is left out takes its default. */
type Loose<T> = T extends Buffer
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
