/** What a notification says (cdc-postgres §4.12). */
export type AggregateType = 'Initial Snapshot' | 'Incremental Snapshot';

export type NotificationType =
  | 'STARTED'
  | 'DATA_COLLECTIONS_RESOLVED'
  | 'IN_PROGRESS'
  | 'TABLE_SCAN_COMPLETED'
  | 'COMPLETED'
  | 'ABORTED'
  | 'SKIPPED'
  | 'PAUSED'
  | 'RESUMED';

export interface Notification {
  /** Id of the signal that caused it. (Default: a random UUID) */
  readonly id?: string;
  readonly aggregateType: AggregateType;
  readonly type: NotificationType;
  /** Members of `additional_data`; `connector_name` is added. */
  readonly additionalData?: Readonly<Record<string, string>>;
}
