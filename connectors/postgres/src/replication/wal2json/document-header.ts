/** What precedes the changes of a document of format version 1. */
import { parseLsn, type Lsn } from '../../database/lsn';
import { MICROS_PER_DAY, scanTimestamp } from '../../values/calendar';
import { ascii } from '../../values/value-type';
import { CLOSE_OBJECT, malformed, OPEN_ARRAY, OPEN_OBJECT, type JsonCursor } from './json-cursor';

export class DocumentHeader {
  /** Null outside of transactions. */
  xid: number | null = null;
  /** End of the commit record; null if the message does not say. */
  nextLsn: Lsn | null = null;
  /** Commit time since 1970. */
  micros = 0;

  /**
   * Moves the cursor into the array of changes. False, with the cursor where it was, when the object is a change
   * itself.
   */
  read(cursor: JsonCursor): boolean {
    const from = cursor.at;
    this.xid = null;
    this.nextLsn = null;
    this.micros = 0;
    cursor.expect(OPEN_OBJECT);
    do {
      const member = cursor.member();
      if (member === 'kind' || member === 'action') {
        cursor.at = from;
        return false;
      }
      if (member === 'change') {
        cursor.expect(OPEN_ARRAY);
        return true;
      }
      cursor.value();
      if (member === 'xid') this.xid = xidAt(cursor.buffer, cursor.start, cursor.stop);
      else if (member === 'nextlsn') this.nextLsn = lsnAt(cursor.buffer, cursor.start + 1, cursor.stop - 1);
      else if (member === 'timestamp') this.micros = microsAt(cursor.buffer, cursor.start + 1, cursor.stop - 1);
    } while (cursor.more(CLOSE_OBJECT));
    throw malformed('a transaction has no changes');
  }
}

/** Null outside of transactions. */
export function xidAt(buffer: Buffer, at: number, end: number): number | null {
  const text = ascii(buffer, at, end);
  if (text === 'null') return null;
  const xid = Number(text);
  if (!Number.isInteger(xid)) throw malformed('a transaction id is not a number');
  return xid;
}

function lsnAt(buffer: Buffer, at: number, end: number): Lsn {
  const text = ascii(buffer, at, end);
  if (!/^[0-9A-F]{1,8}\/[0-9A-F]{1,8}$/i.test(text)) throw malformed('nextlsn is not a position');
  return parseLsn(text);
}

/** Microseconds since 1970 of a timestamp with time zone. */
export function microsAt(buffer: Buffer, at: number, end: number): number {
  const { days, micros, offsetSeconds } = scanTimestamp(buffer, at, end);
  return days * MICROS_PER_DAY + micros - offsetSeconds * 1_000_000;
}
