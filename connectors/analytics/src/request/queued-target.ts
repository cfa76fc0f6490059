/**
 * Uploads a file as a blob and queues a message for it. Rows appear later. Sources: analytics-sink §5.1, §5.6, §5.7.
 */
import type { AnalyticsSettings } from '../config/settings';
import type { Http } from '../service/http';
import { haveSameUrls, type IngestionResources, type ResourceSet } from '../service/ingestion-resources';
import { ServiceError } from '../service/service-error';
import { isUnreachable, postMessage, uploadBlob } from '../service/storage';
import { blobName, ingestionMessage } from './ingestion-message';
import type { Shipment, Target } from './target';

const MAX_RESOURCES_TRIED = 3;

export class QueuedTarget implements Target {
  constructor(
    private readonly http: Http,
    private readonly resources: IngestionResources,
    private readonly settings: Pick<AnalyticsSettings, 'retainBlobs' | 'dedupeTags'>,
  ) {}

  /** Resolves when the message is in the service's queue. @throws ServiceError, PartitionRevokedError */
  async ship(shipment: Shipment): Promise<void> {
    await this.withAccess(shipment, async (set) => await this.attempt(shipment, set, null));
  }

  /** Retries once with new URLs and SAS tokens when storage rejects the known ones or cannot be reached. */
  async withAccess<T>({ owner }: Shipment, attempt: (set: ResourceSet) => Promise<T>): Promise<T> {
    const known = await this.resources.get(owner.signal);
    try {
      return await attempt(known);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== 'refresh') throw error;
      this.resources.expire(known);
      const renewed = await this.resources.get(owner.signal);
      if (isUnreachable(error) && haveSameUrls(known, renewed)) throw outage(error);
      return await attempt(renewed).catch((second: unknown) => {
        throw second instanceof ServiceError && second.kind === 'refresh' ? outage(second) : second;
      });
    }
  }

  /** The blob's URL with its SAS. */
  async upload({ file, sourceId, owner }: Shipment, set: ResourceSet): Promise<string> {
    const containers = this.resources.rotation(set.containers).slice(0, MAX_RESOURCES_TRIED);
    return await tryEach(
      containers,
      async (container) => await uploadBlob(this.http, container, blobName(file, sourceId), file, owner.signal),
    );
  }

  /**
   * @param statusTable Where the service reports the file's status, in an entity that exists already; null: nowhere.
   */
  async attempt(shipment: Shipment, set: ResourceSet, statusTable: string | null): Promise<void> {
    const { file, sourceId, owner } = shipment;
    const blobUrl = await this.upload(shipment, set);
    const message = ingestionMessage(file, {
      sourceId,
      blobUrl,
      statusTable,
      identityToken: set.identityToken,
      retainBlob: this.settings.retainBlobs,
      dedupeTags: this.settings.dedupeTags,
      now: new Date(),
    });
    const queues = this.resources.rotation(set.queues).slice(0, MAX_RESOURCES_TRIED);
    await tryEach(
      queues,
      async (queue) => await owner.post(async (signal) => await postMessage(this.http, queue, message, signal)),
    );
  }
}

/** A failure that new access did not solve: worth a retry later. */
function outage(error: ServiceError): ServiceError {
  return new ServiceError(error.message, 'transient', {
    cause: error,
    ...(error.status !== null && { status: error.status }),
    ...(error.serviceCode !== null && { serviceCode: error.serviceCode }),
  });
}

/** Tries the URLs in turn. Stops at a failure that another URL cannot avoid. */
async function tryEach<T>(urls: readonly string[], attempt: (url: string) => Promise<T>): Promise<T> {
  let last: unknown;
  for (const url of urls) {
    try {
      return await attempt(url);
    } catch (error) {
      if (!(error instanceof ServiceError) || !(error.kind === 'transient' || isUnreachable(error))) throw error;
      last = error;
    }
  }
  throw last;
}
