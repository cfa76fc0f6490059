/** Standby status update (cdc-postgres §5.1). */
import type { Lsn } from '../database/lsn';

/** Milliseconds from 1970 to 2000. */
const PG_EPOCH_MS = 946_684_800_000;

/**
 * Positions are sent without the "+ 1" that some clients add: they are ends of commit records, so already the first
 * byte that is not needed. One more would skip a transaction whose commit record starts exactly there.
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
