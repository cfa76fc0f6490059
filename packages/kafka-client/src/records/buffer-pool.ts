/**
 * Reuses the memory of sent batches, to avoid allocations and garbage collection in a busy producer. Sizes are powers
 * of two; buffers beyond `maxIdleBytes` are left to the garbage collector, those of other sizes than the newest first:
 * otherwise the buffers of a burst would keep out the ones of the present load.
 */
export class BufferPool {
  private readonly idle = new Map<number, Buffer[]>();
  private idleSize = 0;

  constructor(private readonly maxIdleBytes: number) {}

  get idleBytes(): number {
    return this.idleSize;
  }

  /** A buffer of at least `bytes`, with arbitrary contents. */
  acquire(bytes: number): Buffer {
    const size = 2 ** Math.ceil(Math.log2(Math.max(bytes, 1024)));
    const reused = this.idle.get(size)?.pop();
    if (reused === undefined) return Buffer.allocUnsafeSlow(size);
    this.idleSize -= size;
    return reused;
  }

  /** Only for buffers from `acquire` that are no longer read, by sockets either. */
  release(buffer: Buffer): void {
    if (buffer.length > this.maxIdleBytes) return;
    while (this.idleSize + buffer.length > this.maxIdleBytes) if (!this.dropOther(buffer.length)) return;
    this.idleSize += buffer.length;
    const list = this.idle.get(buffer.length);
    if (list) list.push(buffer);
    else this.idle.set(buffer.length, [buffer]);
  }

  /** @returns false if there are no idle buffers of another size. */
  private dropOther(size: number): boolean {
    for (const [other, buffers] of this.idle) {
      if (other === size || buffers.pop() === undefined) continue;
      this.idleSize -= other;
      return true;
    }
    return false;
  }
}
