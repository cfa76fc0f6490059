/** Notifications about an incremental snapshot, with Debezium's members (cdc-postgres §4.12). */
import type { KeyValues } from '../database/key-range';
import type { NotificationType } from '../notifications/notifications';
import type { Session } from '../session';
import type { SnapshotContext } from './snapshot-context';

export type ScanStatus = 'SUCCEEDED' | 'EMPTY' | 'NO_PRIMARY_KEY' | 'SQL_EXCEPTION' | 'UNKNOWN_SCHEMA';
type Data = Readonly<Record<string, string>>;

/** The snapshot that a notification is about. */
interface Subject {
  readonly id: string | null;
  readonly tables: string[];
}

export class SnapshotNotifications {
  /** Since the begin of a read, whose notifications do not show the signals that arrive meanwhile. */
  private held: Subject | null = null;

  constructor(
    private readonly session: Pick<Session, 'notifications'>,
    private readonly context: SnapshotContext,
  ) {}

  started(): void {
    this.aboutTables('STARTED');
    this.aboutTables('DATA_COLLECTIONS_RESOLVED');
  }

  paused(): void {
    this.aboutTables('PAUSED');
  }

  resumed(): void {
    this.aboutTables('RESUMED');
  }

  /** A read begins: until `readEnded`, notifications are about the snapshot as it is. */
  readBegun(): void {
    this.held = this.subject();
  }

  readEnded(): void {
    this.held = null;
  }

  /** @param progress of the table: its chunks and rows */
  inProgress(table: string, lastKey: KeyValues, progress: Data): void {
    this.aboutTables('IN_PROGRESS', {
      current_collection_in_progress: table,
      maximum_key: this.context.maximumKey?.join(',') ?? '<null>',
      last_processed_key: lastKey.join(','),
      ...progress,
    });
  }

  /** Call before the table leaves the queue. @param progress of the table: its rows */
  scanned(table: string, rows: number, status: ScanStatus, progress: Data): void {
    this.aboutTables('TABLE_SCAN_COMPLETED', {
      ...{ scanned_collection: table, total_rows_scanned: String(rows), status },
      ...progress,
    });
    this.held?.tables.shift();
  }

  completed(): void {
    this.send('COMPLETED', {});
  }

  aborted(tables: readonly string[]): void {
    this.send('ABORTED', { data_collections: tables.join(',') });
  }

  /** The tables of a signal are not read. */
  refused(id: string, reason: string): void {
    this.session.notifications.send({
      ...{ id, aggregateType: 'Incremental Snapshot', type: 'ABORTED', additionalData: { reason } },
    });
  }

  private subject(): Subject {
    const { correlationId, queue } = this.context;
    return { id: correlationId, tables: queue.map(({ table }) => table) };
  }

  private aboutTables(type: NotificationType, data: Data = {}): void {
    // Another signal has added tables.
    if (this.held?.tables.length === 0) this.held = this.subject();
    const { tables } = this.held ?? this.subject();
    this.send(type, { data_collections: tables.join(','), ...data });
  }

  private send(type: NotificationType, additionalData: Data): void {
    const { id } = this.held ?? this.subject();
    this.session.notifications.send({
      ...(id === null ? {} : { id }),
      ...{ aggregateType: 'Incremental Snapshot', type, additionalData },
    });
  }
}
