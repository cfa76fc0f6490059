/** From pgoutput messages (protocol 1, cdc-postgres §5.5) to source records, in place: no object per message but the records themselves. */
import { ConnectError, type Logger, type SourceOffset, type SourceRecord } from '@millrace/sdk';
import type { Operation, PostgresConfig } from '../config/postgres-config';
import { lsn as makeLsn, type Lsn } from '../database/lsn';
import { Instant, type EventContext, type EventFactory } from '../events/event-factory';
import {
  completeRow,
  keyOf,
  keyOnlyRow,
  notExpressible,
  readTuple,
  reader,
  sameKey,
  staleNull,
  type Cells,
  type Struct,
} from '../events/row';
import type { TableModel } from '../events/table-model';
import { ResumeFilter, streamedOffset, type Position } from './position';
import { parseRelation } from './relation-message';
import type { Relation, RelationMessage, Relations } from './relations';

/** XLogData: type, start, end, time. */
const XLOG_HEADER = 25;
const PG_EPOCH_MICROS = 946_684_800_000_000;

const BEGIN = 0x42;
const COMMIT = 0x43;
const ORIGIN = 0x4f;
const RELATION = 0x52;
const TYPE = 0x59;
const INSERT = 0x49;
const UPDATE = 0x55;
const DELETE = 0x44;
const TRUNCATE = 0x54;
const MESSAGE = 0x4d;

const KEY_TUPLE = 0x4b; // K
const OLD_TUPLE = 0x4f; // O

interface Known {
  readonly message: RelationMessage;
  relation: Relation;
}

/** Why decoding cannot go on before the catalog was asked; `refresh` settles it, then the same message is decoded again. */
interface Stall {
  readonly message: RelationMessage;
  readonly forceOptional: string | null;
}

class Transaction implements EventContext {
  readonly time = new Instant();
  xid = 0;
  origin: string | null = null;
  originLsn: Lsn | null = null;
  open = false;
  /** Completed before the start: all of it is skipped. */
  old = false;
  /** Change messages so far, skipped and filtered ones included. */
  index = 0;
  /** Position of the last of them, and how many so far have it: rows of one record in the log share it. */
  lsn: Lsn = 0;
  sameLsn = 0;
}

export class ChangeDecoder {
  /** Where records go; set before each batch. */
  out: SourceRecord[] = [];
  private readonly byOid = new Map<number, Known>();
  private readonly tx = new Transaction();
  private filter: ResumeFilter;
  private held: { readonly bytes: Buffer; readonly lsn: Lsn } | null = null;
  private stall: Stall | null = null;
  /** Up to the last message that was decoded completely. Changed in place: it moves with every message. */
  private readonly at: { -readonly [K in keyof Position]: Position[K] };
  private lastOffset: SourceOffset;
  private readonly newCells: Cells = [];
  private readonly oldCells: Cells = [];
  private incompleteKeyWarned = false;

  constructor(
    private readonly config: PostgresConfig,
    private readonly relations: Relations,
    private readonly factory: EventFactory,
    private readonly logger: Logger,
    position: Position,
    /** Carried by records that precede the last one of their event. */
    lastOffset: SourceOffset | null,
  ) {
    this.at = { ...position };
    this.lastOffset = lastOffset ?? { lsn: position.lsn };
    this.filter = new ResumeFilter(position);
    this.tx.xid = position.xid ?? 0;
  }

  /** Where a new connection goes on. */
  get current(): Position {
    return { ...this.at };
  }

  get inTransaction(): boolean {
    return this.tx.open;
  }

  /** A new stream starts at `current`: what the old one had announced is void. */
  restart(): void {
    this.byOid.clear();
    this.filter = new ResumeFilter(this.current);
    this.tx.open = false;
    this.held = null;
    this.stall = null;
  }

  /** Offset for a heartbeat. @param idleAt server position up to which everything was delivered */
  heartbeatOffset(idleAt: Lsn | null): SourceOffset {
    const { at, tx } = this;
    if (tx.open || this.filter.pending) return this.lastOffset;
    const done = idleAt !== null && idleAt > (at.commit ?? at.lsn) ? idleAt : at.commit;
    if (done === null) return this.lastOffset;
    this.completed(done);
    this.lastOffset = {
      lsn: done,
      lsn_commit: done,
      lsn_proc: done,
      messageType: 'COMMIT',
      ts_usec: Date.now() * 1000,
      txId: tx.xid,
    };
    return this.lastOffset;
  }

  /**
   * Decodes one XLogData message (body of a CopyData). Returns false when the catalog must be asked first: await `refresh`, then call
   * again with the same message.
   */
  message(buffer: Buffer, at: number, end: number): boolean {
    const lsn = makeLsn(buffer.readUInt32BE(at + 1), buffer.readUInt32BE(at + 5));
    return this.payload(buffer, at + XLOG_HEADER, end, lsn);
  }

  /** @param ask called with the relation to look up */
  async refresh(ask: (message: RelationMessage) => Promise<Relation>): Promise<void> {
    const { stall } = this;
    if (stall === null) return;
    const { alarm } = this.relations;
    const label = alarm.unknownLabel;
    if (stall.forceOptional !== null) this.relations.forceOptional(stall.message.oid, stall.forceOptional);
    const relation = await ask(stall.message);
    // A label that the catalog does not know now either was renamed since; its old text is all there is.
    if (label !== null) alarm.accepted.add(label);
    alarm.unknownLabel = null;
    this.byOid.set(stall.message.oid, { message: stall.message, relation });
    this.stall = null;
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
    tx.old = this.filter.begin(finalLsn, tx.xid);
  }

  private end(lsn: Lsn): void {
    const { tx } = this;
    tx.open = false;
    this.held = null;
    this.filter.commit();
    if (tx.old) return;
    this.completed(lsn);
  }

  /** No transaction that begins its commit record before `lsn` is needed any more. */
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
    const relation = this.relations.find(message);
    if (relation === null) {
      this.stall = { message, forceOptional: null };
      return false;
    }
    this.byOid.set(message.oid, { message, relation });
    return true;
  }

  private change(buffer: Buffer, at: number, end: number, lsn: Lsn): boolean {
    const { tx } = this;
    if (tx.old) return true;
    const { held } = this;
    if (held !== null) {
      // Rows that share a position cannot be told apart in this offset: all of them again rather than one too few.
      if (held.lsn === lsn && !this.emit(held.bytes, 0, lsn)) return false;
      this.held = null;
    }
    tx.index++;
    tx.sameLsn = lsn === tx.lsn ? tx.sameLsn + 1 : 1;
    tx.lsn = lsn;
    const verdict = this.filter.change(lsn, tx.index);
    if (verdict === 'hold') {
      this.held = { bytes: Buffer.from(buffer.subarray(at, end)), lsn };
      return true;
    }
    if (verdict === 'skip') return true;
    if (this.emit(buffer, at, lsn)) return true;
    tx.index--;
    tx.sameLsn--;
    return false;
  }

  private emit(buffer: Buffer, at: number, lsn: Lsn): boolean {
    const mark = this.out.length;
    const type = buffer[at] as number;
    if (type === TRUNCATE) {
      this.truncate(buffer, at, lsn);
      this.advance(lsn);
      return true;
    }
    const known = this.byOid.get(buffer.readUInt32BE(at + 1));
    if (known === undefined)
      throw new ConnectError('The server sent a change of a table that it had not announced.', {
        code: 'PG_PROTOCOL',
        place: { lsn },
      });
    const { relation } = known;
    const { model } = relation;
    if (model !== null) {
      if (type === INSERT) this.insert(model, buffer, at + 6, lsn);
      else if (type === UPDATE) this.update(relation, model, buffer, at + 5, lsn);
      else this.delete(relation, model, buffer, at + 5, lsn);
      if (this.alarmed(known, mark)) return false;
    }
    this.advance(lsn);
    return true;
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

  /** True when the rows just decoded contradict the definition they were decoded with; they are taken back. */
  private alarmed(known: Known, mark: number): boolean {
    const label = this.relations.alarm.unknownLabel;
    const field = staleNull.field;
    if (label === null && field === null) return false;
    staleNull.field = null;
    this.out.length = mark;
    if (field !== null && field.cell === reader.voided) throw notExpressible(known.relation.model as TableModel, field);
    this.stall = { message: known.message, forceOptional: field?.name ?? null };
    return true;
  }

  private emits(operation: Operation): boolean {
    return !this.config.skipped.has(operation);
  }

  private source(model: TableModel, lsn: Lsn): Struct {
    return this.factory.source(model, this.tx, 'false', lsn, this.at.commit);
  }

  private offset(type: string, lsn: Lsn, sameLsn = this.tx.sameLsn): SourceOffset {
    return streamedOffset(type, lsn, this.at.commit, sameLsn, this.tx);
  }

  private insert(model: TableModel, buffer: Buffer, at: number, lsn: Lsn): void {
    if (!this.emits('c')) return;
    const { newCells, factory } = this;
    readTuple(buffer, at, model, newCells);
    const offset = this.offset('INSERT', lsn);
    const source = this.source(model, lsn);
    this.out.push(
      factory.record(model, keyOf(model, newCells), 'c', null, completeRow(model, newCells), source, offset),
    );
    this.lastOffset = offset;
  }

  private update(relation: Relation, model: TableModel, buffer: Buffer, from: number, lsn: Lsn): void {
    const { newCells, oldCells, factory } = this;
    let at = from;
    const oldKind = buffer[at];
    const hasOld = oldKind === KEY_TUPLE || oldKind === OLD_TUPLE;
    if (hasOld) {
      readTuple(buffer, at + 1, model, oldCells);
      at = reader.at;
    }
    readTuple(buffer, at + 1, model, newCells);
    let before: Struct | null = null;
    if (oldKind === OLD_TUPLE) {
      for (let i = 0; i < model.decoders.length; i++) if (newCells[i] === undefined) newCells[i] = oldCells[i];
      before = completeRow(model, oldCells);
    } else if (hasOld) before = keyOnlyRow(model, oldCells);
    const after = completeRow(model, newCells);
    const key = keyOf(model, newCells);
    if (hasOld && key !== null && this.oldKeyKnown(relation, model, oldKind === OLD_TUPLE)) {
      const oldKey = keyOf(model, oldCells) as Struct;
      if (!sameKey(oldKey, key)) {
        this.keyChange(model, oldKey, key, before, after, lsn);
        return;
      }
    }
    if (!this.emits('u')) return;
    const offset = this.offset('UPDATE', lsn);
    this.out.push(factory.record(model, key, 'u', before, after, this.source(model, lsn), offset));
    this.lastOffset = offset;
  }

  /** Delete and tombstone of the old key, then creation of the new one (§2.6 e). Only the last record carries the new offset. */
  private keyChange(
    model: TableModel,
    oldKey: Struct,
    key: Struct,
    before: Struct | null,
    after: Struct,
    lsn: Lsn,
  ): void {
    const { factory, out, lastOffset } = this;
    const offset = this.offset('UPDATE', lsn);
    const create = this.emits('c');
    const source = this.source(model, lsn);
    if (this.emits('d')) {
      const headers = factory.keyHeader('newkey', model, key);
      const tombstone = this.config.events.tombstones;
      const deleteOffset = create || tombstone ? lastOffset : offset;
      out.push(factory.record(model, oldKey, 'd', before, null, source, deleteOffset, headers));
      if (tombstone) out.push(factory.tombstone(model, oldKey, create ? lastOffset : offset, headers));
    }
    if (create) {
      const headers = factory.keyHeader('oldkey', model, oldKey);
      out.push(factory.record(model, key, 'c', null, after, source, offset, headers));
    }
    this.lastOffset = offset;
  }

  private delete(relation: Relation, model: TableModel, buffer: Buffer, at: number, lsn: Lsn): void {
    if (!this.emits('d')) return;
    const { oldCells, factory, lastOffset, out } = this;
    const complete = buffer[at] === OLD_TUPLE;
    readTuple(buffer, at + 1, model, oldCells);
    if (!complete && relation.requiredInOldKey.length > 0) this.incompleteKey(relation, model);
    const before = complete ? completeRow(model, oldCells) : keyOnlyRow(model, oldCells);
    const key = keyOf(model, oldCells);
    const offset = this.offset('DELETE', lsn);
    const source = this.source(model, lsn);
    // A tombstone without key would be refused by compacted topics and means nothing in others (§2.8).
    const tombstone = this.config.events.tombstones && key !== null;
    out.push(factory.record(model, key, 'd', before, null, source, tombstone ? lastOffset : offset));
    if (tombstone) out.push(factory.tombstone(model, key, offset));
    this.lastOffset = offset;
  }

  private truncate(buffer: Buffer, at: number, lsn: Lsn): void {
    if (!this.emits('t')) return;
    const count = buffer.readInt32BE(at + 1);
    const models: TableModel[] = [];
    for (let i = 0; i < count; i++) {
      const model = this.byOid.get(buffer.readUInt32BE(at + 6 + i * 4))?.relation.model;
      if (model != null) models.push(model);
    }
    if (models.length === 0) return;
    // To Debezium, each table is an event.
    const offset = this.offset('TRUNCATE', lsn, count);
    models.forEach((model, i) => {
      const own = i === models.length - 1 ? offset : this.lastOffset;
      this.out.push(this.factory.record(model, null, 't', null, null, this.source(model, lsn), own));
    });
    this.lastOffset = offset;
  }

  private oldKeyKnown(relation: Relation, model: TableModel, complete: boolean): boolean {
    if (complete || relation.missingInOldKey.length === 0) return true;
    if (relation.requiredInOldKey.length > 0) this.incompleteKey(relation, model);
    return false;
  }

  private incompleteKey(relation: Relation, model: TableModel): void {
    const mode = this.config.events.incompleteKey;
    if (mode === 'debezium' || (mode === 'warn' && this.incompleteKeyWarned)) return;
    const table = `${model.schema}.${model.name}`;
    const message =
      `Old rows of table ${table} do not contain the key column ${relation.requiredInOldKey.join(', ')}: its REPLICA IDENTITY ` +
      `does not cover the record key. Run ALTER TABLE ${table} REPLICA IDENTITY DEFAULT; or FULL, or set message.key.columns to the ` +
      `columns of its identity index, or event.incomplete.key.handling=warn.`;
    if (mode === 'fail') throw new ConnectError(message, { code: 'PG_INCOMPLETE_KEY', place: { table } });
    this.incompleteKeyWarned = true;
    this.logger.warn(message);
  }
}
