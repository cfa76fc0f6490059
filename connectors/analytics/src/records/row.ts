/**
 * Converts a record to its form in a file: bytes, a row of an Avro file, a separate file, or nothing. Pure. Source:
 * analytics-sink §3.
 */
import { isUtf8 } from 'node:buffer';
import { isRecursive, type Schema, type SinkRecord } from '@millrace/sdk';
import type { AnalyticsSettings, MetadataColumn } from '../config/settings';
import { quotingSeparator, type Format } from '../mapping/formats';
import { delimitedRows } from './delimited-rows';
import { jsonDocuments } from './json-documents';
import { jsonText } from './json-value';
import { metadataFields, metadataMembers, withMembers } from './metadata';
import { recordError } from './record-error';

export type Row =
  | { readonly kind: 'skip' }
  /** Appended to the open text file. */
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  /** A complete file, shipped alone. */
  | { readonly kind: 'file'; readonly bytes: Buffer }
  | { readonly kind: 'avro'; readonly schema: Schema; readonly value: Readonly<Record<string, unknown>> };

export type RowSettings = Pick<AnalyticsSettings, 'validateJson' | 'metadataColumns'>;

const NEWLINE = Buffer.from('\n');

/** @throws DataError `ANALYTICS_RECORD` for a value that does not match the format. */
export function rowOf(record: SinkRecord, format: Format, settings: RowSettings): Row {
  const { value, valueSchema } = record;
  if (value === null || value === undefined) return { kind: 'skip' };
  if (format.wireName === 'txt' && isEmptyLines(value)) return { kind: 'skip' };
  if (value instanceof Uint8Array) return bytesRow(record, value, format, settings);
  if (valueSchema?.type === 'STRUCT') {
    if (format.family === 'binary')
      return isAvro(format) ? avroRow(record, valueSchema, value) : reject(record, format, 'a structure');
    if (format.family !== 'json') return reject(record, format, 'a structure');
    return textRow(record, jsonText(valueSchema, value), format, settings);
  }
  if (format.family === 'binary') return reject(record, format, typeof value);
  if (typeof value === 'string')
    return format.family === 'json'
      ? jsonRow(record, value, format, settings)
      : textRow(record, value, format, settings);
  const isStructured = typeof value === 'object' && !(value instanceof Date);
  if (isStructured && format.family !== 'json') return reject(record, format, 'a structure');
  return textRow(record, jsonText(valueSchema, value), format, settings);
}

function avroRow(record: SinkRecord, schema: Schema, value: unknown): Row {
  if (isRecursive(schema))
    throw recordError(
      record,
      "The value's schema contains itself, which the sink's Avro files cannot represent; map the topic to a JSON format.",
    );
  return { kind: 'avro', schema, value: value as Record<string, unknown> };
}

function bytesRow(record: SinkRecord, value: Uint8Array, format: Format, settings: RowSettings): Row {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (!format.batched) return { kind: 'file', bytes };
  const { metadataColumns, validateJson } = settings;
  if (format.family === 'json' && (validateJson || metadataColumns.length > 0)) {
    if (!isUtf8(bytes))
      throw recordError(record, 'The record is not UTF-8, the encoding of the files of JSON formats.');
    const documents = documentsOf(record, bytes.toString('utf8'));
    if (documents.length !== 1 || metadataColumns.length > 0) return documentsRow(record, documents, settings);
  }
  // Text in another encoding stays as it is.
  return { kind: 'bytes', bytes: lines(record, bytes, format, metadataColumns) };
}

/** A message may have several documents, or none. */
function jsonRow(record: SinkRecord, text: string, format: Format, settings: RowSettings): Row {
  return settings.validateJson || settings.metadataColumns.length > 0
    ? documentsRow(record, documentsOf(record, text), settings)
    : textRow(record, text, format, settings);
}

function documentsRow(record: SinkRecord, documents: readonly string[], settings: RowSettings): Row {
  if (documents.length === 0) return { kind: 'skip' };
  return { kind: 'bytes', bytes: Buffer.from(documents.map((one) => jsonLine(record, one, settings)).join('')) };
}

function textRow(record: SinkRecord, text: string, format: Format, settings: RowSettings): Row {
  if (!format.batched) return { kind: 'file', bytes: Buffer.from(text) };
  const bytes =
    format.family === 'json'
      ? Buffer.from(jsonLine(record, text, settings))
      : lines(record, Buffer.from(text), format, settings.metadataColumns);
  return { kind: 'bytes', bytes };
}

function jsonLine(record: SinkRecord, text: string, { metadataColumns }: RowSettings): string {
  const isRow = metadataColumns.length > 0 && text.trimStart().startsWith('{');
  return `${isRow ? withMembers(text, metadataMembers(record, metadataColumns)) : text}\n`;
}

/** The message and a line ending; in delimited formats each of its rows has the metadata. */
function lines(record: SinkRecord, bytes: Buffer, format: Format, columns: readonly MetadataColumn[]): Buffer {
  if (format.family !== 'delimited' || columns.length === 0) return Buffer.concat([bytes, NEWLINE]);
  const metadata = Buffer.from(`${metadataFields(record, columns, format)}\n`);
  return Buffer.concat(delimitedRows(bytes, quotingSeparator(format)).flatMap((row) => [row, metadata]));
}

function documentsOf(record: SinkRecord, text: string): readonly string[] {
  try {
    return jsonDocuments(text);
  } catch (error) {
    throw recordError(
      record,
      'The record is not valid JSON, and one such record makes the service reject the whole file.',
      error,
    );
  }
}

/** The service drops empty lines of txt, and rejects a file of nothing else. */
function isEmptyLines(value: unknown): boolean {
  if (typeof value === 'string') return /^[\r\n]*$/.test(value);
  return value instanceof Uint8Array && value.every(isLineEnd);
}

function isLineEnd(byte: number): boolean {
  return byte === 0x0a || byte === 0x0d;
}

function isAvro({ wireName }: Format): boolean {
  return wireName === 'avro' || wireName === 'apacheavro';
}

function reject(record: SinkRecord, { wireName }: Format, what: string): never {
  throw recordError(
    record,
    `The value is ${what}, which a file of format ${wireName} cannot represent; map the topic to a JSON or Avro format, or use a converter that returns text or bytes.`,
  );
}
