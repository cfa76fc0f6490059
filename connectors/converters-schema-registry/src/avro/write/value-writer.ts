/** Writes records with a compiled writer. */
import {
  DataError,
  LogicalName,
  readMember,
  type ConnectValue,
  type Field,
  type RawStruct,
  type Schema,
} from '@millrace/sdk';
import { scaleOf } from '../from-connect/logical-props';
import { ByteOutput } from '../../byte-output';
import type { RawValueWriter, ValueWriter } from '../../format';
import type { SchemaText } from '../../registry/schema-registry';
import type { AvroSettings } from '../avro-settings';
import { ANYTHING } from '../connect-props';
import { isUnion } from '../from-connect/connect-kinds';
import { schemaError } from '../schema-error';
import { ANYTHING_SCHEMA } from '../schema/anything';
import type { AvroSchema } from '../schema/avro-schema';
import { equalSchemas } from '../schema/schema-equality';
import { writeAnything } from './anything-writer';
import type { Encoding } from './encoding';
import { appendedDecimalWriter } from './logical-writers';
import { Mismatch, pathText } from './mismatch';
import { appendBinary, type WriteValue } from './primitive-writers';
import { putBytes, writeEncoded } from './struct-code';
import { WriterCompiler, type CompilerOptions } from './writer-compiler';

export interface WriterSource {
  readonly connect: Schema | null;
  readonly avro: AvroSchema;
  readonly text: SchemaText;
  readonly settings: AvroSettings;
  readonly strict: boolean;
  /** For `ValueWriter.raw`. `begin` is to be called before each record. */
  readonly compileRaw: (struct: RawStruct, encoding: Encoding, begin: () => void) => RawValueWriter | null;
}

interface Compiled {
  readonly encoding: Encoding | null;
  readonly begin: () => void;
}

export class AvroValueWriter implements ValueWriter {
  readonly schema: SchemaText;
  readonly recordName: string | null;
  /** How the record is encoded. Null: it has no schema. */
  readonly encoding: Encoding | null;
  private readonly begin: () => void;
  private readonly writePlain: WriteValue;
  private readonly prefix: Uint8Array;
  private readonly isOptional: boolean;
  /** Of an optional struct that stands for a union: null if none of them has a value. */
  private readonly unionMembers: readonly Field[] | null;
  private traced: Compiled | null = null;

  /** Throws DataError if the Avro schema cannot hold the values. */
  constructor(private readonly source: WriterSource) {
    const { connect, avro, text } = source;
    this.schema = text;
    this.recordName = avro.type === 'record' ? avro.name.full : null;
    this.isOptional = connect === null || connect.optional;
    this.unionMembers = connect !== null && connect.optional && isUnion(connect) ? connect.fields : null;
    const { encoding, begin } = compile(source, false);
    this.encoding = encoding;
    this.begin = begin;
    this.prefix = encoding?.prefix ?? new Uint8Array(0);
    this.writePlain = encoding === null ? writeAnything : encoding.write;
  }

  write(value: ConnectValue, output: ByteOutput): boolean {
    if (value === null || value === undefined || this.isEmptyUnion(value)) {
      if (this.isOptional) return false;
      throw mismatchError(new Mismatch('null value for a schema that is not optional'));
    }
    this.begin();
    try {
      putBytes(output, this.prefix);
      this.writePlain(value, output);
    } catch (error) {
      throw error instanceof Mismatch ? this.explained(value, error) : error;
    }
    return true;
  }

  raw(struct: RawStruct): RawValueWriter | null {
    return this.encoding === null ? null : this.source.compileRaw(struct, this.encoding, this.begin);
  }

  private isEmptyUnion(value: NonNullable<ConnectValue>): boolean {
    if (this.unionMembers === null || typeof value !== 'object') return false;
    const { ignoreDefaults } = this.source.settings;
    return this.unionMembers.every(({ name, schema }) => {
      const member = readMember(value as Record<string, unknown>, name) ?? (ignoreDefaults ? null : schema.default);
      return member === null || member === undefined;
    });
  }

  /** The error with its place, which the fast writer does not keep. */
  private explained(value: unknown, error: Mismatch): DataError {
    const { encoding, begin } = (this.traced ??= compile(this.source, true));
    if (encoding === null) return mismatchError(error);
    begin();
    try {
      writeEncoded(value, new ByteOutput(), encoding);
    } catch (traced) {
      if (traced instanceof Mismatch) return mismatchError(traced);
    }
    return mismatchError(error);
  }
}

function compile({ connect, avro, settings, strict }: WriterSource, traced: boolean): Compiled {
  if (connect === null) {
    if (!equalSchemas(avro, ANYTHING_SCHEMA))
      throw schemaError(
        `The values have no schema, and the registered one is not ${ANYTHING}: use a source with schemas, or another converter.`,
      );
    return { encoding: null, begin: () => undefined };
  }
  const options: CompilerOptions = { strict, traced };
  const compiler = new WriterCompiler(settings, options);
  // Null never gets here: it is a record without a value.
  const encoding = compiler.encoding({ ...connect, optional: false }, avro, false);
  return { encoding: avro.type === 'bytes' ? withoutLength(connect, encoding) : encoding, begin: compiler.begin };
}

/** Bytes that are a whole record are written without their length, as Java does. */
function withoutLength(connect: Schema, encoding: Encoding): Encoding {
  const write =
    connect.name === LogicalName.DECIMAL
      ? appendedDecimalWriter(scaleOf(connect))
      : connect.type === 'BYTES'
        ? appendBinary
        : null;
  if (write === null) throw schemaError('Only bytes can be written with an Avro schema of bytes alone.');
  return { ...encoding, write };
}

function mismatchError(error: Mismatch): DataError {
  const path = pathText(error.path);
  const where = path === '' ? 'the value' : `field "${path}"`;
  return new DataError(`Conversion error in ${where}: ${error.message}.`, {
    code: 'CONVERTER_MISMATCH',
    place: path === '' ? {} : { field: path },
  });
}
