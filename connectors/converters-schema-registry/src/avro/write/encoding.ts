/**
 * How the values of a Connect schema are encoded at one place of an Avro schema: what the compiled writers of structs
 * are made of, and what a writer of raw rows can be made of.
 */
import type { Schema } from '@millrace/sdk';
import type { AvroSchema } from '../schema/avro-schema';
import type { WriteValue } from './primitive-writers';

export interface Encoding {
  readonly connect: Schema;
  /** Where the Avro schema is a union, the branch of values that are not null. */
  readonly avro: AvroSchema;
  /** What comes before a value that is not null: the index of the branch. Empty: the Avro schema is no union. */
  readonly prefix: Uint8Array;
  /** What is written for null, e.g. a default. Null: null is not allowed. */
  readonly nullBytes: Uint8Array | null;
  /** Appends a value that is not null, without the prefix. */
  readonly write: WriteValue;
  /** Of a struct how its fields are encoded. Null: of others, of unions, and of a struct within itself. */
  readonly struct: StructEncoding | null;
}

/** A field of an Avro record, in the record's order. */
export interface FieldEncoding {
  /** Of the struct's member. */
  readonly name: string;
  /** Of the field in the Connect schema. Negative: it has no such field, and the bytes are the same for all structs. */
  readonly index: number;
  /** Null: `bytes` are written. */
  readonly encoding: Encoding | null;
  readonly bytes: Uint8Array;
}

export interface StructEncoding {
  readonly fields: readonly FieldEncoding[];
  readonly write: WriteValue;
}
