/** A Connect value as JSON text. */
import type { Converter, SchemaAndValue } from '@millrace/sdk';
import { JsonConverter } from '../converters/json/json-converter';

let converter: Converter | undefined;

/** Structs are objects, decimals numbers, bytes base64. @throws DataError for a value that does not match its schema */
export function jsonText({ schema, value }: SchemaAndValue): string {
  if (!converter) {
    converter = new JsonConverter();
    converter.configure({ 'schemas.enable': 'false', 'decimal.format': 'NUMERIC' }, false);
  }
  const bytes = converter.fromConnectData('', schema, value);
  return bytes === null ? 'null' : Buffer.from(bytes).toString();
}
