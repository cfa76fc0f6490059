/** Adds a record's origin to its row. Source: analytics-sink §3.4. */
import type { SinkRecord } from '@millrace/sdk';
import type { MetadataColumn } from '../config/settings';
import { quotingSeparator, type Format } from '../mapping/formats';
import { jsonText } from './json-value';

/** Members to add to JSON rows: name → JSON text. */
export function metadataMembers(record: SinkRecord, columns: readonly MetadataColumn[]): Map<string, string> {
  const members = new Map<string, string>();
  if (columns.includes('key')) members.set('keys', keyJson(record));
  if (columns.includes('headers')) members.set('headers', headersJson(record));
  const place = (['topic', 'partition', 'offset', 'timestamp'] as const)
    .filter((column) => columns.includes(column))
    .map((column) => `${JSON.stringify(column)}:${JSON.stringify(record[column])}`);
  if (place.length > 0) members.set('kafkamd', `{${place.join(',')}}`);
  return members;
}

/** Adds members to a JSON object. Existing members are kept. */
export function withMembers(json: string, members: ReadonlyMap<string, string>): string {
  const known = Object.keys(JSON.parse(json) as object);
  const added = [...members]
    .filter(([name]) => !known.includes(name))
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  if (added.length === 0) return json;
  const body = json.trimEnd().slice(0, -1).trimEnd();
  return `${body}${known.length > 0 ? ',' : ''}${added.join(',')}}`;
}

/** Fields to append to delimited rows, quoted or escaped where necessary. */
export function metadataFields(record: SinkRecord, columns: readonly MetadataColumn[], format: Format): string {
  const { separator = ',' } = format;
  const quoting = quotingSeparator(format);
  const field = (text: string): string => (quoting === null ? escaped(text) : quoted(text, quoting));
  return columns.map((column) => separator + field(fieldText(record, column))).join('');
}

function fieldText(record: SinkRecord, column: MetadataColumn): string {
  if (column === 'headers') return headersJson(record);
  if (column !== 'key') return String(record[column] ?? '');
  if (record.key instanceof Uint8Array) return Buffer.from(record.key).toString('base64');
  return typeof record.key === 'string' ? record.key : record.key == null ? '' : jsonText(record.keySchema, record.key);
}

function quoted(text: string, separator: string): string {
  return text.includes(separator) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };

function escaped(text: string): string {
  return text.replaceAll(/[\t\n\r\\]/g, (char) => ESCAPES[char] ?? char);
}

function keyJson({ key, keySchema }: SinkRecord): string {
  if (typeof key !== 'string') return jsonText(keySchema, key);
  try {
    JSON.parse(key);
    return key;
  } catch {
    return JSON.stringify(key);
  }
}

function headersJson({ headers }: SinkRecord): string {
  const members = headers.map(({ key, schema, value }) => {
    const text = typeof value === 'string' ? value : jsonText(schema, value);
    return `${JSON.stringify(key)}:${JSON.stringify(text)}`;
  });
  return `{${members.join(',')}}`;
}
