/**
 * `org.apache.kafka.connect.converters.ByteArrayConverter`: bytes pass through untouched. Source: connect-runtime §6.3.
 */
import {
  DataError,
  schema as makeSchema,
  type ConnectValue,
  type Converter,
  type Schema,
  type SchemaAndValue,
  kindOf,
} from '@millrace/sdk';

const OPTIONAL_BYTES = makeSchema('BYTES', { optional: true });

export class ByteArrayConverter implements Converter {
  configure(): void {}

  fromConnectData(topic: string, schema: Schema | null, value: ConnectValue): Uint8Array | null {
    if (schema !== null && schema.type !== 'BYTES') {
      throw new DataError(`Invalid schema type for ByteArrayConverter: ${schema.type}. It supports only BYTES.`, {
        place: { topic },
      });
    }
    if (value === null || value === undefined) return null;
    if (!(value instanceof Uint8Array)) {
      throw new DataError(`ByteArrayConverter is not compatible with ${kindOf(value)}: it requires a Buffer or null.`, {
        place: { topic },
      });
    }
    return value;
  }

  toConnectData(_topic: string, bytes: Uint8Array | null): SchemaAndValue {
    const value = bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { schema: OPTIONAL_BYTES, value };
  }
}
