/** Notifications about an incremental snapshot, with Debezium's members (cdc-postgres §4.12). */
import type { KeyValues } from '../database/key-range';
import type { NotificationType } from '../notifications/notification';
import type { Session } from '../session';
import type { SnapshotContext } from './snapshot-context';

export type ScanStatus = 'SUCCEEDED' | 'EMPTY' | 'NO_PRIMARY_KEY' | 'SQL_EXCEPTION' | 'UNKNOWN_SCHEMA';

export class SnapshotNotifications {
  constructor(
    private readonly session: Pick<Session, 'notifications'>,
    private readonly context: SnapshotContext,
  ) {}

  started(): void {
    this.send('STARTED', { data_collections: this.context.tables });
  }

  paused(): void {
    this.send('PAUSED', { data_collections: this.context.tables });
  }

  resumed(): void {
    this.send('RESUMED', { data_collections: this.context.tables });
  }

  inProgress(table: string, lastKey: KeyValues | null): void {
    this.send('IN_PROGRESS', {
      data_collections: this.context.tables,
      current_collection_in_progress: table,
      maximum_key: this.context.maximumKey?.join(',') ?? '<null>',
      last_processed_key: lastKey?.join(',') ?? '<null>',
    });
  }

  scanned(table: string, rows: number, status: ScanStatus): void {
    this.send('TABLE_SCAN_COMPLETED', {
      data_collections: this.context.tables,
      scanned_collection: table,
      total_rows_scanned: String(rows),
      status,
    });
  }

  completed(): void {
    this.send('COMPLETED', {});
  }

  /** @param tables those that the signal names; null: all */
  aborted(tables: readonly string[] | null): void {
    this.send('ABORTED', tables === null ? {} : { data_collections: tables.join(',') });
  }

  private send(type: NotificationType, additionalData: Readonly<Record<string, string>>): void {
    const { correlationId } = this.context;
    this.session.notifications.send({
      ...(correlationId === null ? {} : { id: correlationId }),
      ...{ aggregateType: 'Incremental Snapshot', type, additionalData },
    });
  }
}
