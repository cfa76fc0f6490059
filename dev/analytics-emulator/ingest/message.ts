/** Parses a message of queued ingestion, as SDKs of all languages write it. Source: analytics-sink §5.7. */
import { KustoError } from '../kusto-error';
import type { StatusPlace } from '../storage/status-table';

export interface IngestionMessage {
  readonly id: string;
  /** URL with a SAS. */
  readonly blobPath: string;
  readonly database: string;
  readonly table: string;
  /** Uncompressed size in bytes; null: unknown. */
  readonly rawDataSize: number | null;
  readonly flushImmediately: boolean;
  readonly retainBlob: boolean;
  /** 0 failures, 1 none, 2 both. */
  readonly reportLevel: number;
  /** 0 queue, 1 table, 2 both. */
  readonly reportMethod: number;
  /** Status table entity that the client polls; null: none. */
  readonly statusPlace: StatusPlace | null;
  readonly identityToken: string;
  readonly format: string;
  readonly mappingReference: string;
  readonly mapping: string;
  readonly mappingKind: string;
  readonly ignoreFirstRecord: boolean;
  /** Pattern of the files to ingest from a ZIP archive; empty: all. */
  readonly zipPattern: string;
  readonly tags: readonly string[];
  readonly ingestIfNotExists: readonly string[];
}

/** @param text Base64 of the JSON. @throws KustoError for anything else. */
export function parseIngestionMessage(text: string): IngestionMessage {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
  } catch {
    throw new KustoError('BadRequest_InvalidMessage', 'The message is not base64 of JSON');
  }
  const top = lowerKeys(parsed);
  const more = lowerKeys(top.additionalproperties);
  const size = top.rawdatasize;
  return {
    id: string(top.id),
    blobPath: string(top.blobpath),
    database: string(top.databasename),
    table: string(top.tablename),
    rawDataSize: size === undefined || size === null || size === '' ? null : Number(size),
    flushImmediately: boolean(top.flushimmediately),
    retainBlob: boolean(top.retainblobonsuccess),
    reportLevel: Number(top.reportlevel ?? 0),
    reportMethod: Number(top.reportmethod ?? 0),
    statusPlace: statusPlace(top.ingestionstatusintable),
    identityToken: string(more.authorizationcontext),
    format: string(more.format) || 'csv',
    mappingReference: string(more.ingestionmappingreference),
    mapping: string(more.ingestionmapping),
    mappingKind: string(more.ingestionmappingtype),
    ignoreFirstRecord: boolean(more.ignorefirstrecord),
    zipPattern: string(more.zippattern),
    tags: list(more.tags),
    ingestIfNotExists: list(more.ingestifnotexists),
  };
}

function statusPlace(value: unknown): StatusPlace | null {
  const { partitionkey, rowkey } = lowerKeys(value);
  if (typeof partitionkey !== 'string' || typeof rowkey !== 'string') return null;
  return { partitionKey: partitionkey, rowKey: rowkey };
}

function lowerKeys(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key.toLowerCase(), field as unknown]));
}

function string(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
}

function boolean(value: unknown): boolean {
  return string(value).toLowerCase() === 'true';
}

/** A list, or JSON text of one. */
function list(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(string);
  if (typeof value !== 'string' || value === '') return [];
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed.map(string) : [];
  } catch {
    return [];
  }
}
