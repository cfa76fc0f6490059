/** `org.apache.kafka.connect.json.JsonConverter`. Source: connect-runtime §6.2. */
import type {
  ConnectorConfig,
  ConnectValue,
  Converter,
  RawCells,
  RawStruct,
  Schema,
  SchemaAndValue,
} from '@millrace/sdk';
import { jsonSettings } from './config';
import { JsonDeserializer } from './json-deserializer';
import { JsonSerializer } from './json-serializer';

export class JsonConverter implements Converter {
  private serializer = new JsonSerializer(jsonSettings({}));
  private deserializer = new JsonDeserializer(jsonSettings({}));

  configure(config: ConnectorConfig): void {
    const settings = jsonSettings(config);
    this.serializer = new JsonSerializer(settings);
    this.deserializer = new JsonDeserializer(settings);
  }

  fromConnectData(topic: string, schema: Schema | null, value: ConnectValue): Uint8Array | null {
    if (schema === null && (value === null || value === undefined)) return null;
    return this.serializer.serialize(topic, schema, value);
  }

  fromRaw(_topic: string, struct: RawStruct, row: RawCells): Uint8Array | null {
    return this.serializer.serializeRaw(struct, row);
  }

  toConnectData(topic: string, bytes: Uint8Array | null): SchemaAndValue {
    if (bytes === null) return { schema: null, value: null };
    return this.deserializer.deserialize(topic, bytes);
  }
}
