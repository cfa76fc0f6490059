/** A record as a line, without the separator. */
import { isUtf8 } from 'node:buffer';
import {
  javaText,
  type ConnectValue,
  type JavaTextForms,
  type Schema,
  type SinkRecord,
  type TextRecord,
} from '@millrace/sdk';
import type { LineFormat } from './config';
import { jsonObject, jsonText } from './json-text';

export type RecordLine = (record: SinkRecord) => string | Uint8Array;

const LINES: Readonly<Record<LineFormat, RecordLine>> = {
  string: ({ valueSchema, value }) => (typeof value === 'string' ? value : valueText(valueSchema, value)),
  json: ({ valueSchema, value }) => jsonText(valueSchema, value),
  jsonenvelope: (record) =>
    jsonObject([
      ['topic', JSON.stringify(record.topic)],
      ['partition', String(record.partition)],
      ['offset', String(record.offset)],
      ['timestamp', String(record.timestamp)],
      ['key', jsonText(record.keySchema, record.key)],
      ['value', jsonText(record.valueSchema, record.value)],
      // A list, because a header key may occur more than once.
      ['headers', `[${record.headers.map(headerText).join(',')}]`],
    ]),
};

function headerText({ key, schema, value }: SinkRecord['headers'][number]): string {
  return jsonObject([
    ['key', JSON.stringify(key)],
    ['value', jsonText(schema, value)],
  ]);
}

/** The line of the format `string`: the same as that of the value's text. */
export function textLine({ bytes, valueStart, valueEnd }: TextRecord): string {
  if (valueStart < 0) return javaText(null, null, FORMS);
  return Buffer.from(bytes.buffer, bytes.byteOffset + valueStart, valueEnd - valueStart).toString('utf8');
}

export function recordLine(format: LineFormat): RecordLine {
  return LINES[format];
}

const FORMS: JavaTextForms = {
  bytes: (bytes) => bytes.toString(isUtf8(bytes) ? 'utf8' : 'base64'),
  date: (date) => date.toISOString(),
};

/**
 * A value as Java's file sink prints it (`String.valueOf`): `null`, `Struct{id=1,name=x}`, `[1, 2]`, `1.0E10`.
 * Two intended differences: bytes are text if they are UTF-8 and base64 otherwise (Java prints an object address), and
 * dates are in ISO format (Java's depend on the machine's time zone). UTF-8 bytes are returned as they are, which saves
 * decoding them.
 */
export function valueText(schema: Schema | null, value: ConnectValue): string | Uint8Array {
  return value instanceof Uint8Array && isUtf8(value) ? value : javaText(schema, value, FORMS);
}
