/** A record as a line, without the separator. */
import type { SinkRecord } from '@millrace/sdk';
import type { LineFormat } from './config';
import { jsonObject, jsonText } from './json-text';
import { valueText } from './value-text';

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

export function recordLine(format: LineFormat): RecordLine {
  return LINES[format];
}
