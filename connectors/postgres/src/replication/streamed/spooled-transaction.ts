/** Change messages of a transaction that has not committed, in a spill file. */
import { lsn, type Lsn } from '../../database/lsn';
import { XLOG_HEADER } from '../replication-messages';
import { numberAnnouncement } from './announced-relations';
import { SpillFile } from './spill-file';
import { isLater, SubtransactionStarts } from './subtransaction-starts';

/** Size of the message and id of its transaction, before each message. */
const FRAME_HEADER = 8;
const PIECE_BYTES = 256 * 1024;

const MESSAGE = 0x4d; // M
const CHANGES = new Set([...'IUDTM'].map((type) => type.charCodeAt(0)));
/** Origin: the only message of a streamed segment without a transaction id. */
const ORIGIN = 0x4f;

export class SpooledTransaction {
  private readonly spill: SpillFile;
  /** Tables whose announcement it contains; maintained for those that are not streamed. */
  readonly announced = new Set<number>();
  private firstAt = Infinity;
  private firstLsn: Lsn = 0;
  /** Of the last logical message. */
  private messageAt = -1;

  constructor(
    readonly xid: number,
    folder: string,
    private readonly starts = new SubtransactionStarts(),
  ) {
    this.spill = new SpillFile(folder);
  }

  /** LSN of the first change; null while there is none. */
  get first(): Lsn | null {
    return this.firstAt === Infinity ? null : this.firstLsn;
  }
  get isFull(): boolean {
    return this.spill.isFull;
  }
  get buffered(): number {
    return this.spill.buffered;
  }

  /**
   * Appends an XLogData message.
   * @param streamed whether the id of its (sub)transaction follows the type; it is left out, so that the message is one
   * of protocol 1
   * @param announcement number of an announcement
   */
  append(buffer: Buffer, start: number, end: number, streamed: boolean, announcement: number | null = null): void {
    const body = start + XLOG_HEADER;
    const type = buffer[body] as number;
    const hasXid = streamed && type !== ORIGIN;
    const xid = hasXid ? buffer.readUInt32BE(body + 1) : this.xid;
    const size = end - start - (hasXid ? 4 : 0);
    const position = this.spill.size;
    const frame = this.spill.append(FRAME_HEADER + size);
    frame.buffer.writeUInt32BE(size, frame.at);
    frame.buffer.writeUInt32BE(xid, frame.at + 4);
    const to = frame.at + FRAME_HEADER;
    if (hasXid) {
      buffer.copy(frame.buffer, to, start, body + 1);
      buffer.copy(frame.buffer, to + XLOG_HEADER + 1, body + 5, end);
    } else buffer.copy(frame.buffer, to, start, end);
    if (announcement !== null) numberAnnouncement(frame.buffer, to, announcement);
    if (xid !== this.xid) this.starts.note(xid, position);
    if (type === MESSAGE) this.messageAt = position;
    if (this.firstAt === Infinity && CHANGES.has(type)) {
      this.firstAt = position;
      this.firstLsn = lsnOf(buffer, start);
    }
  }

  async flush(): Promise<void> {
    await this.spill.flush();
  }

  /** Drops the changes of a subtransaction that was rolled back. */
  async rollBack(subxid: number): Promise<void> {
    const from = this.starts.from(subxid);
    if (from === null) return;
    const at = from.exact ? from.at : await this.firstOf(subxid, from.at);
    const kept = this.messageAt < at ? null : await this.messageBefore(subxid, at);
    this.spill.truncate(at);
    this.starts.truncate(at);
    if (at <= this.firstAt) this.firstAt = Infinity;
    if (kept !== null) this.append(kept, 0, kept.length, false);
  }

  /**
   * The message that precedes the change at `from` in the WAL, if the server sent it later: it sorts subtransactions by
   * LSN, which the two share, because that of a message is the end of its record.
   */
  private async messageBefore(subxid: number, from: number): Promise<Buffer | null> {
    const frames = this.frames(from);
    let first: Lsn | null = null;
    while (frames.peek() || (await frames.fill())) {
      const { buffer, start, end, xid } = frames;
      const type = buffer[start + XLOG_HEADER] as number;
      if (CHANGES.has(type)) {
        first ??= lsnOf(buffer, start);
        if (lsnOf(buffer, start) !== first) return null;
        if (type === MESSAGE && xid !== subxid && !isLater(xid, subxid))
          return Buffer.from(buffer.subarray(start, end));
      }
      frames.shift();
    }
    return null;
  }

  private async firstOf(subxid: number, from: number): Promise<number> {
    const frames = this.frames(from);
    while (frames.peek() || (await frames.fill())) {
      if (frames.xid === subxid || isLater(frames.xid, subxid)) return frames.position;
      frames.shift();
    }
    return this.spill.size;
  }

  /** Reads from `position` on, while nothing is appended. */
  frames(position = 0): FrameReader {
    return new FrameReader(this.spill, position);
  }

  async close(): Promise<void> {
    await this.spill.close();
  }
}

/** Reads frames in pieces of bounded size; only a message that is larger makes a larger one. */
export class FrameReader {
  buffer: Buffer = EMPTY;
  start = 0;
  end = 0;
  xid = 0;
  private filled = 0;
  private at = 0;

  /** @param next position of the first byte after `buffer` */
  constructor(
    private readonly spill: SpillFile,
    private next: number,
  ) {}

  /** Position of the frame that `peek` found. */
  get position(): number {
    return this.next - this.filled + this.at;
  }

  /** Whether a complete frame is in memory: message between `start` and `end` of `buffer`. */
  peek(): boolean {
    const { buffer, at, filled } = this;
    if (filled - at < FRAME_HEADER) return false;
    const end = at + FRAME_HEADER + buffer.readUInt32BE(at);
    if (end > filled) return false;
    this.xid = buffer.readUInt32BE(at + 4);
    this.start = at + FRAME_HEADER;
    this.end = end;
    return true;
  }

  /** Visits the complete frames in memory, that of `peek` first. */
  forEach(visit: (buffer: Buffer, start: number) => void): void {
    const { buffer, filled } = this;
    for (let at = this.at; filled - at >= FRAME_HEADER;) {
      const end = at + FRAME_HEADER + buffer.readUInt32BE(at);
      if (end > filled) return;
      visit(buffer, at + FRAME_HEADER);
      at = end;
    }
  }

  /** Removes the frame that `peek` found. */
  shift(): void {
    this.at = this.end;
  }

  /** Reads until a frame is complete; false at the end. Call when `peek` has found none. */
  async fill(): Promise<boolean> {
    // Another buffer each time, because what was decoded may refer to the last one.
    const left = this.filled - this.at;
    const needed = left >= FRAME_HEADER ? FRAME_HEADER + this.buffer.readUInt32BE(this.at) : 0;
    const piece = Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, needed));
    this.buffer.copy(piece, 0, this.at, this.filled);
    this.buffer = piece;
    this.at = 0;
    this.filled = left;
    do {
      const bytes = await this.spill.read(this.next, piece.subarray(this.filled));
      if (bytes === 0) return false;
      this.filled += bytes;
      this.next += bytes;
      if (this.peek()) return true;
    } while (this.filled < piece.length);
    return await this.fill();
  }
}

const EMPTY = Buffer.alloc(0);

/** @param start of an XLogData message */
function lsnOf(buffer: Buffer, start: number): Lsn {
  return lsn(buffer.readUInt32BE(start + 1), buffer.readUInt32BE(start + 5));
}
