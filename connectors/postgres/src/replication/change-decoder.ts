/**
 * Decodes pgoutput messages (protocol 1, cdc-postgres §5.5) to source records in place: the records are the only
 * objects allocated per message.
 */
import { ConnectError, type Logger, type SourceOffset, type SourceRecord } from '@millrace/sdk';
import type { PostgresConfig } from '../config/postgres-config';
import { lsn as makeLsn, type Lsn } from '../database/lsn';
import type { EventFactory } from '../events/event-factory';
import { RowContext } from '../events/row';
import type { TableModel } from '../events/table-model';
import { ResumeFilter, type Position } from './position';
import { parseRelation, RELATION, type RelationMessage } from '../events/relation-message';
import { NOT_CAPTURED, type Relation, type Relations } from '../events/relations';
import { XLOG_HEADER } from './replication-stream';
import { RowChanges } from './row-changes';
import { Transaction } from './transaction';

const PG_EPOCH_MICROS = 946_684_800_000_000;

const BEGIN = 0x42;
const COMMIT = 0x43;
const ORIGIN = 0x4f;
const TYPE = 0x59;
const INSERT = 0x49;
const UPDATE = 0x55;
const DELETE = 0x44;
const TRUNCATE = 0x54;
const MESSAGE = 0x4d;

interface AnnouncedRelation {
  readonly message: RelationMessage;
  relation: Relation;
}

/**
 * Why the catalog must be read before decoding can continue. After `refresh`, the same message is decoded again.
 */
interface CatalogLookup {
  readonly message: RelationMessage;
  readonly forceOptional: string | null;
  /** The message itself is being decoded, not a row of its table. */
  readonly announces: boolean;
}

export class ChangeDecoder {
  private readonly byOid = new Map<number, AnnouncedRelation>();
  private readonly tx = new Transaction();
  private filter: ResumeFilter;
  private deferred: { readonly bytes: Buffer; readonly lsn: Lsn } | null = null;
  private lookup: CatalogLookup | null = null;
  /** Oid of the table whose announcement is decoded again now that the catalog was read. */
  private lookedUp: number | null = null;
  /** Position of the last completely decoded message. Updated in place with every message. */
  private readonly at: { -readonly [K in keyof Position]: Position[K] };
  private readonly rows: RowChanges;
  private readonly rowContext: RowContext;

  constructor(
    config: PostgresConfig,
    private readonly relations: Relations,
    factory: EventFactory,
    logger: Logger,
    position: Position,
    /** Carried by records that precede the last one of their event. */
    lastOffset: SourceOffset | null,
  ) {
    this.at = { ...position };
    this.rowContext = new RowContext(relations.unrepresentable);
    this.rows = new RowChanges(
      config,
      factory,
      logger,
      this.rowContext,
      this.tx,
      this.at,
      lastOffset ?? { lsn: position.lsn },
    );
    this.filter = new ResumeFilter(position);
    this.tx.xid = position.xid ?? 0;
  }

  /** Where records go; set before each batch. */
  set out(records: SourceRecord[]) {
    this.rows.out = records;
  }

  /** Where a new connection resumes. */
  get current(): Position {
    return { ...this.at };
  }

  get inTransaction(): boolean {
    return this.tx.open;
  }

  /** Resets for a new stream, which starts at `current` and announces every table again. */
  restart(): void {
    this.byOid.clear();
    this.relations.restart();
    this.filter = new ResumeFilter(this.current);
    this.tx.open = false;
    this.deferred = null;
    this.lookup = null;
    this.lookedUp = null;
  }

  /** Offset for a heartbeat. @param idleAt server position up to which everything was delivered */
  heartbeatOffset(idleAt: Lsn | null): SourceOffset {
    const { at, tx } = this;
    if (tx.open || this.filter.pending) return this.rows.lastOffset;
    const done = idleAt !== null && idleAt > (at.commit ?? at.lsn) ? idleAt : at.commit;
    if (done === null) return this.rows.lastOffset;
    this.completed(done);
    this.rows.lastOffset = {
      lsn: done,
      lsn_commit: done,
      lsn_proc: done,
      messageType: 'COMMIT',
      ts_usec: Date.now() * 1000,
      txId: tx.xid,
    };
    return this.rows.lastOffset;
  }

  /**
   * Decodes one XLogData message (body of a CopyData). Returns false when the catalog must be read first: await
   * `refresh`, then call it again with the same message.
   */
  message(buffer: Buffer, at: number, end: number): boolean {
    const lsn = makeLsn(buffer.readUInt32BE(at + 1), buffer.readUInt32BE(at + 5));
    return this.payload(buffer, at + XLOG_HEADER, end, lsn);
  }

  /** @param read reads the catalog for the announced table; `announced` is false for a relation announced earlier */
  async refresh(read: (message: RelationMessage, announced: boolean) => Promise<Relation>): Promise<void> {
    const { lookup } = this;
    if (lookup === null) return;
    if (lookup.forceOptional !== null) this.relations.forceOptional(lookup.message.oid, lookup.forceOptional);
    const relation = await read(lookup.message, lookup.announces);
    this.byOid.set(lookup.message.oid, { message: lookup.message, relation });
    if (lookup.announces) this.lookedUp = lookup.message.oid;
    this.lookup = null;
  }

  private payload(buffer: Buffer, at: number, end: number, lsn: Lsn): boolean {
    switch (buffer[at]) {
      case INSERT:
      case UPDATE:
      case DELETE:
      case TRUNCATE:
        return this.change(buffer, at, end, lsn);
      case BEGIN:
        this.begin(buffer, at);
        return true;
      case COMMIT:
        this.end(lsn);
        return true;
      case RELATION:
        return this.relation(buffer, at);
      case ORIGIN:
        this.tx.originLsn = makeLsn(buffer.readUInt32BE(at + 1), buffer.readUInt32BE(at + 5));
        this.tx.origin = buffer.toString('utf8', at + 9, buffer.indexOf(0, at + 9));
        return true;
      case TYPE:
      case MESSAGE:
        return true;
      default:
        throw new ConnectError(
          `The server sent a change message of the unknown type "${String.fromCharCode(buffer[at] as number)}".`,
          { code: 'PG_PROTOCOL', place: { lsn } },
        );
    }
  }

  private begin(buffer: Buffer, at: number): void {
    const { tx } = this;
    const finalLsn = makeLsn(buffer.readUInt32BE(at + 1), buffer.readUInt32BE(at + 5));
    const micros = buffer.readInt32BE(at + 9) * 4294967296 + buffer.readUInt32BE(at + 13);
    tx.time.setMicros(micros + PG_EPOCH_MICROS);
    tx.xid = buffer.readUInt32BE(at + 17);
    tx.origin = null;
    tx.originLsn = null;
    tx.open = true;
    tx.index = 0;
    tx.lsn = 0;
    tx.completedBefore = this.filter.begin(finalLsn, tx.xid);
  }

  private end(lsn: Lsn): void {
    const { tx } = this;
    tx.open = false;
    this.deferred = null;
    this.filter.commit();
    if (tx.completedBefore) return;
    this.completed(lsn);
  }

  /** Transactions whose commit record starts before `lsn` are done. */
  private completed(lsn: Lsn): void {
    const { at } = this;
    at.lsn = lsn;
    at.processed = lsn;
    at.commit = lsn;
    at.xid = this.tx.xid;
    at.index = null;
    at.sameLsnDone = null;
    at.messageType = 'COMMIT';
  }

  private relation(buffer: Buffer, at: number): boolean {
    const message = parseRelation(buffer, at);
    if (this.lookedUp === message.oid) {
      this.lookedUp = null;
      return true;
    }
    if (this.relations.captures(message)) {
      this.lookup = { message, forceOptional: null, announces: true };
      return false;
    }
    this.byOid.set(message.oid, { message, relation: NOT_CAPTURED });
    return true;
  }

  private change(buffer: Buffer, at: number, end: number, lsn: Lsn): boolean {
    const { tx } = this;
    if (tx.completedBefore) return true;
    const { deferred } = this;
    if (deferred !== null) {
      // This offset does not distinguish rows that share a position: repeat them all rather than lose one.
      if (deferred.lsn === lsn && !this.emit(deferred.bytes, 0, lsn)) return false;
      this.deferred = null;
    }
    tx.index++;
    tx.sameLsn = lsn === tx.lsn ? tx.sameLsn + 1 : 1;
    tx.lsn = lsn;
    const decision = this.filter.change(lsn, tx.index);
    if (decision === 'defer') {
      this.deferred = { bytes: Buffer.from(buffer.subarray(at, end)), lsn };
      return true;
    }
    if (decision === 'skip') return true;
    if (this.emit(buffer, at, lsn)) return true;
    tx.index--;
    tx.sameLsn--;
    return false;
  }

  private emit(buffer: Buffer, at: number, lsn: Lsn): boolean {
    const mark = this.rows.out.length;
    const { lastOffset } = this.rows;
    const type = buffer[at] as number;
    if (type === TRUNCATE) {
      this.truncate(buffer, at, lsn);
      this.advance(lsn);
      return true;
    }
    const announced = this.byOid.get(buffer.readUInt32BE(at + 1));
    if (announced === undefined)
      throw new ConnectError('The server sent a change of a table that it had not announced.', {
        code: 'PG_PROTOCOL',
        place: { lsn },
      });
    const { relation } = announced;
    const { model } = relation;
    if (model !== null) {
      if (type === INSERT) this.rows.insert(model, buffer, at + 6, lsn);
      else if (type === UPDATE) this.rows.update(relation, model, buffer, at + 5, lsn);
      else this.rows.delete(relation, model, buffer, at + 5, lsn);
      if (this.contradictsDefinition(announced, mark, lastOffset)) return false;
    }
    this.advance(lsn);
    return true;
  }

  private truncate(buffer: Buffer, at: number, lsn: Lsn): void {
    const count = buffer.readInt32BE(at + 1);
    const models: TableModel[] = [];
    for (let i = 0; i < count; i++) {
      const model = this.byOid.get(buffer.readUInt32BE(at + 6 + i * 4))?.relation.model;
      if (model != null) models.push(model);
    }
    this.rows.truncate(models, count, lsn);
  }

  private advance(lsn: Lsn): void {
    const { at, tx } = this;
    at.lsn = lsn;
    at.processed = lsn;
    at.xid = tx.xid;
    at.index = tx.index;
    at.sameLsnDone = null;
    at.messageType = null;
  }

  /** True when the rows just decoded contradict the table definition; they are then discarded. */
  private contradictsDefinition(announced: AnnouncedRelation, mark: number, lastOffset: SourceOffset): boolean {
    const label = this.relations.enumLabels.unlisted;
    const field = this.rowContext.nullInRequired;
    if (label === null && field === null) return false;
    this.rowContext.nullInRequired = null;
    this.rows.out.length = mark;
    // Otherwise the first record decoded again would carry the offset of the whole event, and a crash after it would
    // lose the rest.
    this.rows.lastOffset = lastOffset;
    this.lookup = { message: announced.message, forceOptional: field?.column ?? null, announces: false };
    return true;
  }
}
