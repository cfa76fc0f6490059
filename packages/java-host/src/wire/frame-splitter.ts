import { MAX_FRAME } from './frame';
import { ProtocolError } from './protocol-error';

/** Splits received bytes into frames. What arrives in parts is joined once, when the frame is complete. */
export class FrameSplitter {
  private chunks: Buffer[] = [];
  private size = 0;
  /** Of the frame that is being received, with its length; 0: its length is not here yet. */
  private awaited = 0;

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
  }

  /** The next frame without its length; null while it is incomplete. Throws ProtocolError. */
  next(): Buffer | null {
    if (this.awaited === 0 && this.size >= 4) this.awaited = 4 + this.readLength();
    const { awaited } = this;
    if (awaited === 0 || this.size < awaited) return null;
    const received = this.joined();
    this.chunks = received.length === awaited ? [] : [received.subarray(awaited)];
    this.size -= awaited;
    this.awaited = 0;
    return received.subarray(4, awaited);
  }

  private readLength(): number {
    const first = this.chunks[0] as Buffer;
    const length = (first.length >= 4 ? first : this.joined()).readInt32BE(0);
    if (length < 0 || length > MAX_FRAME) throw new ProtocolError(`its length is ${length}, not 0 to ${MAX_FRAME}`);
    return length;
  }

  private joined(): Buffer {
    if (this.chunks.length === 1) return this.chunks[0] as Buffer;
    const joined = Buffer.concat(this.chunks, this.size);
    this.chunks = [joined];
    return joined;
  }
}
