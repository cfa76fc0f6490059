/**
 * Messages of pgoutput's protocols 2 to 4 as those of protocol 1. Transactions that the server sends before they commit
 * wait in spill files: streamed ones, whose segments interleave, and prepared ones. At their commit they are passed on
 * as Begin, changes, Commit; nothing else of them is, and nothing at all of what was rolled back.
 */
import { ConnectError } from '@millrace/sdk';
import { lsn, type Lsn } from '../../database/lsn';
import { RELATION, parseRelation, type RelationMessage } from '../../events/relation-message';
import type { FrameQueue } from '../frame-queue';
import type { MessageSource, Peeked } from '../message-source';
import { KEEPALIVE, XLOG_HEADER } from '../replication-stream';
import { PreparedTransactions } from './prepared-transactions';
import { SpooledTransaction, type FrameReader } from './spooled-transaction';
import { beginMessage, commitMessage } from './synthetic-messages';

const BEGIN = 0x42; // B
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
  /** Begin or Commit while one of them is next. */
  synthetic: Buffer | null;
  ended: boolean;
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

  /**
   * @param resumedAt end of the last transaction completed before this stream
   * @param heldAt see `PreparedTransactions`
   */
  constructor(
    private readonly queue: FrameQueue<unknown>,
    private readonly folder: string,
    resumedAt: Lsn | null,
    heldAt: Lsn | null,
  ) {
    this.prepared = new PreparedTransactions(resumedAt, heldAt);
  }

  /** A committed transaction is not passed on completely. */
  get isReplaying(): boolean {
    return this.replay !== null;
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
      if (this.receiving !== null) this.receive(this.receiving, buffer, start, end);
      else if (!this.control(buffer, start, start + XLOG_HEADER)) return this.passOn();
      else queue.shift();
    }
  }

  shift(): void {
    const { replay } = this;
    if (replay === null) this.queue.shift();
    else if (replay.synthetic === null) replay.frames.shift();
    else if (!replay.ended) replay.synthetic = null;
    else {
      this.replay = null;
      void replay.transaction.close();
    }
    this.buffer = EMPTY;
  }

  async proceed(): Promise<void> {
    const { work } = this;
    await work?.();
    this.work = null;
  }

  announcements(): readonly RelationMessage[] | null {
    if (this.replay !== null) return null;
    const found: RelationMessage[] = [];
    let inSegment = false;
    this.queue.forEach((buffer, start) => {
      const at = start + XLOG_HEADER;
      if (buffer[start] === KEEPALIVE) return;
      const type = buffer[at];
      if (type === STREAM_START || type === BEGIN_PREPARE) inSegment = true;
      else if (type === STREAM_STOP || type === PREPARE) inSegment = false;
      else if (type === RELATION && !inSegment) found.push(parseRelation(buffer, at));
    });
    return found;
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

  private peekReplay(replay: Replay): Peeked {
    if (replay.synthetic !== null) return this.found(replay.synthetic, 0, replay.synthetic.length);
    const { frames } = replay;
    if (frames.peek()) return this.found(frames.buffer, frames.start, frames.end);
    this.work = async () => {
      if (await frames.fill()) return;
      replay.synthetic = replay.commit;
      replay.ended = true;
      this.prepared.ended(replay.transaction.xid);
    };
    return 'wait';
  }

  private found(buffer: Buffer, start: number, end: number): Peeked {
    this.buffer = buffer;
    this.start = start;
    this.end = end;
    return 'message';
  }

  /** A message of the segment. */
  private receive(transaction: SpooledTransaction, buffer: Buffer, start: number, end: number): void {
    const at = start + XLOG_HEADER;
    const type = buffer[at];
    if (this.streamed ? type === STREAM_STOP : type === PREPARE) {
      if (type === PREPARE) this.prepared.add(transaction.xid, readLsn(buffer, at + 2));
      this.receiving = null;
      let bytes = 0;
      for (const { buffered } of this.spooled.values()) bytes += buffered;
      if (bytes > MEMORY_BYTES) this.work = () => transaction.flush();
    } else {
      transaction.append(buffer, start, end, this.streamed);
      if (transaction.isFull) this.work = () => transaction.flush();
    }
    this.queue.shift();
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
    const transaction = new SpooledTransaction(xid, this.folder);
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
    const synthetic = beginMessage(first, xid, buffer, at);
    this.replay = { transaction, frames: transaction.frames(), commit, synthetic, ended: false };
  }
}

const EMPTY = Buffer.alloc(0);

function readLsn(buffer: Buffer, at: number): Lsn {
  return lsn(buffer.readUInt32BE(at), buffer.readUInt32BE(at + 4));
}
