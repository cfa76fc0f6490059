/** Hands a file to the service: blob, then message. Rows appear later. Sources: analytics-sink §5.1, §5.6, §5.7. */
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

  /** Resolves when the service has the file in its queue. @throws ServiceError, PartitionRevokedError */
  async ship(shipment: Shipment): Promise<void> {
    await this.withAccess(shipment, async (set) => await this.attempt(shipment, set, null));
  }

  /** Once more with new access when storage refuses what is known, or is somewhere else by now. */
  async withAccess<T>({ owner }: Shipment, attempt: (set: ResourceSet) => Promise<T>): Promise<T> {
    const known = await this.resources.get(owner.signal);
    try {
      return await attempt(known);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== 'refresh') throw error;
      this.resources.expire(known);
      const renewed = await this.resources.get(owner.signal);
      if (isUnreachable(error) && haveSameUrls(known, renewed)) throw outage(error);
      return await attempt(renewed).catch((again: unknown) => {
        throw again instanceof ServiceError && again.kind === 'refresh' ? outage(again) : again;
      });
    }
  }

  /** The blob's URL with its SAS. */
  async upload({ file, sourceId, owner }: Shipment, set: ResourceSet): Promise<string> {
    const containers = this.resources.rotation(set.containers).slice(0, MAX_RESOURCES_TRIED);
    return await firstThatWorks(
      containers,
      async (container) => await uploadBlob(this.http, container, blobName(file, sourceId), file, owner.signal),
    );
  }

  /**
   * @param statusTable Where the service is to tell about the file, by an entity that is there already; null: nowhere.
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
    await firstThatWorks(
      queues,
      async (queue) => await owner.post(async (signal) => await postMessage(this.http, queue, message, signal)),
    );
  }
}

/** New access was of no use. */
function outage(error: ServiceError): ServiceError {
  return new ServiceError(error.message, 'transient', {
    cause: error,
    ...(error.status !== null && { status: error.status }),
    ...(error.serviceCode !== null && { serviceCode: error.serviceCode }),
  });
}

/** Tries the places one after the other; a failure that no other place can cure ends it. */
async function firstThatWorks<T>(places: readonly string[], attempt: (place: string) => Promise<T>): Promise<T> {
  let last: unknown;
  for (const place of places) {
    try {
      return await attempt(place);
    } catch (error) {
      if (!(error instanceof ServiceError) || !(error.kind === 'transient' || isUnreachable(error))) throw error;
      last = error;
    }
  }
  throw last;
}
