/**
 * What a serialization format is to the converter: it compiles Connect schemas into writers, and registered schemas
 * into readers. Nothing here waits: what needs the registry is done before.
 */
import type { ConnectValue, RawCells, RawStruct, Schema, SchemaAndValue } from '@millrace/sdk';
import type { ByteOutput } from './byte-output';
import type { RegisteredSchema, SchemaText, SchemaType } from './registry/schema-registry';

export interface SchemaFormat {
  readonly type: SchemaType;
  /** For the values of a Connect schema (null: values without a schema). Throws DataError. */
  writer(schema: Schema | null): ValueWriter;
  /**
   * As `writer`, but the bytes are those of a schema that is registered already, which may differ from the one that
   * `writer` makes of the Connect schema.
   * @param isStrict whether that schema must be able to hold all values of the Connect schema (DataError otherwise)
   */
  writerOf(registered: RegisteredSchema, schema: Schema | null, isStrict: boolean): ValueWriter;
  /** Throws DataError. */
  reader(registered: RegisteredSchema): ValueReader;
}

export interface ValueWriter {
  /** What is registered. */
  readonly schema: SchemaText;
  /** For the naming strategies of subjects that need it. Null: the schema has no name. */
  readonly recordName: string | null;
  /**
   * Appends what follows the id: for Protobuf the message indexes, then the data. False: the record is null. Throws
   * DataError, with the field as its place.
   */
  write(value: ConnectValue, output: ByteOutput): boolean;
  /** Compiles the way from rows that still are bytes. Null: there is none for this struct. */
  raw?(struct: RawStruct): RawValueWriter | null;
}

export interface RawValueWriter {
  /** Appends what `write` appends for the plain value. False: it cannot; the output is to be discarded. */
  write(row: RawCells, output: ByteOutput): boolean;
}

export interface ValueReader {
  /**
   * Throws DataError.
   * @param at where the data starts, after the id
   * @param indexes Protobuf's message indexes, if they are in a header, after the id; null: they come with the data
   */
  read(bytes: Uint8Array, at: number, indexes: Uint8Array | null): SchemaAndValue;
}
