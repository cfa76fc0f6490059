/**
 * Messages of pgoutput's protocols 2 to 4 as those of protocol 1. Transactions that the server sends before they commit
 * wait in spill files: streamed ones, whose segments interleave, and prepared ones. At their commit they are passed on
 * as Begin, changes, Commit; nothing else of them is, and nothing at all of what was rolled back.
 */
import { ConnectError } from '@millrace/sdk';
import { lsn, type Lsn } from '../../database/lsn';
import { RELATION, TYPE } from '../../events/relation-message';
import type { FrameQueue } from '../frame-queue';
import type { MessageSource, Peeked } from '../message-source';
import { beginMessage, commitMessage, KEEPALIVE, XLOG_HEADER } from '../replication-messages';
import { AnnouncedRelations } from './announced-relations';
import { PreparedTransactions } from './prepared-transactions';
import { SpooledTransaction, type FrameReader } from './spooled-transaction';

const BEGIN = 0x42; // B
const INSERT = 0x49; // I
const UPDATE = 0x55; // U
const DELETE = 0x44; // D
const TRUNCATE = 0x54; // T
const STREAM_START = 0x53; // S
const STREAM_STOP = 0x45; // E
const STREAM_COMMIT = 0x63; // c
const STREAM_ABORT = 0x41; // A
const STREAM_PREPARE = 0x70; // p
const BEGIN_PREPARE = 0x62; // b
const PREPARE = 0x50; // P
const COMMIT_PREPARED = 0x4b; // K
const ROLLBACK_PREPARED = 0x72; // r

/** Bytes of all transactions in memory, above which a segment is written when it ends. */
const MEMORY_BYTES = 4 * 1024 * 1024;

/** A committed transaction that is being passed on. */
interface Replay {
  readonly transaction: SpooledTransaction;
  readonly frames: FrameReader;
  readonly commit: Buffer;
  /** Messages that are next and not in `frames`. */
  inserted: Buffer[];
  /** `frames` is read. */
  ended: boolean;
}

interface StreamedOptions {
  /** Where spill files are created. */
  readonly folder: string;
  /** End of the last transaction completed before this stream. */
  readonly resumedAt: Lsn | null;
  /** See `PreparedTransactions`. */
  readonly heldAt: Lsn | null;
  onHeld(at: Lsn | null): void;
  /** Called when a committed transaction follows that was kept: its announcements precede those that have arrived. */
  onReplay(): void;
}

export class StreamedTransactions implements MessageSource {
  buffer: Buffer = EMPTY;
  start = 0;
  end = 0;

  private readonly spooled = new Map<number, SpooledTransaction>();
  /** Prepared ones, whose rows the server sends once. */
  readonly prepared: PreparedTransactions;
  /** The transaction of the segment that is being received. */
  private receiving: SpooledTransaction | null = null;
  /** Messages of the segment contain the ids of their transactions. */
  private streamed = false;
  private replay: Replay | null = null;
  private work: (() => Promise<void>) | null = null;
  private readonly relations = new AnnouncedRelations();
  /** Number of the announcement at the head of the queue, which is also in `receiving`. */
  private kept: number | null = null;

  constructor(
    private readonly queue: FrameQueue<unknown>,
    private readonly options: StreamedOptions,
  ) {
    this.prepared = new PreparedTransactions(options.resumedAt, options.heldAt, options.onHeld);
  }

  get hasMore(): boolean {
    return this.replay !== null || this.queue.messages > 0;
  }

  peek(): Peeked {
    for (;;) {
      if (this.work !== null) return 'wait';
      if (this.replay !== null) return this.peekReplay(this.replay);
      const { queue } = this;
      if (!queue.peek()) return 'none';
      const { buffer, start, end } = queue;
      if (buffer[start] === KEEPALIVE) {
        this.prepared.reached(readLsn(buffer, start + 1));
        return this.passOn();
      }
      if (this.receiving !== null) {
        if (!this.receive(this.receiving, buffer, start, end)) return this.passOn();
      } else if (!this.control(buffer, start, start + XLOG_HEADER)) return this.passOn();
      else queue.shift();
    }
  }

  shift(): void {
    const { replay, buffer, start, end } = this;
    const isRelation = buffer[start + XLOG_HEADER] === RELATION && buffer[start] !== KEEPALIVE;
    if (replay === null) {
      if (isRelation) this.relations.announced(this.kept ?? this.relations.next(), buffer, start, end);
      this.kept = null;
      this.queue.shift();
    } else if (replay.inserted.length === 0) {
      if (isRelation) this.relations.replay(buffer, start, end);
      replay.frames.shift();
    } else {
      replay.inserted.shift();
      if (replay.ended && replay.inserted.length === 0) {
        this.replay = null;
        void replay.transaction.close();
      }
    }
    this.buffer = EMPTY;
  }

  async proceed(): Promise<void> {
    const { work } = this;
    await work?.();
    this.work = null;
  }

  /** Of a transaction that is passed on, only what follows in memory; nothing of streamed segments. */
  forEach(visit: (buffer: Buffer, start: number) => void): void {
    if (this.replay !== null) {
      this.replay.frames.forEach(visit);
      return;
    }
    let inSegment = false;
    this.queue.forEach((buffer, start) => {
      const type = buffer[start] === KEEPALIVE ? undefined : buffer[start + XLOG_HEADER];
      if (type === STREAM_START) inSegment = true;
      else if (type === STREAM_STOP) inSegment = false;
      else if (!inSegment) visit(buffer, start);
    });
  }

  /** Drops everything; the next stream sends it again. */
  async close(): Promise<void> {
    const all = [...this.spooled.values(), ...(this.replay === null ? [] : [this.replay.transaction])];
    this.spooled.clear();
    this.receiving = null;
    this.replay = null;
    this.work = null;
    await Promise.all(all.map((transaction) => transaction.close()));
  }

  private passOn(): Peeked {
    const { buffer, start, end } = this.queue;
    this.buffer = buffer;
    this.start = start;
    this.end = end;
    return 'message';
  }

  private peekReplay({ frames, inserted, ended, transaction }: Replay): Peeked {
    const [next] = inserted;
    if (next !== undefined) {
      // Only with its commit: until then, positions in it need its changes again.
      if (ended && inserted.length === 1) this.prepared.ended(transaction.xid);
      return this.found(next, 0, next.length);
    }
    while (frames.peek()) {
      const { buffer, start, end } = frames;
      if (buffer[start + XLOG_HEADER] !== RELATION || !this.relations.isInForce(buffer, start))
        return this.found(buffer, start, end);
      frames.shift();
    }
    this.work = async () => {
      if (!(await frames.fill())) this.endReplay();
    };
    return 'wait';
  }

  private found(buffer: Buffer, start: number, end: number): Peeked {
    this.buffer = buffer;
    this.start = start;
    this.end = end;
    return 'message';
  }

  private endReplay(): void {
    const replay = this.replay as Replay;
    replay.ended = true;
    replay.inserted = [...this.relations.restored(), replay.commit];
  }

  /** A message of the segment. False if it is to be passed on, too. */
  private receive(transaction: SpooledTransaction, buffer: Buffer, start: number, end: number): boolean {
    const at = start + XLOG_HEADER;
    const type = buffer[at];
    if (this.streamed ? type === STREAM_STOP : type === PREPARE) {
      if (type === PREPARE) this.prepared.add(transaction.xid, readLsn(buffer, at + 2));
      this.receiving = null;
      let bytes = 0;
      for (const { buffered } of this.spooled.values()) bytes += buffered;
      if (bytes > MEMORY_BYTES) this.work = () => transaction.flush();
    } else if (type === RELATION) {
      if (this.kept === null) {
        const number = this.relations.next();
        transaction.append(buffer, start, end, this.streamed, number);
        if (!this.streamed) {
          // The server does not repeat the announcements of a prepared transaction to the transactions after it.
          transaction.announced.add(buffer.readUInt32BE(at + 1));
          this.kept = number;
        }
      }
      if (!this.streamed) return false;
    } else if (type === TYPE && !this.streamed) {
      // It belongs to the announcement that follows.
      return false;
    } else {
      if (!this.streamed) this.announceTo(transaction, buffer, at);
      transaction.append(buffer, start, end, this.streamed);
      if (transaction.isFull) this.work = () => transaction.flush();
    }
    this.queue.shift();
    return true;
  }

  /** Adds the announcements of the tables of a change that were sent before the prepared transaction. */
  private announceTo(transaction: SpooledTransaction, buffer: Buffer, at: number): void {
    const type = buffer[at];
    const isRow = type === INSERT || type === UPDATE || type === DELETE;
    if (!isRow && type !== TRUNCATE) return;
    const count = isRow ? 1 : buffer.readUInt32BE(at + 1);
    for (let i = 0; i < count; i++) {
      const oid = buffer.readUInt32BE(isRow ? at + 1 : at + 6 + i * 4);
      if (transaction.announced.has(oid)) continue;
      transaction.announced.add(oid);
      const announcement = this.relations.of(oid);
      if (announcement === undefined) continue;
      const { bytes, number } = announcement;
      transaction.append(bytes, 0, bytes.length, false, number);
    }
  }

  /** A message about a transaction as a whole; false for any other, which protocol 1 has, too. */
  private control(buffer: Buffer, start: number, at: number): boolean {
    switch (buffer[at]) {
      case STREAM_START:
        this.streamed = true;
        this.receiving = this.spool(buffer.readUInt32BE(at + 1), buffer[at + 5] === 1);
        return true;
      case BEGIN_PREPARE:
        this.streamed = false;
        this.prepared.reached(readLsn(buffer, at + 1));
        this.receiving = this.spool(buffer.readUInt32BE(at + 25), true);
        return true;
      case STREAM_ABORT:
        this.abort(buffer.readUInt32BE(at + 1), buffer.readUInt32BE(at + 5));
        return true;
      case STREAM_COMMIT:
        this.commit(buffer.readUInt32BE(at + 1), buffer, start, at + 6);
        return true;
      case STREAM_PREPARE:
        this.prepared.add(buffer.readUInt32BE(at + 26), readLsn(buffer, at + 2));
        return true;
      case COMMIT_PREPARED:
        this.commit(buffer.readUInt32BE(at + 26), buffer, start, at + 2);
        return true;
      case ROLLBACK_PREPARED:
        this.drop(buffer.readUInt32BE(at + 34));
        return true;
      case BEGIN:
        this.prepared.reached(readLsn(buffer, at + 1));
        return false;
      default:
        return false;
    }
  }

  private spool(xid: number, first: boolean): SpooledTransaction {
    const known = this.spooled.get(xid);
    if (known !== undefined && !first) return known;
    this.drop(xid);
    const transaction = new SpooledTransaction(xid, this.options.folder);
    this.spooled.set(xid, transaction);
    return transaction;
  }

  private abort(xid: number, subxid: number): void {
    const transaction = this.spooled.get(xid);
    if (xid === subxid) this.drop(xid);
    else if (transaction !== undefined) this.work = () => transaction.rollBack(subxid);
  }

  private drop(xid: number): void {
    const transaction = this.spooled.get(xid);
    this.spooled.delete(xid);
    this.prepared.ended(xid);
    void transaction?.close();
  }

  /** @param at of commit LSN, end LSN and commit time */
  private commit(xid: number, buffer: Buffer, start: number, at: number): void {
    const finalLsn = readLsn(buffer, at);
    this.prepared.reached(finalLsn);
    const transaction = this.spooled.get(xid);
    if (transaction === undefined) {
      if (this.prepared.isBefore(finalLsn)) return;
      throw new ConnectError(
        `The server committed transaction ${xid} without sending its changes: they were sent before this connector read the slot, and are lost. Reset the connector's offsets so that it takes a new snapshot.`,
        { code: 'PG_POSITION_LOST', place: { lsn: finalLsn } },
      );
    }
    this.spooled.delete(xid);
    const { first } = transaction;
    if (first === null) {
      // The server does not send transactions without changes in protocol 1 either.
      this.prepared.ended(xid);
      void transaction.close();
      return;
    }
    const commit = commitMessage(readLsn(buffer, start + 1), buffer, at);
    const begin = beginMessage(first, xid, buffer, at);
    this.options.onReplay();
    this.replay = { transaction, frames: transaction.frames(), commit, inserted: [begin], ended: false };
  }
}

const EMPTY = Buffer.alloc(0);

function readLsn(buffer: Buffer, at: number): Lsn {
  return lsn(buffer.readUInt32BE(at), buffer.readUInt32BE(at + 4));
}
