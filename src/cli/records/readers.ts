/** Reads keys, values and headers of records through converters. */
import { isUtf8 } from 'node:buffer';
import type { Converter, HeaderConverter, SchemaAndValue } from '@millrace/sdk';
import { JsonConverter } from '../../converters/json/json-converter';

/** JSON text of what the bytes hold. */
export type ReadBytes = (topic: string, bytes: Uint8Array | null) => string;

/** @throws DataError */
export function readerOf(converter: Converter): ReadBytes {
  return (topic, bytes) => jsonText(converter.toConnectData(topic, bytes));
}

/** @throws DataError */
export function headerReaderOf(
  converter: HeaderConverter,
): (topic: string, key: string, bytes: Uint8Array | null) => string {
  return (topic, key, bytes) => jsonText(converter.toConnectHeader(topic, key, bytes));
}

/**
 * Bytes that a converter cannot read are shown as they are. `onMismatch` is called once, at the first ones.
 * @param isJson whether the converter is for JSON: then JSON without a schema is no mismatch
 */
export function lenient(read: ReadBytes, isJson: boolean, onMismatch: () => void): ReadBytes {
  let isKnown = false;
  return (topic, bytes) => {
    try {
      return read(topic, bytes);
    } catch {
      const json = jsonIn(bytes);
      if (!isKnown && !(isJson && json !== undefined)) {
        isKnown = true;
        onMismatch();
      }
      return json ?? plainText(bytes);
    }
  };
}

/** JSON as it is, other text as a JSON string, other bytes in base64. */
export function plainText(bytes: Uint8Array | null): string {
  if (bytes === null) return 'null';
  const buffer = Buffer.from(bytes);
  return jsonIn(bytes) ?? JSON.stringify(isUtf8(bytes) ? buffer.toString() : buffer.toString('base64'));
}

/** Undefined if the bytes are not JSON. */
function jsonIn(bytes: Uint8Array | null): string | undefined {
  if (bytes === null || !isUtf8(bytes)) return undefined;
  const text = Buffer.from(bytes).toString();
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  // Not the parsed value: numbers beyond doubles keep their digits. Line breaks are only between members.
  return text.trim().replaceAll(/[\r\n]/g, ' ');
}

/** Connect values as JSON text, for people and programs. */
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
