/** Stored offsets: what they mean and how reading resumes from them (cdc-postgres §6). Pure. */
import type { SourceOffset } from '@millrace/sdk';
import { offsetLsn, type Lsn } from '../database/lsn';
import type { Transaction } from './transaction';
import { readTimeline, type WalTimeline } from './wal-history';

/**
 * Position of a connector in the stream. Only (commit position, ordinal in the transaction) is a total order of
 * changes: rows of concurrent transactions interleave in the WAL, so their LSNs are not.
 */
export interface Position {
  readonly lsn: Lsn;
  /** Last completely processed message. */
  readonly processed: Lsn | null;
  /** End of the last completed transaction. */
  readonly commit: Lsn | null;
  /** Of the transaction that `lsn` lies in. */
  readonly xid: number | null;
  /** Number of change messages of that transaction that are done; absent in offsets written by Debezium. */
  readonly index: number | null;
  /** Debezium 3.7: number of messages sharing `lsn` that are done. */
  readonly sameLsnDone: number | null;
  readonly messageType: string | null;
  /**
   * The logical message at `lsn`, if there is one, is done. The row after it in the WAL has the same LSN, and the
   * server may send either of them first.
   */
  readonly messageDone: boolean;
  /** Begin of the first prepared transaction whose outcome is open: the next stream must start here to receive it. */
  readonly heldAt: Lsn | null;
  /**
   * Up to here, values that a change did not send may be in no earlier event, because a snapshot left the row to the
   * stream; null: nowhere.
   */
  readonly unreadUntil: Lsn | null;
  /** The WAL that `lsn` lies in; null: unknown. */
  readonly timeline: WalTimeline | null;
}

/** The member of offsets for `Position.unreadUntil`. */
export const UNREAD_MEMBER = 'snapshot_unread_until';
/** The member of the offsets of rows for `Position.messageDone`; absent: false. */
const MESSAGE_MEMBER = 'tx_message_done';

export type StoredOffset =
  | { readonly kind: 'none' }
  /**
   * A snapshot was running. Streaming continues at `lsn`, which precedes every change made since its first row was
   * read.
   */
  | { readonly kind: 'snapshot'; readonly lsn: Lsn; readonly timeline: WalTimeline | null }
  | { readonly kind: 'position'; readonly position: Position };

const isTrue = (value: unknown): boolean => value === true || value === 'true';

/** Loading rules of §6.3; unknown members are ignored. */
export function readOffset(offset: SourceOffset | null): StoredOffset {
  const lsn = offset === null ? null : offsetLsn(offset.lsn);
  if (offset === null || lsn === null) return { kind: 'none' };
  const { snapshot } = offset;
  // INCREMENTAL marks rows of an ad-hoc snapshot amid streaming, BLOCKING a pause in it.
  // With event.format=1.2, earlier versions wrote `true` for a blocking one, too, beside the position in the stream.
  const initial =
    (isTrue(snapshot) && offset.tx_event_index === undefined) ||
    (typeof snapshot === 'string' && snapshot.toUpperCase() === 'INITIAL');
  if (initial && !isTrue(offset.last_snapshot_record) && !isTrue(offset.snapshot_completed))
    return { kind: 'snapshot', lsn, timeline: readTimeline(offset) };
  return {
    kind: 'position',
    position: {
      lsn,
      processed: offsetLsn(offset.lsn_proc),
      commit: offsetLsn(offset.lsn_commit),
      xid: integer(offset.txId),
      index: integer(offset.tx_event_index),
      sameLsnDone: integer(offset.lsn_events_processed),
      messageType: typeof offset.messageType === 'string' ? offset.messageType : null,
      messageDone: offset.messageType === 'MESSAGE' || isTrue(offset[MESSAGE_MEMBER]),
      heldAt: offsetLsn(offset.prepared_lsn),
      unreadUntil: offsetLsn(offset[UNREAD_MEMBER]),
      timeline: readTimeline(offset),
    },
  };
}

/**
 * The offset of a change. This connector resumes by `tx_event_index`; Debezium 3.7 ignores it and uses the rest.
 * @param sameLsn how many changes at this position are done
 */
export function streamedOffset(
  messageType: string,
  lsn: Lsn,
  commit: Lsn | null,
  sameLsn: number,
  tx: Pick<Transaction, 'time' | 'xid' | 'index' | 'messageLsn' | 'timeline'>,
): SourceOffset {
  // Two literals instead of a spread, because every change creates one.
  const offset: Record<string, SourceOffset[string]> =
    commit === null
      ? {
          lsn,
          lsn_events_processed: sameLsn,
          lsn_proc: lsn,
          messageType,
          ts_usec: tx.time.micros,
          txId: tx.xid,
          tx_event_index: tx.index,
          wal_timeline: tx.timeline as string,
        }
      : {
          lsn,
          lsn_commit: commit,
          lsn_events_processed: sameLsn,
          lsn_proc: lsn,
          messageType,
          ts_usec: tx.time.micros,
          txId: tx.xid,
          tx_event_index: tx.index,
          wal_timeline: tx.timeline as string,
        };
  if (tx.messageLsn === lsn) offset[MESSAGE_MEMBER] = true;
  return offset;
}

/** A position between transactions: all later commits are streamed. */
export function positionAt(lsn: Lsn, unreadUntil: Lsn | null = null): Position {
  return {
    lsn,
    processed: null,
    commit: null,
    xid: null,
    index: null,
    sameLsnDone: null,
    messageType: null,
    messageDone: false,
    heldAt: null,
    unreadUntil,
    timeline: null,
  };
}

function integer(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) ? value : null;
}

export function startLsn({ commit, processed, lsn, heldAt }: Position): Lsn {
  const start = commit ?? processed ?? lsn;
  return heldAt !== null && heldAt < start ? heldAt : start;
}

/** The last WAL that was read. */
export function reachedLsn({ commit, processed, lsn }: Position): Lsn {
  let last = lsn;
  if (processed !== null && processed > last) last = processed;
  if (commit !== null && commit > last) last = commit;
  return last;
}

/** What may be confirmed to the server once this offset is stored; null: nothing. */
export function flushLsn(offset: SourceOffset): Lsn | null {
  const stored = readOffset(offset);
  return stored.kind === 'position' ? startLsn(stored.position) : null;
}

type ResumeDecision = 'emit' | 'skip' | 'defer';

/**
 * Decides which change messages were emitted before the restart. `defer`: undecided until the next message (offsets of
 * Debezium up to 3.6, where rows of one WAL record share a position).
 */
export class ResumeFilter {
  /** No further messages are skipped. */
  private done: boolean;
  private inTransaction = false;
  private sameLsnSeen = 0;

  constructor(private readonly position: Position) {
    // An offset without processed messages is the end of a snapshot. One of a commit, or of a message outside of
    // transactions, lies between transactions. The next one may take long to arrive: servers from 15 on skip those
    // without published changes.
    const { processed, messageType, xid } = position;
    this.done = processed === null || messageType === 'COMMIT' || (messageType === 'MESSAGE' && xid === null);
  }

  /** The transaction of the position has not arrived yet. */
  get pending(): boolean {
    return !this.done;
  }

  /** @param finalLsn begin of the commit record; returns true when the whole transaction was completed before */
  begin(finalLsn: Lsn, xid: number): boolean {
    this.inTransaction = false;
    const { commit, messageType } = this.position;
    // The stored position is the end of a commit record, so a record that starts before it is the same one or an
    // earlier one.
    if (commit !== null && finalLsn < commit) return true;
    if (this.done) return false;
    // A transaction that committed before the position is another one with the same id.
    if (xid !== this.position.xid || messageType === 'BEGIN' || finalLsn < this.position.lsn) {
      this.done = true;
      return false;
    }
    this.inTransaction = true;
    return false;
  }

  /** @param index ordinal of the message in its transaction, from 1 */
  change(lsn: Lsn, index: number): ResumeDecision {
    if (this.done || !this.inTransaction) return 'emit';
    const { index: doneIndex, processed, sameLsnDone, messageType } = this.position;
    if (doneIndex !== null) {
      if (index <= doneIndex && lsn <= this.position.lsn) return 'skip';
      this.done = true;
      return 'emit';
    }
    const last = processed as Lsn;
    if (lsn < last) return 'skip';
    // A message has the position of the row after it, and none of a row before it.
    const isMessage = messageType === 'MESSAGE' && last === this.position.lsn;
    if (lsn > last || isMessage) {
      this.done = true;
      return 'emit';
    }
    this.sameLsnSeen++;
    if (sameLsnDone !== null && sameLsnDone > 0) return this.sameLsnSeen <= sameLsnDone ? 'skip' : 'emit';
    if (this.sameLsnSeen === 1) return 'defer';
    this.done = true;
    return 'emit';
  }

  /**
   * Whether a logical message of the current transaction was emitted before; no two have the same position. After the
   * row at its position as well, because the server may have changed their order.
   */
  skipsMessage(lsn: Lsn): boolean {
    const { position } = this;
    return this.inTransaction && (lsn < position.lsn || (lsn === position.lsn && position.messageDone));
  }

  commit(): void {
    if (this.inTransaction) this.done = true;
    this.inTransaction = false;
  }
}
