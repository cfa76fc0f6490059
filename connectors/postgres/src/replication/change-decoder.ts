/**
 * What the decoders of all output plugins share: the transaction, which of its changes were emitted before a restart,
 * and the position that offsets are made from.
 */
import {
  ConnectError,
  isConnectError,
  isRawRow,
  type Logger,
  type SourceOffset,
  type SourceRecord,
} from '@millrace/sdk';
import type { Client } from 'pg';
import type { ProcessingFailureMode } from '../config/event-config';
import { formatLsn, lsn as makeLsn, type Lsn } from '../database/lsn';
import { Instant, type Struct } from '../events/event-context';
import { LogicalMessages } from '../events/logical-message';
import type { RowShape } from '../events/raw-table';
import { RowContext } from '../events/row';
import type { Relations } from '../events/relations';
import { TransactionMetadata } from '../events/transaction-metadata';
import type { EventCounts } from '../metrics/event-counts';
import type { Session } from '../session';
import type { ArrivedMessages } from './message-source';
import { OffsetMembers } from './offset-members';
import { RecentTransactions } from './recent-transactions';
import type { ChangeObserver } from './change-observer';
import { ResumeFilter, type Position } from './position';
import { XLOG_HEADER } from './replication-messages';
import { RowChanges } from './row-changes';
import type { Decoded, StreamDecoder } from './stream-decoder';
import { Transaction } from './transaction';
import { formatTimeline, type WalTimeline } from './wal-history';

/** A row that contradicts the definition of its table, which must therefore be read again. */
interface Contradiction {
  /** Column that is NULL although the catalog says NOT NULL. */
  readonly nullColumn: string | null;
}

/** Codes of errors that one change causes, and that reading on does not make worse. */
const UNPUBLISHABLE: ReadonlySet<string> = new Set([
  'PG_DECODE',
  'PG_NOT_EXPRESSIBLE',
  'PG_INCOMPLETE_KEY',
  'PG_UNSENT_VALUE',
]);

export abstract class ChangeDecoder implements StreamDecoder {
  readonly recent = new RecentTransactions();
  protected readonly tx = new Transaction();
  /** Position of the last completely decoded message. Updated in place with every message. */
  protected readonly at: { -readonly [K in keyof Position]: Position[K] };
  protected readonly rows: RowChanges;
  protected readonly rowContext: RowContext;
  protected readonly relations: Relations;
  protected readonly counts: EventCounts;
  private readonly logger: Logger;
  private readonly processingFailures: ProcessingFailureMode;
  private readonly members: OffsetMembers;
  private readonly metadata: TransactionMetadata | null;
  private readonly messages: LogicalMessages;
  /** Of the message that is decoded. */
  private messageLsn: Lsn = 0;
  private filter: ResumeFilter;
  /** Of messages outside of transactions. */
  private readonly outside = {
    time: new Instant(),
    xid: null,
    xmin: null as Lsn | null,
    origin: null,
    originLsn: null,
  };
  private deferred: { readonly bytes: Buffer; readonly lsn: Lsn } | null = null;

  constructor(
    session: Pick<Session, 'config' | 'relations' | 'factory' | 'logger'>,
    position: Position,
    /** Carried by records that precede the last one of their event. */
    lastOffset: SourceOffset | null,
  ) {
    const { config, relations, factory, logger } = session;
    this.relations = relations;
    this.counts = factory.counts;
    this.logger = logger;
    this.processingFailures = config.events.processingFailures;
    this.at = { ...position };
    this.rowContext = new RowContext(relations.unrepresentable);
    const { transactions } = config.stream;
    this.metadata = transactions === null ? null : new TransactionMetadata(transactions, factory);
    this.metadata?.restore(lastOffset);
    this.members = new OffsetMembers(this.metadata);
    this.messages = new LogicalMessages(config, factory);
    this.members.heldAt = position.heldAt;
    this.members.unreadUntil = position.unreadUntil;
    this.rows = new RowChanges(
      config,
      factory,
      logger,
      this.rowContext,
      this.tx,
      this.at,
      this.members,
      relations.unsent,
      lastOffset ?? { lsn: position.lsn },
    );
    this.filter = new ResumeFilter(position);
    this.tx.xid = position.xid ?? 0;
  }

  /** @param at begin of the plugin's own part of the message */
  protected abstract payload(buffer: Buffer, at: number, end: number, lsn: Lsn): Decoded;
  /** Emits one change; false when `prepare` must run first. */
  protected abstract emit(buffer: Buffer, at: number, end: number, lsn: Lsn): boolean;
  abstract prepare(connect: () => Promise<Client>, queue: ArrivedMessages): Promise<void>;

  /** Position up to which everything was decoded. */
  get decodedLsn(): Lsn {
    return this.at.commit ?? this.at.lsn;
  }

  set out(records: SourceRecord[]) {
    this.rows.out = records;
  }

  endBatch(): void {
    this.rows.endBatch();
  }

  set observer(observer: ChangeObserver | null) {
    this.rows.observer = observer;
  }

  get lastOffset(): SourceOffset {
    return this.rows.lastOffset;
  }

  shareMembers(members: SourceOffset | null, bare: (offset: SourceOffset) => SourceOffset): void {
    this.rows.shareMembers(members, bare);
  }

  get current(): Position {
    return { ...this.at };
  }

  set xmin(xmin: number | null) {
    this.tx.xmin = xmin;
    this.members.xmin = xmin;
  }

  set timeline(timeline: WalTimeline) {
    const text = formatTimeline(timeline);
    this.at.timeline = timeline;
    this.tx.timeline = text;
    this.members.timeline = text;
  }

  hold(at: Lsn | null): void {
    this.at.heldAt = at;
    this.members.heldAt = at;
  }

  moveTo(position: Position): void {
    Object.assign(this.at, position);
  }

  restart(): void {
    this.relations.restart();
    this.filter = new ResumeFilter(this.current);
    this.tx.open = false;
    this.deferred = null;
  }

  heartbeatOffset(idleAt: Lsn | null): SourceOffset {
    const { at, tx } = this;
    if (tx.open || this.filter.pending) return this.rows.lastOffset;
    const done = idleAt !== null && idleAt > (at.commit ?? at.lsn) ? idleAt : at.commit;
    if (done === null) return this.rows.lastOffset;
    this.completed(done);
    this.rows.lastOffset = this.members.add({
      lsn: done,
      lsn_commit: done,
      lsn_proc: done,
      messageType: 'COMMIT',
      ts_usec: Date.now() * 1000,
      txId: tx.xid,
    });
    return this.rows.lastOffset;
  }

  message(buffer: Buffer, at: number, end: number): Decoded {
    const lsn = makeLsn(buffer.readUInt32BE(at + 1), buffer.readUInt32BE(at + 5));
    this.messageLsn = lsn;
    try {
      return this.payload(buffer, at + XLOG_HEADER, end, lsn);
    } catch (error) {
      if (!isConnectError(error) || !UNPUBLISHABLE.has(error.code)) throw error;
      const { code, place, cause } = error;
      throw new ConnectError(error.message, { code, cause, place: { ...place, lsn: formatLsn(lsn) } });
    }
  }

  /**
   * @param finalLsn begin of the commit record; Infinity if the plugin does not send it
   * @param micros commit time since 1970
   */
  protected begin(finalLsn: Lsn, xid: number, micros: number): void {
    const { tx } = this;
    tx.time.setMicros(micros);
    this.counts.committedAt = tx.time.millis;
    tx.xid = xid;
    this.recent.add(xid);
    tx.finalLsn = finalLsn;
    tx.origin = null;
    tx.originLsn = null;
    tx.open = true;
    tx.index = 0;
    tx.lsn = 0;
    tx.messageLsn = null;
    tx.completedBefore = this.filter.begin(finalLsn, xid);
    if (this.metadata !== null && !tx.completedBefore) this.beginTransaction(this.metadata);
  }

  private beginTransaction(metadata: TransactionMetadata): void {
    const { tx, rows, messageLsn } = this;
    // Its BEGIN was emitted before a restart, perhaps as the last record.
    if (metadata.continues(tx.xid)) return;
    metadata.begin(tx);
    rows.lastOffset = this.members.add(this.unprocessed('BEGIN', messageLsn));
    rows.out.push(metadata.beginRecord(tx, messageLsn, rows.lastOffset));
  }

  /** Offset of a message in a transaction that is no change: what was processed before stays. */
  private unprocessed(messageType: string, lsn: Lsn): SourceOffset {
    const { commit, processed } = this.at;
    return {
      lsn,
      ...(commit !== null && { lsn_commit: commit }),
      ...(processed !== null && { lsn_proc: processed }),
      messageType,
      ts_usec: this.tx.time.micros,
      txId: this.tx.xid,
    };
  }

  /** @param lsn end of the commit record */
  protected commit(lsn: Lsn): void {
    const { tx } = this;
    this.counts.settle(tx.xid);
    tx.open = false;
    this.deferred = null;
    this.filter.commit();
    if (tx.completedBefore) return;
    this.completed(lsn);
    if (this.metadata !== null) this.endTransaction(this.metadata, lsn);
  }

  private endTransaction(metadata: TransactionMetadata, lsn: Lsn): void {
    const { tx, rows } = this;
    rows.lastOffset = this.members.add(this.unprocessed('COMMIT', lsn));
    rows.out.push(metadata.endRecord(tx, lsn, rows.lastOffset));
    metadata.end();
  }

  /** Emits a logical decoding message, unless its prefix is left out. @param content not kept by the caller */
  protected logicalMessage(isTransactional: boolean, prefix: string, content: Buffer, lsn: Lsn): void {
    if (isTransactional) this.transactionalMessage(prefix, content, lsn);
    else this.otherMessage(prefix, content, lsn);
  }

  private transactionalMessage(prefix: string, content: Buffer, lsn: Lsn): void {
    const { tx, at, rows, messages } = this;
    if (tx.completedBefore) return;
    if (this.filter.skipsMessage(lsn)) {
      tx.messageLsn = lsn;
      return;
    }
    // First, so that no offset covers a message that cannot be published.
    const value = messages.captures(prefix) ? messages.contentOf(prefix, content) : null;
    at.xid = tx.xid;
    at.index = tx.index;
    at.sameLsnDone = null;
    at.messageType = null;
    if (value !== null) {
      const transaction = this.metadata?.event(tx, messages.collection, lsn) ?? null;
      rows.lastOffset = rows.offsetOf({
        ...this.unprocessed('MESSAGE', lsn),
        lsn_proc: lsn,
        tx_event_index: tx.index,
      });
      rows.out.push(messages.record(prefix, value, tx, lsn, at.commit, transaction, rows.lastOffset));
    }
    at.lsn = lsn;
    at.processed = lsn;
    at.messageDone = true;
    tx.messageLsn = lsn;
  }

  /** A message outside of transactions: everything that was committed before it has arrived. */
  private otherMessage(prefix: string, content: Buffer, lsn: Lsn): void {
    const { tx, at, rows, messages, members } = this;
    // Sent again because the stream starts at a prepared transaction.
    if (at.commit !== null && lsn <= at.commit) return;
    const value = messages.captures(prefix) ? messages.contentOf(prefix, content) : null;
    // Otherwise an offset would lose how far a transaction was emitted.
    const isBetween = !tx.open && !this.filter.pending;
    if (isBetween) this.completed(lsn);
    if (value === null) return;
    const { time } = this.outside;
    time.setMicros(Date.now() * 1000);
    if (isBetween)
      rows.lastOffset = members.add({
        lsn,
        lsn_commit: lsn,
        lsn_proc: lsn,
        messageType: 'MESSAGE',
        ts_usec: time.micros,
      });
    this.outside.xmin = tx.xmin;
    rows.out.push(messages.record(prefix, value, this.outside, lsn, at.commit, null, rows.lastOffset));
  }

  unreadUntil(lsn: Lsn | null): void {
    this.at.unreadUntil = lsn;
    this.members.unreadUntil = lsn;
  }

  /** Transactions whose commit record starts before `lsn` are done. */
  private completed(lsn: Lsn): void {
    const { at } = this;
    if (at.unreadUntil !== null && lsn > at.unreadUntil) this.unreadUntil(null);
    at.lsn = lsn;
    at.processed = lsn;
    at.commit = lsn;
    at.xid = this.tx.xid;
    at.index = null;
    at.sameLsnDone = null;
    at.messageType = 'COMMIT';
    at.messageDone = false;
  }

  /** Emits a change unless it was emitted before a restart. False when `prepare` must run first. */
  protected change(buffer: Buffer, at: number, end: number, lsn: Lsn): boolean {
    const { tx } = this;
    if (tx.completedBefore) return true;
    const { deferred } = this;
    if (deferred !== null) {
      const { bytes } = deferred;
      // This offset does not distinguish rows that share a position: repeat them all rather than lose one.
      if (deferred.lsn === lsn && !this.emitted(bytes, 0, bytes.length, lsn)) return false;
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
    if (this.emitted(buffer, at, end, lsn)) return true;
    tx.index--;
    tx.sameLsn--;
    return false;
  }

  /** With `event.processing.failure.handling.mode`, a change that cannot be published is left out. */
  private emitOrSkip(buffer: Buffer, at: number, end: number, lsn: Lsn): boolean {
    const { rows } = this;
    const mark = rows.out.length;
    const { lastOffset } = rows;
    const { filtered, unchanged } = this.counts;
    this.metadata?.mark();
    try {
      if (this.emit(buffer, at, end, lsn)) return true;
      this.counts.filtered = filtered;
      this.counts.unchanged = unchanged;
      return false;
    } catch (error) {
      this.metadata?.undo();
      rows.discard(mark, lastOffset);
      const mode = this.processingFailures;
      if (mode === 'fail' || !isConnectError(error) || !UNPUBLISHABLE.has(error.code)) throw error;
      const message = `A change at ${formatLsn(lsn)} is not published, because of event.processing.failure.handling.mode=${mode}: ${error.message}`;
      if (mode === 'warn') this.logger.warn(message);
      else this.logger.debug(message);
      this.counts.erroneous++;
      this.discard(mark);
      rows.lastOffset = lastOffset;
      rows.forget();
      this.rowContext.nullInRequired = null;
      this.advance(lsn);
      return true;
    }
  }

  private emitted(buffer: Buffer, at: number, end: number, lsn: Lsn): boolean {
    if (!this.emitOrSkip(buffer, at, end, lsn)) return false;
    this.rows.notify();
    return true;
  }

  protected advance(lsn: Lsn): void {
    const { at, tx } = this;
    at.lsn = lsn;
    at.processed = lsn;
    at.xid = tx.xid;
    at.index = tx.index;
    at.sameLsnDone = null;
    at.messageType = null;
    at.messageDone = tx.messageLsn === lsn;
  }

  /**
   * Discards the records from `mark` on when their row contradicts the definition of its table.
   * @param lastOffset the offset before them
   */
  protected contradiction(mark: number, lastOffset: SourceOffset): Contradiction | null {
    const label = this.relations.enumLabels.unlisted;
    const field = this.rowContext.nullInRequired;
    if (label === null && field === null) return null;
    this.rowContext.nullInRequired = null;
    this.discard(mark);
    // Otherwise the first record decoded again would carry the offset of the whole event, and a crash after it would
    // lose the rest.
    this.rows.lastOffset = lastOffset;
    this.metadata?.undo();
    return { nullColumn: field?.column ?? null };
  }

  /** Removes the records from `mark` on, of one change that is decoded again or left out. */
  private discard(mark: number): void {
    const { out } = this.rows;
    for (let i = mark; i < out.length; i++) {
      const value = out[i]?.value;
      if (!isRawRow(value)) this.counts.undo(value as Struct | null);
      else this.counts.undoOf((value.shape as RowShape).counts, (value.shape as RowShape).op);
    }
    out.length = mark;
  }
}
