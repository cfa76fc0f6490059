/** Protobuf as a format of converters with a schema registry. */
import type { ConnectorConfig, ConnectValue, Schema } from '@millrace/sdk';
import type { ByteOutput } from '../byte-output';
import type { SchemaFormat, ValueReader, ValueWriter } from '../format';
import type { RegisteredSchema, SchemaText } from '../registry/schema-registry';
import { recordError, schemaError } from './faults';
import { readProtobufSettings, type ProtobufSettings } from './protobuf-settings';
import { ProtobufReader } from './reading/protobuf-reader';
import { readRegistered } from './schema/registered-file';
import type { MessageType, ProtoFile } from './schema/proto-model';
import { FIRST_MESSAGE, writtenIndexes } from './schema/message-indexes';
import { printFile } from './writing/proto-printer';
import { generateTypes } from './writing/type-generator';
import type { ValueWriter as MessageWriter } from './writing/value-writer';
import { WriterCompiler } from './writing/writer-compiler';

/** Throws ConfigError. */
export function createProtobufFormat(config: ConnectorConfig): SchemaFormat {
  return new ProtobufFormat(readProtobufSettings(config));
}

class ProtobufFormat implements SchemaFormat {
  readonly type = 'PROTOBUF';

  constructor(private readonly settings: ProtobufSettings) {}

  writer(schema: Schema | null): ValueWriter {
    const file = generateTypes(withSchema(schema), this.settings);
    const text = { type: 'PROTOBUF', text: printFile(file), references: [] } as const;
    const writer = new WriterCompiler(this.settings, true).root(withSchema(schema), file.message);
    return new RecordWriter(text, file.message.fullName, writer, FIRST_MESSAGE);
  }

  writerOf(registered: RegisteredSchema, schema: Schema | null, isStrict: boolean): ValueWriter {
    const file = readRegistered(registered);
    const own = generateTypes(withSchema(schema), this.settings).message;
    const named = (is: (message: MessageType) => boolean): number[] | null => pathOf(file, is);
    const indexes = named(({ fullName }) => fullName === own.fullName) ?? named(({ name }) => name === own.name) ?? [0];
    let message: MessageType | undefined;
    for (const index of indexes) message = (message?.messages ?? file.messages)[index];
    if (message === undefined) throw schemaError('The registered schema has no message.');
    const writer = new WriterCompiler(this.settings, isStrict).root(withSchema(schema), message);
    return new RecordWriter(registered, message.fullName, writer, writtenIndexes(indexes));
  }

  reader(registered: RegisteredSchema): ValueReader {
    return new ProtobufReader(readRegistered(registered), this.settings);
  }
}

class RecordWriter implements ValueWriter {
  constructor(
    readonly schema: SchemaText,
    readonly recordName: string,
    private readonly writer: MessageWriter,
    private readonly indexes: Uint8Array,
  ) {}

  write(value: ConnectValue, output: ByteOutput): boolean {
    if (value === null || value === undefined) return false;
    try {
      output.append(this.indexes);
      this.writer.content(output, value, 1);
    } catch (error) {
      throw recordError(error, 'written');
    }
    return true;
  }
}

function withSchema(schema: Schema | null): Schema {
  if (schema === null)
    throw schemaError(
      'Values without a schema cannot be written as Protobuf: use a source or a transformation that gives them one.',
    );
  return schema;
}

/** Of the first such message, from the outside in. */
function pathOf(file: ProtoFile, isIt: (message: MessageType) => boolean): number[] | null {
  const open: { readonly messages: readonly MessageType[]; readonly path: readonly number[] }[] = [
    { messages: file.messages, path: [] },
  ];
  for (const { messages, path } of open)
    for (const [index, message] of messages.entries()) {
      if (isIt(message)) return [...path, index];
      open.push({ messages: message.messages, path: [...path, index] });
    }
  return null;
}
