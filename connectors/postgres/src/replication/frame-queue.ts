/**
 * Queue of raw protocol messages between socket and decoder. Rows are queued as received bytes, so the byte limit of
 * the queue bounds its memory; they are decoded when the worker polls.
 */
export class FrameQueue<Tag> {
  private segments: Segment<Tag>[] = [];
  private head = 0;
  private queuedBytes = 0;
  private queuedMessages = 0;

  /**
   * The message that `peek` found: body between `start` and `end` of `buffer`. Never keep a reference to the buffer.
   */
  buffer: Buffer = EMPTY;
  start = 0;
  end = 0;
  tag: Tag | null = null;

  get bytes(): number {
    return this.queuedBytes;
  }
  get messages(): number {
    return this.queuedMessages;
  }

  /** The buffer of the oldest message; null: it is empty. */
  get oldest(): Buffer | null {
    return this.segments[this.head]?.buffer ?? null;
  }

  /** `count` complete messages with their headers, back to back. */
  push(buffer: Buffer, start: number, end: number, count: number, tag: Tag): void {
    this.segments.push({ buffer, at: start, end, tag });
    this.queuedBytes += end - start;
    this.queuedMessages += count;
  }

  peek(): boolean {
    const segment = this.segments[this.head];
    if (segment === undefined) return false;
    this.buffer = segment.buffer;
    this.start = segment.at + HEADER;
    this.end = segment.at + 1 + segment.buffer.readUInt32BE(segment.at + 1);
    this.tag = segment.tag;
    return true;
  }

  /** Removes the message that `peek` found. */
  shift(): void {
    const segment = this.segments[this.head] as Segment<Tag>;
    this.queuedBytes -= this.end - segment.at;
    this.queuedMessages--;
    segment.at = this.end;
    if (segment.at < segment.end) return;
    this.head++;
    if (this.head > 64 || this.head === this.segments.length) {
      this.segments = this.segments.slice(this.head);
      this.head = 0;
    }
    this.buffer = EMPTY;
  }

  /**
   * Visits every message in order, starting with that of `peek`, without removing any. `start` is where its body
   * begins.
   */
  forEach(visit: (buffer: Buffer, start: number) => void): void {
    for (let i = this.head; i < this.segments.length; i++) {
      const { buffer, at, end } = this.segments[i] as Segment<Tag>;
      for (let from = at; from < end; from += 1 + buffer.readUInt32BE(from + 1)) visit(buffer, from + HEADER);
    }
  }

  clear(): void {
    this.segments = [];
    this.head = 0;
    this.queuedBytes = 0;
    this.queuedMessages = 0;
    this.buffer = EMPTY;
  }
}

interface Segment<Tag> {
  readonly buffer: Buffer;
  at: number;
  readonly end: number;
  readonly tag: Tag;
}

/** Type byte and length. */
export const HEADER = 5;
const EMPTY = Buffer.alloc(0);
