/**
 * Notifications about a snapshot that reads whole tables: an initial or a blocking one (cdc-postgres §4.12). Debezium
 * sends the same for both.
 */
import type { Notification, Notifications } from './notifications';

export class TableNotifications {
  /**
   * @param tables `schema.table`, in the order of the snapshot
   * @param added members of every `additional_data`
   */
  constructor(
    private readonly notifications: Pick<Notifications, 'send'>,
    private readonly tables: readonly string[],
    private readonly added: Readonly<Record<string, string>> = {},
  ) {}

  started(): void {
    this.send('STARTED', {});
    this.aboutTables('DATA_COLLECTIONS_RESOLVED', {});
  }

  inProgress(table: string): void {
    this.aboutTables('IN_PROGRESS', { current_collection_in_progress: table });
  }

  scanned(table: string, rows: number, status: 'SUCCEEDED' | 'SKIPPED'): void {
    this.aboutTables('TABLE_SCAN_COMPLETED', {
      scanned_collection: table,
      total_rows_scanned: String(rows),
      status,
    });
  }

  failed(table: string): void {
    this.send('TABLE_SCAN_COMPLETED', { scanned_collection: table, status: 'SQL_EXCEPTION' });
  }

  completed(): void {
    this.send('COMPLETED', {});
  }

  aborted(): void {
    this.send('ABORTED', {});
  }

  private aboutTables(type: Notification['type'], data: Readonly<Record<string, string>>): void {
    this.send(type, { data_collections: this.tables.join(','), ...data });
  }

  private send(type: Notification['type'], data: Readonly<Record<string, string>>): void {
    this.notifications.send({ aggregateType: 'Initial Snapshot', type, additionalData: { ...this.added, ...data } });
  }
}
