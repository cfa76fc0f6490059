/** Hands files over by REST and waits until their rows are in the table. Source: analytics-sink §5.8, §5.9. */
import type { SealedFile } from '../batcher/staging-file';
import type { AnalyticsSettings } from '../config/settings';
import type { Cluster } from '../service/cluster';
import { parseJson } from '../service/http';
import type { IngestionResources } from '../service/ingestion-resources';
import { ServiceError } from '../service/service-error';
import { dedupeTag } from './ingestion-message';
import type { QueuedTarget, Shipment } from './queued-target';
import { sleep } from './sleep';
import type { Target } from './target';

const FIRST_POLL_MS = 250;
const LONGEST_POLL_MS = 10_000;

interface BlobStatus {
  readonly status: string;
  readonly errorCode?: string;
  readonly details?: string;
}

export class ConfirmedTarget implements Target {
  constructor(
    private readonly cluster: Cluster,
    private readonly resources: IngestionResources,
    private readonly queued: QueuedTarget,
    private readonly settings: Pick<AnalyticsSettings, 'retainBlobs' | 'dedupeTags' | 'confirmTimeoutMs'>,
  ) {}

  /** Resolves when the rows are in the table. @throws ServiceError, with the service's own code when it refused the file; GivenAwayError */
  async ship(shipment: Shipment): Promise<void> {
    const operation = await this.queued.withAccess(async () => await this.begin(shipment));
    shipment.onHandedOver?.();
    const deadline = Date.now() + this.settings.confirmTimeoutMs;
    for (let wait = FIRST_POLL_MS; ; wait = Math.min(wait * 2, LONGEST_POLL_MS)) {
      await sleep(wait, shipment.owner.signal);
      const blob = await this.status(shipment, operation);
      if (blob?.status === 'Succeeded') return;
      if (blob?.status === 'Failed' || blob?.status === 'Canceled')
        throw new ServiceError(
          `The service could not load ${shipment.file.name} into ${tableOf(shipment.file)}: ${blob.errorCode ?? ''} ${blob.details ?? ''}`,
          'permanent',
          { ...(blob.errorCode && { serviceCode: blob.errorCode }) },
        );
      if (Date.now() > deadline)
        throw new ServiceError(
          `The service did not say within ${this.settings.confirmTimeoutMs} ms whether ${shipment.file.name} was loaded`,
          'transient',
        );
    }
  }

  private async begin(shipment: Shipment): Promise<string> {
    const { file, sourceId, owner } = shipment;
    const url = await this.queued.upload(shipment, await this.resources.get(owner.signal));
    const { mapping, format } = { mapping: file.mapping.mapping, format: file.mapping.format.wireName };
    const tag = dedupeTag(file);
    const request = {
      method: 'POST',
      url: this.path(file),
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        timestamp: new Date().toISOString(),
        blobs: [{ url, sourceId, rawSize: file.rawBytes }],
        properties: {
          format,
          enableTracking: true,
          deleteAfterDownload: !this.settings.retainBlobs,
          ...(mapping !== null && { ingestionMappingReference: mapping }),
          ...(this.settings.dedupeTags && { tags: [`ingest-by:${tag}`], ingestIfNotExists: [tag] }),
        },
      }),
    };
    const { text } = await owner.post(async (signal) => await this.cluster.require({ ...request, signal }));
    const { ingestionOperationId: id } = parseJson(text, this.path(file)) as { ingestionOperationId?: string };
    if (id) return id;
    throw new ServiceError('The service took the file without telling how to follow it', 'permanent');
  }

  private async status({ file, sourceId, owner }: Shipment, operation: string): Promise<BlobStatus | null> {
    const url = `${this.path(file)}/${encodeURIComponent(operation)}?details=true`;
    try {
      const { text } = await this.cluster.require({ method: 'GET', url, signal: owner.signal });
      const { details = [] } = parseJson(text, url) as { details?: (BlobStatus & { sourceId: string })[] };
      return details.find((blob) => blob.sourceId === sourceId) ?? null;
    } catch (error) {
      // The service has the file: handing it over again because of a lost answer would load it twice.
      if (error instanceof ServiceError && error.kind !== 'permanent') return null;
      throw error;
    }
  }

  private path({ mapping }: SealedFile): string {
    const [database, table] = [mapping.database, mapping.table].map(encodeURIComponent);
    return `${this.cluster.ingestionUrl}/v1/rest/ingestion/queued/${database}/${table}`;
  }
}

export function tableOf({ mapping }: SealedFile): string {
  return `${mapping.database}.${mapping.table}`;
}
