/** Source records of row changes: envelope, source block, headers (cdc-postgres §2). */
import { randomBytes } from 'node:crypto';
import {
  schema,
  type Header,
  type RawRow,
  type SourceOffset,
  type SourcePartition,
  type SourceRecord,
} from '@millrace/sdk';
import type { PostgresConfig } from '../config/postgres-config';
import { sourcePartition } from '../config/slot-part';
import type { Lsn } from '../database/lsn';
import { EventCounts } from '../metrics/event-counts';
import { Instant, type EventContext, type SnapshotMark, type Struct } from './event-context';
import type { EventLayout, SourceIdentity, SourceTable } from './event-layout';
import { layoutOf } from './layout-of';
import { sourceIdentity } from './source-identity';
import type { TableModel } from './table-model';

const STRING = schema('STRING');

/** Events per clock read; they are microseconds apart. */
const EVENTS_PER_CLOCK = 64;

export class EventFactory {
  readonly partition: SourcePartition;
  readonly counts = new EventCounts();
  private readonly headers: readonly Header[] | null;
  readonly layout: EventLayout;
  private readonly identity: SourceIdentity;
  /** When events are created. */
  readonly now = new Instant();
  private clockAge = EVENTS_PER_CLOCK;

  constructor(
    private readonly config: PostgresConfig,
    taskId: string,
  ) {
    this.partition = sourcePartition(config);
    this.layout = layoutOf(config.events.format);
    this.identity = sourceIdentity(config);
    this.headers = config.events.headers
      ? // Frozen, so that the worker converts them only once.
        Object.freeze([
          header('connectorLogicalName', config.prefix),
          header('taskId', taskId),
          header('connectorName', 'postgresql'),
          header('runId', timeOrderedUuid()),
        ])
      : null;
  }

  source(table: SourceTable, context: EventContext, snapshot: SnapshotMark, lsn: Lsn, lastCommit: Lsn | null): Struct {
    return this.layout.source(this.identity, table, context, snapshot, lsn, lastCommit, this.now);
  }

  record(
    model: TableModel,
    key: Struct | null,
    op: string,
    before: Struct | null,
    after: Struct | null,
    source: Struct,
    offset: SourceOffset,
    headers: readonly Header[] | null = this.headers,
  ): SourceRecord {
    this.count(model, op);
    return {
      sourcePartition: this.partition,
      sourceOffset: offset,
      topic: model.topic,
      partition: null,
      keySchema: key === null ? null : model.keySchema,
      key,
      valueSchema: model.envelope,
      value: this.layout.value(before, after, source, op, this.now),
      timestamp: null,
      headers,
    };
  }

  /** Call before an event is created: it is counted, and `now` is its time. */
  count(model: TableModel, op: string): void {
    if (++this.clockAge > EVENTS_PER_CLOCK) this.readClock();
    this.counts.event(model.counts, op, this.now.millis);
  }

  /** Of a row that is not decoded. Call `count` before. */
  rawRecord(model: TableModel, row: RawRow, offset: SourceOffset): SourceRecord {
    return {
      sourcePartition: this.partition,
      sourceOffset: offset,
      topic: model.topic,
      partition: null,
      keySchema: model.keySchema,
      key: row.shape.key === null ? null : row,
      valueSchema: model.envelope,
      value: row,
      timestamp: null,
      headers: this.headers,
    };
  }

  tombstone(
    model: TableModel,
    key: Struct,
    offset: SourceOffset,
    headers: readonly Header[] | null = this.headers,
  ): SourceRecord {
    return {
      sourcePartition: this.partition,
      sourceOffset: offset,
      topic: model.topic,
      partition: null,
      keySchema: model.keySchema,
      key,
      valueSchema: null,
      value: null,
      timestamp: null,
      headers,
    };
  }

  /** `__debezium.newkey` or `__debezium.oldkey` on the records of a key change. */
  keyHeader(name: 'newkey' | 'oldkey', model: TableModel, key: Struct): readonly Header[] {
    const header: Header = { key: `__debezium.${name}`, schema: model.keySchema, value: key };
    return this.headers === null ? [header] : [header, ...this.headers];
  }

  heartbeat(offset: SourceOffset): SourceRecord {
    return {
      sourcePartition: this.partition,
      sourceOffset: offset,
      topic: this.config.heartbeat.topic,
      partition: 0,
      keySchema: this.layout.heartbeatKey,
      key: { serverName: this.config.prefix },
      valueSchema: this.layout.heartbeatValue,
      value: { ts_ms: Date.now() },
      timestamp: null,
      headers: null,
    };
  }

  /** Call at the start of each batch, because time has passed since the last one. */
  readClock(): void {
    this.clockAge = 0;
    this.now.setMicros(Math.floor((performance.timeOrigin + performance.now()) * 1000));
  }
}

function header(name: string, value: string): Header {
  return Object.freeze({ key: `__debezium.context.${name}`, schema: STRING, value });
}

/** UUID version 7, which sorts by start time. */
function timeOrderedUuid(): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
