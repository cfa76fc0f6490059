/** Avro schemas, as the specification of Avro has them. */
import type { JsonTree } from '../json/json-tree';
import type { AvroName } from './avro-name';
import type { PrimitiveType } from './primitive-types';

/** Attributes that are not Avro's own, in order. */
export type Props = Map<string, JsonTree>;

export interface AvroPrimitive {
  readonly type: PrimitiveType;
  readonly props: Props;
}

export interface AvroArray {
  readonly type: 'array';
  readonly items: AvroSchema;
  readonly props: Props;
}

export interface AvroMap {
  readonly type: 'map';
  readonly values: AvroSchema;
  readonly props: Props;
}

export interface AvroUnion {
  readonly type: 'union';
  readonly types: readonly AvroSchema[];
}

export interface AvroField {
  readonly name: string;
  readonly schema: AvroSchema;
  readonly doc: string | null;
  /** Undefined: none. */
  readonly default: JsonTree | undefined;
  readonly aliases: readonly string[];
  readonly props: Props;
}

export interface AvroRecord {
  readonly type: 'record';
  readonly name: AvroName;
  readonly doc: string | null;
  /** Filled after the record is made: it may contain itself. */
  readonly fields: AvroField[];
  readonly aliases: readonly AvroName[];
  readonly props: Props;
}

export interface AvroEnum {
  readonly type: 'enum';
  readonly name: AvroName;
  readonly doc: string | null;
  readonly symbols: readonly string[];
  readonly default: string | null;
  readonly aliases: readonly AvroName[];
  readonly props: Props;
}

export interface AvroFixed {
  readonly type: 'fixed';
  readonly name: AvroName;
  readonly doc: string | null;
  readonly size: number;
  readonly aliases: readonly AvroName[];
  readonly props: Props;
}

export type AvroNamed = AvroRecord | AvroEnum | AvroFixed;
export type AvroSchema = AvroPrimitive | AvroArray | AvroMap | AvroUnion | AvroNamed;

export function primitive(type: PrimitiveType, props: Props = new Map()): AvroPrimitive {
  return { type, props };
}

export function record(name: AvroName, doc: string | null = null, aliases: readonly AvroName[] = []): AvroRecord {
  return { type: 'record', name, doc, fields: [], aliases, props: new Map() };
}

export function field(
  name: string,
  schema: AvroSchema,
  options: Partial<Omit<AvroField, 'name' | 'schema'>> = {},
): AvroField {
  return { name, schema, doc: null, default: undefined, aliases: [], props: new Map(), ...options };
}

export function isNamed(schema: AvroSchema): schema is AvroNamed {
  return schema.type === 'record' || schema.type === 'enum' || schema.type === 'fixed';
}

/** Under which a union has the type: only one of each kind, or of each name. */
export function branchName(schema: AvroSchema): string {
  return isNamed(schema) ? schema.name.full : schema.type;
}
