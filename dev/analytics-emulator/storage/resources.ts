/**
 * The containers and queues, with SAS, that the data-management endpoint returns. Source: analytics-sink §5.5, §7.5.
 */
import {
  BlobServiceClient,
  ContainerSASPermissions,
  StorageSharedKeyCredential as BlobCredential,
  type ContainerClient,
} from '@azure/storage-blob';
import {
  QueueSASPermissions,
  QueueServiceClient,
  StorageSharedKeyCredential as QueueCredential,
  type QueueClient,
} from '@azure/storage-queue';
import type { RunningAzurite } from './azurite';
import { StatusTable } from './status-table';

/** Two of each, so that clients can rotate. */
const CONTAINERS = ['ingest-data-0', 'ingest-data-1'];
const QUEUES = ['ready-for-aggregation-0', 'ready-for-aggregation-1'];
const FAILED = 'failed-ingestions';
const SUCCEEDED = 'successful-ingestions';

export class Resources {
  readonly queues: readonly QueueClient[];
  readonly failed: QueueClient;
  readonly succeeded: QueueClient;
  readonly statuses: StatusTable;
  /** False: no status table is offered to clients. */
  hasStatusTable = true;
  private readonly containers: readonly ContainerClient[];

  /** @param publicUrls URLs of the services for clients; a SAS does not include the host. */
  constructor(
    azurite: RunningAzurite,
    private readonly publicUrls: { readonly blob: string; readonly queue: string; readonly table: string },
    public sasLifetimeMs: number,
  ) {
    const { accountName, accountKey } = azurite;
    const blobs = new BlobServiceClient(azurite.blobUrl, new BlobCredential(accountName, accountKey));
    const queues = new QueueServiceClient(azurite.queueUrl, new QueueCredential(accountName, accountKey));
    this.containers = CONTAINERS.map((name) => blobs.getContainerClient(name));
    this.queues = QUEUES.map((name) => queues.getQueueClient(name));
    this.failed = queues.getQueueClient(FAILED);
    this.succeeded = queues.getQueueClient(SUCCEEDED);
    this.statuses = new StatusTable(azurite, publicUrls.table);
  }

  async create(): Promise<void> {
    await Promise.all([
      this.statuses.create(),
      ...this.containers.map(async (container) => await container.createIfNotExists()),
      ...[...this.queues, this.failed, this.succeeded].map(async (queue) => await queue.createIfNotExists()),
    ]);
  }

  /** Rows of `.get ingestion resources`. */
  async list(): Promise<[string, string][]> {
    const [containers, queues] = await Promise.all([this.containerUrls(), this.queueUrls()]);
    const [failed, succeeded] = await Promise.all([
      this.queueUrl(this.failed, 'rp'),
      this.queueUrl(this.succeeded, 'rp'),
    ]);
    return [
      ...queues.map((url): [string, string] => ['SecuredReadyForAggregationQueue', url]),
      ...containers.map((url): [string, string] => ['TempStorage', url]),
      ['FailedIngestionsQueue', failed],
      ['SuccessfulIngestionsQueue', succeeded],
      ...(this.hasStatusTable
        ? [['IngestionsStatusTable', this.statuses.url(this.validity())] as [string, string]]
        : []),
    ];
  }

  async containerUrls(): Promise<string[]> {
    return await Promise.all(
      this.containers.map(async (container) => {
        const url = await container.generateSasUrl({
          permissions: ContainerSASPermissions.parse('rcwd'),
          ...this.validity(),
        });
        return `${this.publicUrls.blob}/${container.containerName}${new URL(url).search}`;
      }),
    );
  }

  private async queueUrls(): Promise<string[]> {
    return await Promise.all(this.queues.map(async (queue) => await this.queueUrl(queue, 'a')));
  }

  private async queueUrl(queue: QueueClient, permissions: string): Promise<string> {
    const url = await queue.generateSasUrl({ permissions: QueueSASPermissions.parse(permissions), ...this.validity() });
    return `${this.publicUrls.queue}/${queue.name}${new URL(url).search}`;
  }

  private validity(): { startsOn: Date; expiresOn: Date } {
    // Allows for clients with slow clocks.
    return { startsOn: new Date(Date.now() - 300_000), expiresOn: new Date(Date.now() + this.sasLifetimeMs) };
  }
}
