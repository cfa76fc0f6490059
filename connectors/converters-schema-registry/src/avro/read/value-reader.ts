/** Reads records with the schema that they were written with. */
import type { Schema, SchemaAndValue } from '@millrace/sdk';
import type { ValueReader } from '../../format';
import type { AvroSettings } from '../avro-settings';
import { ANYTHING_SCHEMA } from '../schema/anything';
import type { AvroSchema } from '../schema/avro-schema';
import { equalSchemas } from '../schema/schema-equality';
import { connectSchemaOf } from '../to-connect/avro-to-connect';
import { readAnything } from './anything-reader';
import { ByteInput, unreadable } from './byte-input';
import type { ReadValue } from './logical-readers';
import { ReaderCompiler } from './reader-compiler';
import { wholeReader } from './whole-reader';

export class AvroValueReader implements ValueReader {
  readonly schema: Schema | null;
  private readonly readPlain: ReadValue;
  private readonly input = new ByteInput();

  /** Throws DataError `AVRO_SCHEMA`. */
  constructor(avro: AvroSchema, version: number | null, settings: AvroSettings) {
    if (equalSchemas(avro, ANYTHING_SCHEMA)) {
      this.schema = null;
      this.readPlain = readAnything;
      return;
    }
    const { schema, unionFields } = connectSchemaOf(avro, version, settings);
    this.schema = schema;
    this.readPlain = avro.type === 'bytes' ? wholeReader(schema) : new ReaderCompiler(unionFields).reader(avro, schema);
  }

  /** Throws DataError `AVRO_DATA`. */
  read(bytes: Uint8Array, at: number): SchemaAndValue {
    const { input } = this;
    input.start(bytes, at);
    const value = this.readPlain(input);
    if (input.at !== input.end) unreadable(`${input.end - input.at} bytes follow its value`, input.at);
    return { schema: this.schema, value };
  }
}
