/** `org.apache.kafka.connect.storage.SimpleHeaderConverter`: headers as readable text. Source: connect-runtime §6.4. */
import {
  DataError,
  schema as makeSchema,
  type ConnectorConfig,
  type ConnectValue,
  type HeaderConverter,
  type Schema,
  type SchemaAndValue,
} from '@millrace/sdk';
import { formatValue } from '../values/format-value';
import { ExhaustedTokens, parseValue } from '../values/parse-value';

const BYTES = makeSchema('BYTES');

export class SimpleHeaderConverter implements HeaderConverter {
  configure(_config: ConnectorConfig): void {}

  fromConnectHeader(_topic: string, _key: string, schema: Schema | null, value: ConnectValue): Uint8Array | null {
    if (value === null || value === undefined) return null;
    return Buffer.from(formatValue(schema, value));
  }

  toConnectHeader(topic: string, key: string, bytes: Uint8Array | null): SchemaAndValue {
    if (bytes === null) return { schema: null, value: null };
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    try {
      return parseValue(buffer.toString());
    } catch (error) {
      if (error instanceof ExhaustedTokens) {
        throw new DataError(`Failed to deserialize header "${key}": unexpected end of the text.`, {
          cause: error,
          place: { topic },
        });
      }
      return { schema: BYTES, value: buffer };
    }
  }
}
