/** Reads keys, values and headers of records through converters. */
import { isUtf8 } from 'node:buffer';
import { messageOf, type Converter, type HeaderConverter } from '@millrace/sdk';
import { jsonText } from './json-text';

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

/** Bytes that a converter cannot read are shown as they are. `onMismatch` is called once, with the reason. */
export function lenient(read: ReadBytes, onMismatch: (reason: string) => void): ReadBytes {
  let isKnown = false;
  return (topic, bytes) => {
    try {
      return read(topic, bytes);
    } catch (error) {
      if (!isKnown) onMismatch(messageOf(error));
      isKnown = true;
      return plainText(bytes);
    }
  };
}

/** JSON as it is, other text as a JSON string, other bytes in base64. */
export function plainText(bytes: Uint8Array | null): string {
  if (bytes === null) return 'null';
  if (!isUtf8(bytes)) return JSON.stringify(Buffer.from(bytes).toString('base64'));
  const text = Buffer.from(bytes).toString();
  try {
    JSON.parse(text);
    // Not the parsed value: numbers beyond doubles keep their digits. Line breaks are only between members.
    return text.trim().replaceAll(/[\r\n]/g, ' ');
  } catch {
    return JSON.stringify(text);
  }
}
