/** Messages on a replication connection, as bytes (cdc-postgres §5.1). */
import type { Lsn } from '../database/lsn';

const XLOG_DATA = 0x77; // w
export const KEEPALIVE = 0x6b; // k
/** Bytes before a change message: type, start, end, time. */
export const XLOG_HEADER = 25;

/** Milliseconds from 1970 to 2000. */
const PG_EPOCH_MS = 946_684_800_000;

/**
 * Standby status update. Positions are sent without the "+ 1" that some clients add: they are ends of commit records,
 * so already the first byte that is not needed. One more would skip a transaction whose commit record starts exactly
 * there.
 * @param flushed 0 while nothing is acknowledged, so that the slot does not advance
 */
export function statusUpdate(written: Lsn, flushed: Lsn, nowMs: number, replyNow: boolean): Buffer {
  const message = Buffer.alloc(34);
  message[0] = 0x72; // r
  message.writeBigUInt64BE(BigInt(written), 1);
  message.writeBigUInt64BE(BigInt(flushed), 9);
  message.writeBigUInt64BE(BigInt(flushed), 17);
  message.writeBigInt64BE(BigInt(nowMs - PG_EPOCH_MS) * 1000n, 25);
  message[33] = replyNow ? 1 : 0;
  return message;
}

function xlogData(lsn: Lsn, body: number): Buffer {
  const message = Buffer.alloc(XLOG_HEADER + body);
  message[0] = XLOG_DATA;
  message.writeBigUInt64BE(BigInt(lsn), 1);
  return message;
}

/**
 * Begin of protocol 1, for a transaction that the server sent in another way (cdc-postgres §5.5).
 * @param first LSN of its first change
 * @param at of commit LSN, end LSN and commit time in `buffer`
 */
export function beginMessage(first: Lsn, xid: number, buffer: Buffer, at: number): Buffer {
  const message = xlogData(first, 21);
  message[XLOG_HEADER] = 0x42; // B
  // Final LSN, then the commit time.
  buffer.copy(message, XLOG_HEADER + 1, at, at + 8);
  buffer.copy(message, XLOG_HEADER + 9, at + 16, at + 24);
  message.writeUInt32BE(xid, XLOG_HEADER + 17);
  return message;
}

/** Commit, for the same. @param at of commit LSN, end LSN and commit time in `buffer` */
export function commitMessage(lsn: Lsn, buffer: Buffer, at: number): Buffer {
  const message = xlogData(lsn, 26);
  message[XLOG_HEADER] = 0x43; // C
  buffer.copy(message, XLOG_HEADER + 2, at, at + 24);
  return message;
}
