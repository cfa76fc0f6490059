/**
 * Queued ingestion over REST: requests that list blobs, and the status of an operation. Source: analytics-sink §5.9.
 */
import { randomUUID } from 'node:crypto';
import type { Ingestor } from '../ingest/ingestor';
import type { IngestionMessage } from '../ingest/message';
import type { Outcome } from '../outcome';
import { badRequest, KustoError } from '../kusto-error';
import type { CommandContext } from '../commands/context';

const MOST_BLOBS = 20;

interface Blob {
  readonly url: string;
  readonly sourceId: string;
  /** Null: in progress. */
  outcome: Outcome | null;
}
interface Operation {
  readonly startTime: string;
  lastUpdated: string;
  readonly blobs: Blob[];
}

export class QueuedOperations {
  private readonly operations = new Map<string, Operation>();

  constructor(private readonly context: CommandContext & { readonly ingestor: Ingestor }) {}

  async configuration(): Promise<object> {
    const containers = await this.context.resources.containerUrls();
    return {
      containerSettings: {
        containers: containers.map((path) => ({ path })),
        lakeFolders: [],
        refreshInterval: '01:00:00',
        preferredUploadMethod: 'Storage',
      },
      ingestionSettings: { maxBlobsPerBatch: MOST_BLOBS, maxDataSize: 6_442_450_944, preferredIngestionMethod: 'Rest' },
    };
  }

  /** @throws KustoError for an unknown table or an invalid body. */
  begin(database: string, table: string, body: unknown): { ingestionOperationId: string } {
    this.context.catalog.table(database, table);
    const { blobs, properties } = (body ?? {}) as { blobs?: unknown; properties?: Record<string, unknown> };
    if (!Array.isArray(blobs) || blobs.length === 0 || blobs.length > MOST_BLOBS)
      throw badRequest(`'blobs' must be a list of 1 to ${MOST_BLOBS} blobs`);
    const now = new Date().toISOString();
    const operation: Operation = { startTime: now, lastUpdated: now, blobs: [] };
    for (const given of blobs as Record<string, unknown>[]) {
      if (typeof given.url !== 'string') throw badRequest(`A blob has no 'url'`);
      const sourceId = typeof given.sourceId === 'string' ? given.sourceId : randomUUID();
      const blob: Blob = { url: given.url, sourceId, outcome: null };
      operation.blobs.push(blob);
      const size = typeof given.rawSize === 'number' ? given.rawSize : null;
      const message = messageOf(database, table, blob, size, properties ?? {}, this.context.identities.issue());
      void this.context.ingestor.submit(message).then((outcome) => {
        blob.outcome = outcome;
        operation.lastUpdated = new Date().toISOString();
      });
    }
    if (properties?.enableTracking !== true) return { ingestionOperationId: '' };
    const id = randomUUID();
    this.operations.set(id, operation);
    return { ingestionOperationId: id };
  }

  /** @throws KustoError 404 */
  status(id: string, withDetails: boolean): object {
    const operation = this.operations.get(id);
    if (!operation) throw new KustoError('NotFound', `There is no ingestion operation '${id}'`, { status: 404 });
    const count = (state: string): number => operation.blobs.filter((blob) => stateOf(blob) === state).length;
    return {
      startTime: operation.startTime,
      lastUpdated: operation.lastUpdated,
      status: { Succeeded: count('Succeeded'), Failed: count('Failed'), InProgress: count('InProgress'), Canceled: 0 },
      ...(withDetails && { details: operation.blobs.map((blob) => detailsOf(blob, operation)) }),
    };
  }
}

function stateOf({ outcome }: Blob): 'Succeeded' | 'Failed' | 'InProgress' {
  if (outcome === null) return 'InProgress';
  // What was there already is where it should be.
  return outcome.status === 'Failed' ? 'Failed' : 'Succeeded';
}

function detailsOf(blob: Blob, { startTime, lastUpdated }: Operation): object {
  const failed = blob.outcome?.status === 'Failed' ? blob.outcome : null;
  return {
    sourceId: blob.sourceId,
    url: blob.url.split('?')[0],
    status: stateOf(blob),
    startedAt: startTime,
    lastUpdateTime: lastUpdated,
    errorCode: failed?.code ?? '',
    failureStatus: failed ? 'Permanent' : '',
    details: failed?.details ?? '',
  };
}

function messageOf(
  database: string,
  table: string,
  { url, sourceId }: Blob,
  rawDataSize: number | null,
  properties: Readonly<Record<string, unknown>>,
  identityToken: string,
): IngestionMessage {
  const text = (key: string): string => (typeof properties[key] === 'string' ? properties[key] : '');
  const list = (key: string): string[] => (Array.isArray(properties[key]) ? properties[key].map(String) : []);
  return {
    id: sourceId,
    blobPath: url,
    database,
    table,
    rawDataSize,
    flushImmediately: properties.skipBatching === true,
    retainBlob: properties.deleteAfterDownload !== true,
    reportLevel: 0,
    reportMethod: 0,
    statusPlace: null,
    identityToken,
    format: text('format') || 'csv',
    mappingReference: text('ingestionMappingReference'),
    mapping: text('ingestionMapping'),
    mappingKind: '',
    ignoreFirstRecord: properties.ignoreFirstRecord === true,
    zipPattern: text('zipPattern'),
    tags: list('tags'),
    ingestIfNotExists: list('ingestIfNotExists'),
  };
}
