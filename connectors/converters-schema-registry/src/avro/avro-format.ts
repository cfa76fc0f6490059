/** The Avro format of the registry converters. */
import type { ConnectorConfig, Schema } from '@millrace/sdk';
import type { SchemaFormat, ValueReader, ValueWriter } from '../format';
import type { RegisteredSchema } from '../registry/schema-registry';
import { avroSettings } from './avro-config';
import type { AvroSettings } from './avro-settings';
import { avroSchemaOf } from './from-connect/connect-to-avro';
import { rawValueWriter } from './raw/raw-writer';
import { SharedBytes } from './raw/shared-bytes';
import { AvroValueReader } from './read/value-reader';
import { parseSchema } from './schema/schema-parser';
import { schemaText } from './schema/schema-text';
import { AvroValueWriter, type WriterSource } from './write/value-writer';

export function createAvroFormat(config: ConnectorConfig, _isKey: boolean): SchemaFormat {
  return new AvroFormat(avroSettings(config));
}

class AvroFormat implements SchemaFormat {
  readonly type = 'AVRO';

  private readonly shared = new SharedBytes();
  private readonly compileRaw: WriterSource['compileRaw'] = (struct, encoding, begin) =>
    rawValueWriter(struct, encoding, this.shared, begin);

  constructor(private readonly settings: AvroSettings) {}

  writer(connect: Schema | null): ValueWriter {
    const { settings } = this;
    const avro = avroSchemaOf(connect, settings);
    const text = { type: this.type, text: schemaText(avro), references: [] } as const;
    return new AvroValueWriter({ connect, avro, text, settings, strict: false, compileRaw: this.compileRaw });
  }

  writerOf(registered: RegisteredSchema, connect: Schema | null, strict: boolean): ValueWriter {
    const avro = parseSchema(registered.text, registered.dependencies);
    return new AvroValueWriter({
      connect,
      avro,
      text: registered,
      settings: this.settings,
      strict,
      compileRaw: this.compileRaw,
    });
  }

  reader(registered: RegisteredSchema): ValueReader {
    const avro = parseSchema(registered.text, registered.dependencies);
    return new AvroValueReader(avro, registered.version, this.settings);
  }
}
