/** Uses a converter as a header converter, as Java does with its converters for single values. */
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
