import type { SourceOffset, SourceRecord } from '@millrace/sdk';
import type { Client } from 'pg';
import type { Lsn } from '../database/lsn';
import type { ArrivedMessages } from './message-source';
import type { ChangeObserver } from './change-observer';
import type { Position } from './position';
import type { RecentTransactions } from './recent-transactions';
import type { WalTimeline } from './wal-history';

/**
 * How far a message was decoded. `all`: the next one is due. `part`: it has filled a batch, so pass it again in the
 * next batch. `blocked`: await `prepare`, then pass it again.
 */
export type Decoded = 'all' | 'part' | 'blocked';

/** Decodes the messages of one output plugin to source records, in the order in which the server sent them. */
export interface StreamDecoder {
  /** Where records go; set before each batch. */
  set out(records: SourceRecord[]);
  /** Call when the batch is complete; until then its records may change. */
  endBatch(): void;
  /** `catalog_xmin` of the slot; null if it is not read. */
  set xmin(xmin: number | null);
  /** The WAL that is decoded from now on. */
  set timeline(timeline: WalTimeline);
  set observer(observer: ChangeObserver | null);
  readonly recent: RecentTransactions;
  /** Offset after everything decoded so far. */
  readonly lastOffset: SourceOffset;
  /**
   * Adds members to all offsets from now on, also to that of the record emitted last. Null: none.
   * @param bare removes the members added before
   */
  shareMembers(members: SourceOffset | null, bare: (offset: SourceOffset) => SourceOffset): void;
  /** Where a new connection resumes. */
  readonly current: Position;
  /** Position up to which everything was decoded. */
  readonly decodedLsn: Lsn;
  /** Resets for a new stream, which starts at `current`. */
  restart(): void;
  /** Makes `current` another position. Call before `restart`. */
  moveTo(position: Position): void;
  /** Decodes one XLogData message (body of a CopyData). */
  message(buffer: Buffer, at: number, end: number): Decoded;
  /** @param queue the messages that have arrived, the blocked one first */
  prepare(connect: () => Promise<Client>, queue: ArrivedMessages): Promise<void>;
  /** Later offsets ask for a stream that starts at `at`, the begin of a prepared transaction; null: none is open. */
  hold(at: Lsn | null): void;
  /** See `Position`. Offsets from now on have it. */
  unreadUntil(lsn: Lsn | null): void;
  /** Offset for a heartbeat. @param idleAt server position up to which everything was delivered */
  heartbeatOffset(idleAt: Lsn | null): SourceOffset;
}
