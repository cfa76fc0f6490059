/**
 * Room for more than this is made only as the bytes arrive: what a broker announces may never come. Most answers are
 * smaller. A larger one (`max.partition.fetch.bytes` is 1 MiB for each of its partitions) is copied as its room grows.
 */
const BELIEVED_BYTES = 2 * 1024 * 1024;

/**
 * Cuts the byte stream of a connection into messages: a four byte size, then the message. A message inside one chunk is
 * a view on it; one that spans chunks is copied into a buffer of its own, once as long as it is of a common size.
 */
export class FrameAssembler {
  private head: Buffer | null = null;
  private frame: Buffer | null = null;
  private size = 0;
  private filled = 0;

  /** @param maxSize of a message; a larger one is a sign that the peer does not speak Kafka's protocol */
  constructor(public maxSize: number) {}

  /** Throws RangeError for an impossible size; the stream is of no use after that. */
  push(chunk: Buffer, onFrame: (frame: Buffer) => void): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.frame !== null) {
        const taken = Math.min(rest.length, this.size - this.filled);
        const room = this.roomFor(this.frame, this.filled + taken);
        rest.copy(room, this.filled, 0, taken);
        this.filled += taken;
        rest = rest.subarray(taken);
        if (this.filled < this.size) return;
        const frame = room;
        this.frame = null;
        onFrame(frame);
        continue;
      }
      if (this.head !== null) {
        rest = Buffer.concat([this.head, rest]);
        this.head = null;
      }
      if (rest.length < 4) {
        this.head = rest;
        return;
      }
      const size = rest.readInt32BE(0);
      if (size < 4 || size > this.maxSize) throw new RangeError(`a message of ${size} bytes was announced`);
      if (rest.length >= 4 + size) {
        onFrame(rest.subarray(4, 4 + size));
        rest = rest.subarray(4 + size);
      } else {
        this.size = size;
        this.frame = Buffer.allocUnsafeSlow(Math.min(size, Math.max(BELIEVED_BYTES, rest.length)));
        this.filled = rest.copy(this.frame, 0, 4);
        return;
      }
    }
  }

  private roomFor(frame: Buffer, needed: number): Buffer {
    if (needed <= frame.length) return frame;
    const grown = Buffer.allocUnsafeSlow(Math.min(this.size, Math.max(needed, frame.length * 4)));
    frame.copy(grown, 0, 0, this.filled);
    this.frame = grown;
    return grown;
  }
}
