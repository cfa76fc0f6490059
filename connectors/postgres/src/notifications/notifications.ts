/** Sends notifications to the channels of `notification.enabled.channels` (cdc-postgres §4.12). */
import { randomUUID } from 'node:crypto';
import {
  mapSchema,
  schema,
  structSchema,
  type Logger,
  type SourceOffset,
  type SourcePartition,
  type SourceRecord,
} from '@millrace/sdk';
import type { NotificationConfig } from '../config/notification-config';

type AggregateType = 'Initial Snapshot' | 'Incremental Snapshot';

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

/** What a notification says. */
export interface Notification {
  /** Id of the signal that caused it. (Default: a random UUID) */
  readonly id?: string;
  readonly aggregateType: AggregateType;
  readonly type: NotificationType;
  /** Members of `additional_data`; `connector_name` is added. */
  readonly additionalData?: Readonly<Record<string, string>>;
}

const STRING = schema('STRING');

/** Debezium's SchemaFactory. */
const NOTIFICATION_KEY_SCHEMA = structSchema([['id', STRING]], {
  name: 'io.debezium.connector.common.NotificationKey',
  version: 1,
});

const NOTIFICATION_VALUE_SCHEMA = structSchema(
  [
    ['id', STRING],
    ['type', STRING],
    ['aggregate_type', STRING],
    ['additional_data', mapSchema(STRING, STRING, { optional: true })],
    ['timestamp', schema('INT64')],
  ],
  { name: 'io.debezium.connector.common.Notification', version: 1 },
);

/** Debezium sends no position with a notification that precedes the first one; an offset without an LSN is none. */
const NO_POSITION: SourceOffset = {};

export class Notifications {
  private readonly pending: SourceRecord[] = [];
  /** Offset of the last record or stored position, which the next notification carries. */
  private position: SourceOffset;

  /** @param stored offset that the connector started with */
  constructor(
    private readonly config: NotificationConfig,
    private readonly partition: SourcePartition,
    private readonly connectorName: string,
    private readonly logger: Logger,
    stored: SourceOffset | null,
  ) {
    this.position = stored ?? NO_POSITION;
  }

  /** A channel shows them. */
  get areSent(): boolean {
    const { channels } = this.config;
    return channels.has('log') || channels.has('sink');
  }

  /** Logs at once; a record for the sink topic follows with the next `appendTo`. */
  send({ id = randomUUID(), aggregateType, type, additionalData = {} }: Notification): void {
    const { channels, topic } = this.config;
    const data = { connector_name: this.connectorName, ...additionalData };
    const timestamp = Date.now();
    if (channels.has('log'))
      this.logger.info(`[Notification Service] ${JSON.stringify({ id, aggregateType, type, ...data, timestamp })}`);
    if (!channels.has('sink') || topic === null) return;
    this.pending.push({
      sourcePartition: this.partition,
      sourceOffset: null,
      topic,
      keySchema: NOTIFICATION_KEY_SCHEMA,
      key: { id },
      valueSchema: NOTIFICATION_VALUE_SCHEMA,
      value: { id, type, aggregate_type: aggregateType, additional_data: new Map(Object.entries(data)), timestamp },
    });
  }

  /** A position was stored without a record. */
  stored(offset: SourceOffset | null): void {
    this.position = offset ?? NO_POSITION;
  }

  /**
   * Adds the pending records after those of a poll. They carry the offset of the last one, so that storing it confirms
   * nothing more.
   */
  appendTo(records: readonly SourceRecord[] | null): readonly SourceRecord[] | null {
    const last = records?.findLast((record) => record.sourcePartition === this.partition);
    if (last?.sourceOffset != null) this.position = last.sourceOffset;
    if (this.pending.length === 0) return records;
    const { position } = this;
    const sent = this.pending.splice(0).map((record) => ({ ...record, sourceOffset: position }));
    return records === null ? sent : [...records, ...sent];
  }
}
