/**
 * The memory that a connection is read into, in segments of many messages. Where messages are done with in order, their
 * segments are read into again: memory that is left to the garbage collector grows by tens of megabytes under a fast
 * stream, because it outlives its use by many reads. No I/O.
 */

const SEGMENT_BYTES = 128 * 1024;
/** A segment with less room is left, so that reads stay large. */
const LEAST_ROOM = 32 * 1024;
/** Kept for the next messages. */
const MAX_FREE = 16;

export class ReadSegments {
  /** The segment that is read into. What it has received of an incomplete message is between `begin` and `end`. */
  bytes: Buffer = Buffer.allocUnsafeSlow(SEGMENT_BYTES);
  begin = 0;
  end = 0;
  /** Segments before it whose messages may be in use, oldest first. */
  private used: Buffer[] = [];
  private readonly free: Buffer[] = [];

  /** @param reuses false: each segment is left to the garbage collector */
  constructor(private readonly reuses: boolean) {}

  /** Never empty after `reserve`. */
  get room(): Buffer {
    return this.bytes.subarray(this.end);
  }

  /** Makes room for the whole incomplete message, which has `size` bytes. */
  reserve(size: number): void {
    const { bytes, begin, end } = this;
    if (begin + size <= bytes.length && (begin === 0 || bytes.length - end >= LEAST_ROOM)) return;
    const next = size > SEGMENT_BYTES ? Buffer.allocUnsafeSlow(size) : this.take();
    bytes.copy(next, 0, begin, end);
    if (this.reuses) this.used.push(bytes);
    this.bytes = next;
    this.begin = 0;
    this.end = end - begin;
  }

  /** Nothing refers any more to messages before `oldest`, which is the segment of the oldest one; null: to any. */
  doneBefore(oldest: Buffer | null): void {
    const { used, free } = this;
    const done = oldest === null || oldest === this.bytes ? used.length : Math.max(0, used.indexOf(oldest));
    for (const segment of used.splice(0, done))
      if (segment.length === SEGMENT_BYTES && free.length < MAX_FREE) free.push(segment);
  }

  private take(): Buffer {
    return this.free.pop() ?? Buffer.allocUnsafeSlow(SEGMENT_BYTES);
  }
}
