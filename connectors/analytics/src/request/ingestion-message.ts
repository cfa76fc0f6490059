/** The queue message that requests the ingestion of a blob. Pure. Source: analytics-sink §5.7. */
import type { SealedFile } from '../batcher/staging-file';

const ReportLevel = { FAILURES: 0, ALL: 2 };
const ReportMethod = { QUEUE: 0, TABLE: 1 };

interface MessageOptions {
  readonly sourceId: string;
  /** With its SAS. */
  readonly blobUrl: string;
  /** With its SAS; null: the status of the file is not tracked. */
  readonly statusTable: string | null;
  readonly identityToken: string;
  readonly retainBlob: boolean;
  readonly dedupeTags: boolean;
  readonly now: Date;
}

export function ingestionMessage(file: SealedFile, options: MessageOptions): object {
  const { mapping } = file;
  const tag = options.dedupeTags ? dedupeTag(file) : null;
  return {
    Id: options.sourceId,
    BlobPath: options.blobUrl,
    RawDataSize: file.rawBytes,
    DatabaseName: mapping.database,
    TableName: mapping.table,
    RetainBlobOnSuccess: options.retainBlob,
    FlushImmediately: false,
    IgnoreSizeLimit: false,
    ReportLevel: options.statusTable === null ? ReportLevel.FAILURES : ReportLevel.ALL,
    ReportMethod: options.statusTable === null ? ReportMethod.QUEUE : ReportMethod.TABLE,
    ...(options.statusTable !== null && {
      IngestionStatusInTable: {
        TableConnectionString: options.statusTable,
        PartitionKey: options.sourceId,
        RowKey: options.sourceId,
      },
    }),
    SourceMessageCreationTime: options.now.toISOString(),
    ApplicationForTracing: 'Millrace',
    ClientVersionForTracing: 'Millrace.Connector.Analytics',
    AdditionalProperties: {
      authorizationContext: options.identityToken,
      format: mapping.format.wireName,
      ...(mapping.mapping !== null && {
        ingestionMappingReference: mapping.mapping,
        ingestionMappingType: mapping.format.mappingKind,
      }),
      ...(tag !== null && {
        tags: JSON.stringify([`ingest-by:${tag}`]),
        ingestIfNotExists: JSON.stringify([tag]),
      }),
    },
  };
}

/**
 * The same for every delivery of the same records. The topic's id, which no other topic of any cluster has, tells the
 * offsets of a topic that was created again from those of the deleted one. Null without an id: the service could then
 * skip records that it has not loaded.
 */
export function dedupeTag({ topic, topicId, partition, firstOffset, lastOffset }: SealedFile): string | null {
  return topicId && `${topic}-${partition}-${firstOffset}-${lastOffset}-${topicId}`;
}

/** Names the file and its offsets in Kafka, for readers of the service's ingestion failures. */
export function blobName(file: SealedFile, sourceId: string): string {
  return `${file.mapping.database}__${file.mapping.table}__${sourceId}__${file.name}`;
}
