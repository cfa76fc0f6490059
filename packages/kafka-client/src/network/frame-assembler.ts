/**
 * Initial buffer for a message that announces a larger size. It grows as bytes arrive, since a faulty broker may never
 * send them. Most responses are smaller (`max.partition.fetch.bytes` is 1 MiB per partition).
 */
const INITIAL_BYTES = 2 * 1024 * 1024;

/**
 * Splits the byte stream of a connection into messages: a size of four bytes, then the message. A message inside one
 * chunk is a view on it; a message that spans chunks is copied into a buffer of its own.
 */
export class FrameAssembler {
  private head: Buffer | null = null;
  private frame: Buffer | null = null;
  private size = 0;
  private filled = 0;

  /** @param maxSize of a message; a larger size means that the peer does not use Kafka's protocol. */
  constructor(public maxSize: number) {}

  /** Throws RangeError for an impossible size; the connection must be closed then. */
  push(chunk: Buffer, onFrame: (frame: Buffer) => void): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.frame !== null) {
        const copied = Math.min(rest.length, this.size - this.filled);
        const room = this.grow(this.frame, this.filled + copied);
        rest.copy(room, this.filled, 0, copied);
        this.filled += copied;
        rest = rest.subarray(copied);
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
        this.frame = Buffer.allocUnsafeSlow(Math.min(size, Math.max(INITIAL_BYTES, rest.length)));
        this.filled = rest.copy(this.frame, 0, 4);
        return;
      }
    }
  }

  private grow(frame: Buffer, needed: number): Buffer {
    if (needed <= frame.length) return frame;
    const grown = Buffer.allocUnsafeSlow(Math.min(this.size, Math.max(needed, frame.length * 4)));
    frame.copy(grown, 0, 0, this.filled);
    this.frame = grown;
    return grown;
  }
}
