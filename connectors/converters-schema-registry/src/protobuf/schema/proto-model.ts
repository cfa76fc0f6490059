/** Protobuf's types as the converter needs them, from the text of a schema or for the values of a Connect schema. */

/** Types that are not declared. */
export const SCALARS = [
  'double',
  'float',
  'int32',
  'int64',
  'uint32',
  'uint64',
  'sint32',
  'sint64',
  'fixed32',
  'fixed64',
  'sfixed32',
  'sfixed64',
  'bool',
  'string',
  'bytes',
] as const;
export type Scalar = (typeof SCALARS)[number];

const SCALAR_NAMES: ReadonlySet<string> = new Set(SCALARS);

export function isScalar(type: string): type is Scalar {
  return SCALAR_NAMES.has(type);
}

/** What the options `confluent.field_meta` and `confluent.message_meta` say. */
export interface Meta {
  readonly doc: string | null;
  readonly params: ReadonlyMap<string, string>;
}

export const NO_META: Meta = { doc: null, params: new Map() };

export interface EnumType {
  readonly kind: 'enum';
  readonly name: string;
  readonly fullName: string;
  /** In the order declared; several may have one number. */
  readonly values: ReadonlyMap<string, number>;
  /** The first name of each number. */
  readonly names: ReadonlyMap<number, string>;
  /** Whether other numbers count as unknown fields. */
  readonly closed: boolean;
}

export interface Oneof {
  readonly name: string;
  readonly index: number;
  readonly fields: readonly ProtoField[];
}

export type FieldType = Scalar | EnumType | MessageType;

/**
 * Whether it is known if a field was set, or must be. `implicit`: a value that is not there is the type's default one.
 */
export type Presence = 'implicit' | 'explicit' | 'required';

export interface ProtoField {
  readonly name: string;
  readonly number: number;
  readonly type: FieldType;
  readonly repeated: boolean;
  /** For repeated fields: how it is written. */
  readonly packed: boolean;
  /** For messages: written between tags, not with their length. */
  readonly group: boolean;
  readonly presence: Presence;
  /** Declared with the keyword `optional`. */
  readonly optional: boolean;
  readonly proto2: boolean;
  readonly oneof: Oneof | null;
  /** As in the text, of `[default = …]`; null: none. */
  readonly defaultText: DefaultText | null;
  readonly meta: Meta;
}

export interface DefaultText {
  readonly text: string;
  /** The bytes of a text in quotes; null: it was in none. */
  readonly bytes: Buffer | null;
}

export interface MessageType {
  readonly kind: 'message';
  readonly name: string;
  readonly fullName: string;
  /** In the order declared. */
  readonly fields: readonly ProtoField[];
  readonly fieldsByName: ReadonlyMap<string, ProtoField>;
  readonly oneofs: readonly Oneof[];
  /** In the order declared, without those of map fields. */
  readonly messages: readonly MessageType[];
  /** The message stands for the entries of a map: `key` and `value`. */
  readonly mapEntry: boolean;
  readonly meta: Meta;
}

export interface ProtoFile {
  readonly package: string;
  readonly messages: readonly MessageType[];
}

/** A field of the type, for places where a value is none of a message. */
export function fieldOf(type: FieldType, name = 'value', number = 1): ProtoField {
  return {
    name,
    number,
    type,
    repeated: false,
    packed: false,
    group: false,
    presence: 'explicit',
    optional: false,
    proto2: false,
    oneof: null,
    defaultText: null,
    meta: typeof type !== 'string' && type.kind === 'message' ? type.meta : NO_META,
  };
}
