/** Begin and Commit of protocol 1 for a transaction that the server sent in another way (cdc-postgres §5.5). */
import type { Lsn } from '../../database/lsn';
import { XLOG_DATA, XLOG_HEADER } from '../replication-stream';

function xlogData(lsn: Lsn, body: number): Buffer {
  const message = Buffer.alloc(XLOG_HEADER + body);
  message[0] = XLOG_DATA;
  message.writeBigUInt64BE(BigInt(lsn), 1);
  return message;
}

/**
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

/** @param at of commit LSN, end LSN and commit time in `buffer` */
export function commitMessage(lsn: Lsn, buffer: Buffer, at: number): Buffer {
  const message = xlogData(lsn, 26);
  message[XLOG_HEADER] = 0x43; // C
  buffer.copy(message, XLOG_HEADER + 2, at, at + 24);
  return message;
}
