/**
 * Converts a record to its form in a file: bytes, a row of an Avro file, a separate file, or nothing. Pure. Source:
 * analytics-sink §3.
 */
import type { Schema, SinkRecord } from '@millrace/sdk';
import type { AnalyticsSettings } from '../config/settings';
import type { Format } from '../mapping/formats';
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
  if (value instanceof Uint8Array) return bytesRow(record, value, format, settings);
  if (valueSchema?.type === 'STRUCT') {
    if (format.family === 'binary')
      return isAvro(format)
        ? { kind: 'avro', schema: valueSchema, value: value as Record<string, unknown> }
        : reject(record, format, 'a structure');
    if (format.family !== 'json') return reject(record, format, 'a structure');
    return textRow(record, jsonText(valueSchema, value), format, settings);
  }
  if (format.family === 'binary') return reject(record, format, typeof value);
  if (typeof value === 'string') {
    if (format.family === 'json' && settings.validateJson) assertJson(record, value);
    return textRow(record, value, format, settings);
  }
  const isStructured = typeof value === 'object' && !(value instanceof Date);
  if (isStructured && format.family !== 'json') return reject(record, format, 'a structure');
  return textRow(record, jsonText(valueSchema, value), format, settings);
}

function bytesRow(record: SinkRecord, value: Uint8Array, format: Format, settings: RowSettings): Row {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (!format.batched) return { kind: 'file', bytes };
  if (settings.metadataColumns.length > 0 || (format.family === 'json' && settings.validateJson)) {
    const text = bytes.toString('utf8');
    if (format.family === 'json') assertJson(record, text);
    if (settings.metadataColumns.length > 0) return textRow(record, text, format, settings);
  }
  return { kind: 'bytes', bytes: Buffer.concat([bytes, NEWLINE]) };
}

function textRow(record: SinkRecord, text: string, format: Format, { metadataColumns }: RowSettings): Row {
  if (!format.batched) return { kind: 'file', bytes: Buffer.from(text) };
  let row = text;
  if (metadataColumns.length > 0) {
    if (format.family === 'delimited') row += metadataFields(record, metadataColumns, format.separator ?? ',');
    else if (format.family === 'json' && text.trimStart().startsWith('{'))
      row = withMembers(text, metadataMembers(record, metadataColumns));
  }
  return { kind: 'bytes', bytes: Buffer.from(`${row}\n`) };
}

function assertJson(record: SinkRecord, text: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    throw recordError(
      record,
      'The record is not valid JSON, and one such record makes the service reject the whole file.',
      error,
    );
  }
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
