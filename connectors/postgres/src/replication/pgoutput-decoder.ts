/**
 * Decodes pgoutput messages (protocol 1, cdc-postgres §5.5) to source records in place: the records are the only
 * objects allocated per message.
 */
import { ConnectError } from '@millrace/sdk';
import type { Client } from 'pg';
import { lsn as makeLsn, type Lsn } from '../database/lsn';
import { parseRelation, parseTypeMessage, RELATION, TYPE, type RelationMessage } from '../events/relation-message';
import { NOT_CAPTURED, type Relation } from '../events/relations';
import { readTuple } from '../events/row';
import type { TableModel } from '../events/table-model';
import { ChangeDecoder } from './change-decoder';
import type { ArrivedMessages } from './message-source';
import { KEEPALIVE, XLOG_HEADER } from './replication-messages';
import type { OldTuple } from './row-changes';
import type { Decoded } from './stream-decoder';

const PG_EPOCH_MICROS = 946_684_800_000_000;

const BEGIN = 0x42;
const COMMIT = 0x43;
const ORIGIN = 0x4f;
const INSERT = 0x49;
const UPDATE = 0x55;
const DELETE = 0x44;
const TRUNCATE = 0x54;
const MESSAGE = 0x4d;

const KEY_TUPLE = 0x4b; // K
const OLD_TUPLE = 0x4f; // O

interface AnnouncedRelation {
  readonly message: RelationMessage;
  relation: Relation;
}

/** Why the catalog must be read before decoding can continue. */
interface CatalogLookup {
  readonly message: RelationMessage;
  readonly forceOptional: string | null;
  /** The message itself is being decoded, not a row of its table. */
  readonly announces: boolean;
}

export class PgoutputDecoder extends ChangeDecoder {
  private readonly byOid = new Map<number, AnnouncedRelation>();
  private lookup: CatalogLookup | null = null;
  /** Oid of the table whose announcement is decoded again now that the catalog was read. */
  private lookedUp: number | null = null;

  override restart(): void {
    super.restart();
    this.byOid.clear();
    this.lookup = null;
    this.lookedUp = null;
  }

  override async prepare(connect: () => Promise<Client>, queue: ArrivedMessages): Promise<void> {
    const { lookup, relations } = this;
    if (lookup === null) return;
    const { message, forceOptional, announces } = lookup;
    if (forceOptional !== null) relations.forceOptional(message.oid, forceOptional);
    const queued = announces ? () => queuedRelations(queue) : null;
    const relation = await relations.refresh(await connect(), message, queued);
    this.byOid.set(message.oid, { message, relation });
    if (announces) this.lookedUp = message.oid;
    this.lookup = null;
  }

  protected override payload(buffer: Buffer, at: number, end: number, lsn: Lsn): Decoded {
    switch (buffer[at]) {
      case INSERT:
      case UPDATE:
      case DELETE:
      case TRUNCATE:
        return this.change(buffer, at, end, lsn) ? 'all' : 'blocked';
      case BEGIN:
        this.beginMessage(buffer, at);
        return 'all';
      case COMMIT:
        this.commit(lsn);
        return 'all';
      case RELATION:
        return this.relation(buffer, at) ? 'all' : 'blocked';
      case ORIGIN:
        this.tx.originLsn = makeLsn(buffer.readUInt32BE(at + 1), buffer.readUInt32BE(at + 5));
        this.tx.origin = buffer.toString('utf8', at + 9, buffer.indexOf(0, at + 9));
        return 'all';
      case TYPE: {
        const type = parseTypeMessage(buffer, at);
        this.relations.types.announce(type.oid, type);
        return 'all';
      }
      case MESSAGE:
        this.decodeMessage(buffer, at, lsn);
        return 'all';
      default:
        throw new ConnectError(
          `The server sent a change message of the unknown type "${String.fromCharCode(buffer[at] as number)}".`,
          { code: 'PG_PROTOCOL', place: { lsn } },
        );
    }
  }

  private beginMessage(buffer: Buffer, at: number): void {
    const finalLsn = makeLsn(buffer.readUInt32BE(at + 1), buffer.readUInt32BE(at + 5));
    const micros = buffer.readInt32BE(at + 9) * 4294967296 + buffer.readUInt32BE(at + 13);
    this.begin(finalLsn, buffer.readUInt32BE(at + 17), micros + PG_EPOCH_MICROS);
  }

  private decodeMessage(buffer: Buffer, at: number, lsn: Lsn): void {
    const prefixEnd = buffer.indexOf(0, at + 10);
    const prefix = buffer.toString('utf8', at + 10, prefixEnd);
    const length = buffer.readUInt32BE(prefixEnd + 1);
    const content = Buffer.from(buffer.subarray(prefixEnd + 5, prefixEnd + 5 + length));
    this.logicalMessage(((buffer[at + 1] as number) & 1) === 1, prefix, content, lsn);
  }

  private relation(buffer: Buffer, at: number): boolean {
    const message = parseRelation(buffer, at);
    if (this.lookedUp === message.oid) {
      this.lookedUp = null;
      return true;
    }
    const known = this.byOid.get(message.oid)?.message;
    if (known?.name !== message.name || known.schema !== message.schema) this.relations.onDdl?.();
    if (this.relations.captures(message)) {
      this.lookup = { message, forceOptional: null, announces: true };
      return false;
    }
    this.byOid.set(message.oid, { message, relation: NOT_CAPTURED });
    return true;
  }

  protected override emit(buffer: Buffer, at: number, end: number, lsn: Lsn): boolean {
    const { rows } = this;
    const type = buffer[at] as number;
    if (type === TRUNCATE) {
      this.truncate(buffer, at, lsn);
      this.advance(lsn);
      return true;
    }
    const mark = rows.out.length;
    const { lastOffset } = rows;
    const announced = this.byOid.get(buffer.readUInt32BE(at + 1));
    if (announced === undefined)
      throw new ConnectError('The server sent a change of a table that it had not announced.', {
        code: 'PG_PROTOCOL',
        place: { lsn },
      });
    const { relation, message } = announced;
    const { model } = relation;
    if (model !== null) {
      if (type === INSERT) this.insert(model, buffer, at + 6, end, lsn);
      else if (type === UPDATE) this.update(relation, model, buffer, at + 5, end, lsn);
      else this.delete(relation, model, buffer, at + 5, lsn);
      const contradiction = this.contradiction(mark, lastOffset);
      if (contradiction !== null) {
        this.lookup = { message, forceOptional: contradiction.nullColumn, announces: false };
        return false;
      }
    } else this.counts.filtered++;
    this.advance(lsn);
    return true;
  }

  private insert(model: TableModel, buffer: Buffer, at: number, end: number, lsn: Lsn): void {
    const { rows } = this;
    if (!rows.emits('c') || rows.insertRaw(model, buffer, at, end, lsn)) return;
    readTuple(buffer, at, model, rows.newCells, this.rowContext);
    rows.insert(model, lsn);
  }

  private update(relation: Relation, model: TableModel, buffer: Buffer, from: number, end: number, lsn: Lsn): void {
    const { rows, rowContext } = this;
    let at = from;
    const old = oldTuple(buffer[at]);
    if (rows.updateRaw(model, old, buffer, at + 1, end, lsn)) return;
    if (old !== 'none') at = readTuple(buffer, at + 1, model, rows.oldCells, rowContext);
    readTuple(buffer, at + 1, model, rows.newCells, rowContext);
    rows.update(relation, model, old, lsn);
  }

  private delete(relation: Relation, model: TableModel, buffer: Buffer, at: number, lsn: Lsn): void {
    const { rows } = this;
    if (!rows.emits('d')) return;
    readTuple(buffer, at + 1, model, rows.oldCells, this.rowContext);
    rows.delete(relation, model, oldTuple(buffer[at]), lsn);
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
}

function oldTuple(kind: number | undefined): OldTuple {
  return kind === OLD_TUPLE ? 'complete' : kind === KEY_TUPLE ? 'key' : 'none';
}

/** Relation messages in the queue, in order. */
export function queuedRelations(queue: ArrivedMessages): RelationMessage[] {
  const found: RelationMessage[] = [];
  queue.forEach((buffer, start) => {
    const at = start + XLOG_HEADER;
    if (buffer[start] !== KEEPALIVE && buffer[at] === RELATION) found.push(parseRelation(buffer, at));
  });
  return found;
}
