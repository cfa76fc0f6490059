/** Queues files and tracks them in the service's status table. Source: analytics-sink §5.8. */
import type { Http } from '../service/http';
import type { IngestionResources, ResourceSet } from '../service/ingestion-resources';
import { ServiceError } from '../service/service-error';
import { insertStatus, readStatus } from '../service/status-table';
import type { Confirmation, FileStatus } from './confirmed-target';
import type { QueuedTarget } from './queued-target';
import type { Shipment } from './target';

export class StatusTableIngestion implements Confirmation {
  constructor(
    private readonly http: Http,
    private readonly resources: IngestionResources,
    private readonly queued: QueuedTarget,
  ) {}

  async begin(shipment: Shipment): Promise<() => Promise<FileStatus | null>> {
    await this.queued.withAccess(shipment, async (set) => {
      const table = tableOf(set);
      const { file, sourceId, owner } = shipment;
      const { database: Database, table: Table } = file.mapping;
      // Before the message: the service only updates existing entities.
      await insertStatus(this.http, table, sourceId, { Database, Table }, owner.signal);
      await this.queued.attempt(shipment, set, table);
    });
    return async () => await this.status(shipment);
  }

  private async status(shipment: Shipment): Promise<FileStatus> {
    const { sourceId, owner } = shipment;
    const set = await this.resources.get(owner.signal);
    try {
      const found = await readStatus(this.http, tableOf(set), sourceId, owner.signal);
      return {
        status: found.Status ?? '',
        ...(found.ErrorCode && { errorCode: found.ErrorCode }),
        ...(found.Details && { details: found.Details }),
      };
    } catch (error) {
      if (error instanceof ServiceError && error.kind === 'refresh') this.resources.expire(set);
      throw error;
    }
  }
}

/** Always the first table: a file's status must be read where it was inserted, with a SAS that may be newer. */
function tableOf({ statusTables: [table] }: ResourceSet): string {
  if (table !== undefined) return table;
  throw new ServiceError('The service no longer provides a status table', 'transient');
}
