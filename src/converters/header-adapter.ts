/** Java's converters for one value also serve as header converters; this makes one of the other. */
import type { ConnectorConfig, ConnectValue, Converter, HeaderConverter, Schema, SchemaAndValue } from '@millrace/sdk';

export class HeaderAdapter implements HeaderConverter {
  constructor(private readonly converter: Converter) {}

  configure(config: ConnectorConfig): void {
    this.converter.configure(config, false);
  }
  fromConnectHeader(topic: string, _key: string, schema: Schema | null, value: ConnectValue): Uint8Array | null {
    return this.converter.fromConnectData(topic, schema, value);
  }
  toConnectHeader(topic: string, _key: string, bytes: Uint8Array | null): SchemaAndValue {
    return this.converter.toConnectData(topic, bytes);
  }
}
