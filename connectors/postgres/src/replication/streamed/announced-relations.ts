/**
 * The last announcement of each table, so that a transaction that is passed on later than it was sent neither uses a
 * newer one than its own, nor leaves its own in force when a newer one was sent since.
 */
import { XLOG_HEADER } from '../replication-messages';

interface Announcement {
  /** In the order in which the server sent them. */
  readonly number: number;
  /** The message. */
  readonly bytes: Buffer;
}

/** In the XLogData header, instead of the end of the WAL, which nothing reads. */
const NUMBER_AT = 13;

export class AnnouncedRelations {
  private readonly latest = new Map<number, Announcement>();
  /** Of the transaction that is being passed on. */
  private readonly replayed = new Map<number, Announcement>();
  private count = 0;

  /** Numbers the announcement that the server sent next. */
  next(): number {
    return ++this.count;
  }

  /** An announcement that is in force from now on. */
  announced(number: number, buffer: Buffer, start: number, end: number): void {
    this.latest.set(relationOf(buffer, start), { number, bytes: Buffer.from(buffer.subarray(start, end)) });
  }

  /** The announcement in force. */
  of(oid: number): Announcement | undefined {
    return this.latest.get(oid);
  }

  /** Whether the announcement in a transaction that is passed on is the one in force. */
  isInForce(buffer: Buffer, start: number): boolean {
    const oid = relationOf(buffer, start);
    const number = buffer.readUInt32BE(start + NUMBER_AT);
    return (this.replayed.get(oid) ?? this.latest.get(oid))?.number === number;
  }

  /** An announcement of the transaction that is passed on. */
  replay(buffer: Buffer, start: number, end: number): void {
    const bytes = Buffer.from(buffer.subarray(start, end));
    this.replayed.set(relationOf(buffer, start), { number: buffer.readUInt32BE(start + NUMBER_AT), bytes });
  }

  /** Ends the transaction: its announcements stay in force, except those returned, which were sent after them. */
  restored(): Buffer[] {
    const newer: Buffer[] = [];
    for (const [oid, announcement] of this.replayed) {
      const latest = this.latest.get(oid);
      if (latest !== undefined && latest.number > announcement.number) newer.push(latest.bytes);
      else this.latest.set(oid, announcement);
    }
    this.replayed.clear();
    return newer;
  }
}

/** Marks the copy of an announcement at `start` of `buffer` with its number. */
export function numberAnnouncement(buffer: Buffer, start: number, number: number): void {
  buffer.writeUInt32BE(number, start + NUMBER_AT);
}

function relationOf(buffer: Buffer, start: number): number {
  return buffer.readUInt32BE(start + XLOG_HEADER + 1);
}
