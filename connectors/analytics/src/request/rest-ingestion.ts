/**
 * Queues files through the service's REST API for queued ingestion, which also reports their status. Source:
 * analytics-sink §5.9.
 */
import type { SealedFile } from '../batcher/staging-file';
import type { AnalyticsSettings } from '../config/settings';
import type { Cluster } from '../service/cluster';
import { parseJson } from '../service/http';
import type { ResourceSet } from '../service/ingestion-resources';
import { ServiceError } from '../service/service-error';
import type { Confirmation, FileStatus } from './confirmed-target';
import { dedupeTag } from './ingestion-message';
import type { QueuedTarget } from './queued-target';
import type { Shipment, Target } from './target';

const ROOT = '/v1/rest/ingestion';

/**
 * Whether the cluster has this API, which is in preview. @throws ServiceError when the cluster cannot report it now.
 */
export async function offersRestIngestion(cluster: Cluster, signal: AbortSignal): Promise<boolean> {
  try {
    await cluster.require({ method: 'GET', url: `${cluster.ingestionUrl}${ROOT}/configuration`, signal });
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'permanent') return false;
    throw error;
  }
}

export class RestIngestion implements Target, Confirmation {
  constructor(
    private readonly cluster: Cluster,
    private readonly queued: QueuedTarget,
    private readonly settings: Pick<AnalyticsSettings, 'retainBlobs' | 'dedupeTags'>,
  ) {}

  /** Resolves when the service has accepted the file. @throws ServiceError, PartitionRevokedError */
  async ship(shipment: Shipment): Promise<void> {
    await this.queued.withAccess(shipment, async (set) => await this.post(shipment, set, false));
  }

  async begin(shipment: Shipment): Promise<() => Promise<FileStatus | null>> {
    const operation = await this.queued.withAccess(shipment, async (set) => await this.post(shipment, set, true));
    if (operation) return async () => await this.status(shipment, operation);
    throw new ServiceError(
      'The service accepted the file without returning an operation id to track it by',
      'permanent',
    );
  }

  /** The operation's id; empty without tracking. */
  private async post(shipment: Shipment, set: ResourceSet, enableTracking: boolean): Promise<string> {
    const { file, sourceId, owner } = shipment;
    const url = await this.queued.upload(shipment, set);
    const { mapping, format } = file.mapping;
    const tag = this.settings.dedupeTags ? dedupeTag(file) : null;
    const request = {
      method: 'POST',
      url: this.path(file),
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        timestamp: new Date().toISOString(),
        blobs: [{ url, sourceId, rawSize: file.rawBytes }],
        properties: {
          format: format.wireName,
          enableTracking,
          deleteAfterDownload: !this.settings.retainBlobs,
          ...(mapping !== null && { ingestionMappingReference: mapping }),
          ...(tag !== null && { tags: [`ingest-by:${tag}`], ingestIfNotExists: [tag] }),
        },
      }),
    };
    const { text } = await owner.post(async (signal) => await this.cluster.require({ ...request, signal }));
    return (parseJson(text, this.path(file)) as { ingestionOperationId?: string }).ingestionOperationId ?? '';
  }

  private async status({ file, sourceId, owner }: Shipment, operation: string): Promise<FileStatus | null> {
    const url = `${this.path(file)}/${encodeURIComponent(operation)}?details=true`;
    const { text } = await this.cluster.require({ method: 'GET', url, signal: owner.signal });
    const { details = [] } = parseJson(text, url) as { details?: (FileStatus & { sourceId: string })[] };
    return details.find((blob) => blob.sourceId === sourceId) ?? null;
  }

  private path({ mapping }: SealedFile): string {
    const [database, table] = [mapping.database, mapping.table].map(encodeURIComponent);
    return `${this.cluster.ingestionUrl}${ROOT}/queued/${database}/${table}`;
  }
}
