/**
 * `provide.transaction.metadata` (cdc-postgres §7.6): numbers the events of each transaction, and records its begin and
 * its end.
 */
import { arraySchema, schema, structSchema, type Schema, type SourceOffset, type SourceRecord } from '@millrace/sdk';
import type { TransactionConfig } from '../config/stream-config';
import type { Lsn } from '../database/lsn';
import type { EventFactory } from './event-factory';
import type { Struct } from './event-context';
import { addCounts, readCounts } from './transaction-counts';

/** The transaction that events belong to. */
interface TransactionIdentity {
  readonly xid: number;
  readonly time: { readonly millis: number };
  /** Begin of its commit record; Infinity if the output plugin does not send it. */
  readonly finalLsn: Lsn;
}

export class TransactionMetadata {
  /** Null between transactions. */
  private id: string | null = null;
  private total = 0;
  private readonly counts = new Map<string, number>();
  /** What was counted since `mark`. */
  private readonly marked: string[] = [];
  private readonly schemas: BoundarySchemas;

  constructor(
    private readonly config: TransactionConfig,
    private readonly factory: EventFactory,
  ) {
    this.schemas = factory.layout.versioned ? VERSIONED : UNVERSIONED;
  }

  /** Number of those that were counted. */
  get collections(): number {
    return this.counts.size;
  }

  /** Continues the counts of a stored offset. Throws a ConnectError if they cannot be read. */
  restore(offset: SourceOffset | null): void {
    const id = offset?.transaction_id;
    this.start(typeof id === 'string' ? id : null);
    for (const [collection, count] of readCounts(offset ?? {})) {
      this.counts.set(collection, count);
      this.total += count;
    }
  }

  /** Whether events of this transaction were counted before. */
  continues(xid: number): boolean {
    return this.id === String(xid);
  }

  begin(tx: TransactionIdentity): void {
    this.start(String(tx.xid));
  }

  /** @param lsn position of the Begin */
  beginRecord(tx: TransactionIdentity, lsn: Lsn, offset: SourceOffset): SourceRecord {
    return this.boundary('BEGIN', tx, lsn, null, offset);
  }

  /** @param lsn position of the Commit; @param offset with the counts */
  endRecord(tx: TransactionIdentity, lsn: Lsn, offset: SourceOffset): SourceRecord {
    const collections = [...this.counts].map(([data_collection, event_count]) => ({ data_collection, event_count }));
    return this.boundary('END', tx, lsn, { event_count: this.total, data_collections: collections }, offset);
  }

  end(): void {
    this.start(null);
  }

  /** Counts an event of `collection`. @returns its `transaction` block */
  event(tx: TransactionIdentity, collection: string, lsn: Lsn): Struct {
    const order = (this.counts.get(collection) ?? 0) + 1;
    this.counts.set(collection, order);
    this.total++;
    this.marked.push(collection);
    return { id: this.idOf(tx, lsn), total_order: this.total, data_collection_order: order };
  }

  /** Call before the events of a change. */
  mark(): void {
    this.marked.length = 0;
  }

  /** Uncounts the events since `mark`. */
  undo(): void {
    for (const collection of this.marked) {
      const order = this.counts.get(collection) as number;
      if (order === 1) this.counts.delete(collection);
      else this.counts.set(collection, order - 1);
      this.total--;
    }
    this.marked.length = 0;
  }

  /** Throws a ConnectError for counts that do not fit beside the members that it has. */
  addTo(offset: Record<string, SourceOffset[string]>): void {
    if (this.id === null) return;
    offset.transaction_id = this.id;
    addCounts(offset, this.counts, this.id);
  }

  private start(id: string | null): void {
    this.id = id;
    this.total = 0;
    this.counts.clear();
    this.marked.length = 0;
  }

  private idOf({ xid, finalLsn }: TransactionIdentity, lsn: Lsn): string {
    switch (this.config.idFormat) {
      case 'debezium3':
        return `${xid}:${lsn}`;
      case 'xid_commit_lsn':
        return finalLsn === Infinity ? String(xid) : `${xid}:${finalLsn}`;
      case 'xid':
        return String(xid);
    }
  }

  private boundary(
    status: 'BEGIN' | 'END',
    tx: TransactionIdentity,
    lsn: Lsn,
    counts: Struct | null,
    offset: SourceOffset,
  ): SourceRecord {
    const id = this.idOf(tx, lsn);
    const value: Struct = { status, id, event_count: null, data_collections: null, ...counts };
    if (this.factory.layout.versioned) value.ts_ms = tx.time.millis;
    return {
      sourcePartition: this.factory.partition,
      sourceOffset: offset,
      topic: this.config.topic,
      partition: null,
      keySchema: this.schemas.key,
      key: { id },
      valueSchema: this.schemas.value,
      value,
      timestamp: null,
      headers: null,
    };
  }
}

interface BoundarySchemas {
  readonly key: Schema;
  readonly value: Schema;
}

const VERSIONED = boundarySchemas(true);
const UNVERSIONED = boundarySchemas(false);

/** @param isVersioned with versions and `ts_ms`, as Debezium has them since 2.0 */
function boundarySchemas(isVersioned: boolean): BoundarySchemas {
  const string = schema('STRING');
  const int64 = schema('INT64');
  const version = isVersioned ? { version: 1 } : {};
  const items: [string, Schema][] = [
    ['data_collection', string],
    ['event_count', int64],
  ];
  const collection = isVersioned
    ? structSchema(items, { optional: true, name: 'event.collection', version: 1 })
    : structSchema(items);
  const fields: [string, Schema][] = [
    ['status', string],
    ['id', string],
    ['event_count', schema('INT64', { optional: true })],
    ['data_collections', arraySchema(collection, { optional: true })],
  ];
  if (isVersioned) fields.push(['ts_ms', int64]);
  const name = 'io.debezium.connector.common.TransactionMetadata';
  return {
    key: structSchema([['id', string]], { name: `${name}Key`, ...version }),
    value: structSchema(fields, { name: `${name}Value`, ...version }),
  };
}
