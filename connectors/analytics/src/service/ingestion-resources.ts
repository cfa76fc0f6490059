/**
 * The service's storage containers, queues and status tables: read once an hour, and again when storage rejects a SAS
 * or cannot be reached. Source: analytics-sink §5.5.
 */
import { monotonicNow } from '@millrace/sdk';
import type { Cluster } from './cluster';
import { withoutQuery } from './http';
import { ServiceError } from './service-error';
import { KEY } from '../config/definitions';
import { SharedRead } from './shared-read';

const LIFETIME_MS = 3_600_000;

export interface ResourceSet {
  /** URLs with their SAS. */
  readonly containers: readonly string[];
  readonly queues: readonly string[];
  /** Where ingestions are tracked. Empty if the service has none. */
  readonly statusTables: readonly string[];
  readonly identityToken: string;
}

export class IngestionResources {
  private current: { readonly set: ResourceSet; readonly readAt: number } | null = null;
  private readonly reading: SharedRead<ResourceSet>;
  private nextStart = 0;

  constructor(
    private readonly cluster: Cluster,
    closing: AbortSignal,
    private readonly now: () => number = monotonicNow,
  ) {
    this.reading = new SharedRead(async (signal) => await this.read(signal), closing);
  }

  /** @throws ServiceError when they cannot be read and none are known. */
  async get(signal: AbortSignal): Promise<ResourceSet> {
    if (this.current && this.now() - this.current.readAt < LIFETIME_MS) return this.current.set;
    try {
      return await this.reading.get(signal);
    } catch (error) {
      // The known resources may still work. The next call reads again.
      if (this.current && !signal.aborted) return this.current.set;
      throw error;
    }
  }

  /** Storage rejected one of `used`, or could not be reached. Does nothing if newer resources are known already. */
  expire(used: ResourceSet): void {
    if (this.current?.set === used) this.current = { set: used, readAt: -Infinity };
  }

  /** The list rotated, so that each call starts with the next element. */
  rotation(list: readonly string[]): readonly string[] {
    const start = this.nextStart++ % list.length;
    return [...list.slice(start), ...list.slice(0, start)];
  }

  private async read(signal: AbortSignal): Promise<ResourceSet> {
    const { rows } = await this.cluster.ingestionCommand('.get ingestion resources', signal);
    const of = (type: string): string[] => rows.filter(([name]) => name === type).map(([, root]) => String(root));
    const containers = of('TempStorage');
    const queues = of('SecuredReadyForAggregationQueue');
    if (containers.length === 0 || queues.length === 0)
      throw new ServiceError(
        `${this.cluster.ingestionUrl} provides no storage; "${KEY.ingestionUrl}" must be the ingestion endpoint, whose host begins with "ingest-"`,
        'permanent',
      );
    const identity = await this.cluster.ingestionCommand('.get kusto identity token', signal);
    const statusTables = of('IngestionsStatusTable');
    const set = { containers, queues, statusTables, identityToken: String(identity.rows[0]?.[0] ?? '') };
    this.current = { set, readAt: this.now() };
    return set;
  }
}

/** Whether both have the same URLs, regardless of their SAS. */
export function haveSameUrls(first: ResourceSet, second: ResourceSet): boolean {
  const urlsOf = ({ containers, queues, statusTables }: ResourceSet): string =>
    JSON.stringify(
      [containers, queues, statusTables].map((urls) => urls.map((url) => withoutQuery(new URL(url))).sort()),
    );
  return urlsOf(first) === urlsOf(second);
}
