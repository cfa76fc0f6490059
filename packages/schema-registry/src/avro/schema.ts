/** An Avro schema, as the parser leaves it. */
import type { JsonValue } from '../json/json-value';

export const PRIMITIVES = ['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'] as const;
export type PrimitiveName = (typeof PRIMITIVES)[number];

/** Members of no meaning to Avro, and those of logical types. */
export type Properties = ReadonlyMap<string, JsonValue>;

export interface Name {
  readonly simple: string;
  /** Null: none. */
  readonly namespace: string | null;
}

export interface Primitive {
  readonly type: PrimitiveName;
  readonly properties: Properties;
}

export interface ArraySchema {
  readonly type: 'array';
  readonly items: AvroType;
  readonly properties: Properties;
}

export interface MapSchema {
  readonly type: 'map';
  readonly values: AvroType;
  readonly properties: Properties;
}

export interface UnionSchema {
  readonly type: 'union';
  readonly branches: readonly AvroType[];
}

interface Named {
  readonly name: Name;
  readonly doc: string | null;
  readonly aliases: readonly Name[];
  readonly properties: Properties;
}

export interface EnumSchema extends Named {
  readonly type: 'enum';
  readonly symbols: readonly string[];
  readonly default: string | null;
}

export interface FixedSchema extends Named {
  readonly type: 'fixed';
  readonly size: number;
}

export interface RecordSchema extends Named {
  readonly type: 'record';
  /** What the schema calls it. */
  readonly keyword: 'record' | 'error';
  /** Null while it is parsed. */
  fields: readonly Field[] | null;
}

export interface Field {
  readonly name: string;
  readonly type: AvroType;
  readonly doc: string | null;
  /** Undefined: none. */
  readonly default: JsonValue | undefined;
  readonly order: 'ascending' | 'descending' | 'ignore';
  readonly aliases: readonly string[];
  readonly properties: Properties;
}

export type NamedSchema = EnumSchema | FixedSchema | RecordSchema;
export type AvroType = Primitive | ArraySchema | MapSchema | UnionSchema | NamedSchema;

export const fullName = ({ simple, namespace }: Name): string =>
  namespace === null ? simple : `${namespace}.${simple}`;

export const isNamed = (type: AvroType): type is NamedSchema =>
  type.type === 'record' || type.type === 'enum' || type.type === 'fixed';

export const isPrimitiveName = (name: string): name is PrimitiveName =>
  (PRIMITIVES as readonly string[]).includes(name);
