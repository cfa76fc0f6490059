/**
 * Cuts the byte stream of a connection into messages: a four byte size, then the message. A message inside one chunk is a view on it; one
 * that spans chunks is copied once into a buffer of its own, however many chunks it takes.
 */
export class FrameAssembler {
  private head: Buffer | null = null;
  private frame: Buffer | null = null;
  private filled = 0;

  /** @param maxSize of a message; a larger one is a sign that the peer does not speak Kafka's protocol */
  constructor(private readonly maxSize: number) {}

  /** Throws RangeError for an impossible size; the stream is of no use after that. */
  push(chunk: Buffer, onFrame: (frame: Buffer) => void): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.frame !== null) {
        const taken = Math.min(rest.length, this.frame.length - this.filled);
        rest.copy(this.frame, this.filled, 0, taken);
        this.filled += taken;
        rest = rest.subarray(taken);
        if (this.filled < this.frame.length) return;
        const frame = this.frame;
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
        this.frame = Buffer.allocUnsafeSlow(size);
        this.filled = rest.copy(this.frame, 0, 4);
        return;
      }
    }
  }
}
