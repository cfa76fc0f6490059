/** Reads records of one registered schema. */
import type { Schema, SchemaAndValue } from '@millrace/sdk';
import type { ValueReader } from '../../format';
import { recordError } from '../faults';
import type { ProtobufSettings } from '../protobuf-settings';
import type { ProtoFile } from '../schema/proto-model';
import { messageAt, readIndexes } from '../schema/message-indexes';
import { WireInput } from '../wire/wire-input';
import { ConnectSchemas } from './connect-schema';
import { checkExpansion } from './expansion';
import type { FieldReader } from './field-reader';
import { ReaderCompiler } from './reader-compiler';
import type { StructReader } from './struct-reader';

/** Of one of the file's messages. */
interface RecordReader {
  readonly schema: Schema;
  readonly struct: StructReader | null;
  /** For records that are no struct. */
  readonly value: FieldReader | null;
}

export class ProtobufReader implements ValueReader {
  private readonly input = new WireInput();
  private readonly schemas: ConnectSchemas;
  private readonly compiler: ReaderCompiler;
  private readonly byIndexes = new Map<string, RecordReader>();
  private first: RecordReader | null = null;

  constructor(
    private readonly file: ProtoFile,
    settings: ProtobufSettings,
  ) {
    this.schemas = new ConnectSchemas(settings);
    this.compiler = new ReaderCompiler(settings, this.schemas);
  }

  read(bytes: Uint8Array, at: number, indexes: Uint8Array | null): SchemaAndValue {
    const { input } = this;
    try {
      const reader = indexes === null ? this.readerAt(bytes, at) : this.readerIn(indexes, bytes, at);
      const end = input.bytes.length;
      const { struct, value, schema } = reader;
      if (struct !== null) return { schema, value: struct.read(input, end, 0, null, 1) };
      return { schema, value: (value as FieldReader).content(input, end, 1) };
    } catch (error) {
      throw recordError(error, 'read');
    } finally {
      input.close();
    }
  }

  private readerAt(bytes: Uint8Array, at: number): RecordReader {
    const { input } = this;
    input.open(bytes, at);
    if (this.first === null || input.bytes[at] !== 0) return this.reader(readIndexes(input));
    input.at++;
    return this.first;
  }

  /** @param indexes in a header, while all of the bytes are the message */
  private readerIn(indexes: Uint8Array, bytes: Uint8Array, at: number): RecordReader {
    const { input } = this;
    input.open(indexes, 0);
    const reader = indexes.length === 0 ? this.reader(FIRST) : this.reader(readIndexes(input));
    input.open(bytes, at);
    return reader;
  }

  private reader(indexes: readonly number[]): RecordReader {
    const key = indexes.join();
    const known = this.byIndexes.get(key);
    if (known !== undefined) return known;
    const message = messageAt(this.file, indexes);
    const value = this.compiler.root(message);
    const schema = this.schemas.root(message);
    checkExpansion(schema);
    const reader = { schema, value, struct: value === null ? this.compiler.struct(message) : null };
    this.byIndexes.set(key, reader);
    if (key === '0') this.first = reader;
    return reader;
  }
}

const FIRST: readonly number[] = [0];
