/**
 * Splits received bytes into Kafka's frames, each of which has its length before it. Chunks are joined once a frame is
 * complete: joining them as they arrive takes seconds for some megabytes.
 */
export class Frames {
  private chunks: Buffer[] = [];
  private size = 0;
  private awaited = 4;

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
  }

  /** The content of the next frame; null while it is incomplete. */
  next(): Buffer | null {
    if (this.size < this.awaited) return null;
    const [first] = this.chunks;
    const received = this.chunks.length === 1 ? (first as Buffer) : Buffer.concat(this.chunks);
    const end = 4 + received.readInt32BE(0);
    this.chunks = [received];
    this.awaited = end;
    if (this.size < end) return null;
    this.chunks = [received.subarray(end)];
    this.size -= end;
    this.awaited = 4;
    return received.subarray(4, end);
  }
}
