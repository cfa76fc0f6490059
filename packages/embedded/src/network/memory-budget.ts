/**
 * Limits the memory that all connections together use for incomplete requests and unread responses. When it is
 * exceeded, the connection that uses the most is evicted, so that it cannot starve the others.
 */

export class MemoryBudget {
  private used = 0;
  private readonly shares = new Set<MemoryShare>();

  /** @param limit bytes. */
  constructor(readonly limit: number) {}

  /** @param evict must release the memory */
  share(evict: () => void): MemoryShare {
    const share: MemoryShare = new MemoryShare((bytes) => this.change(share, bytes), evict);
    this.shares.add(share);
    return share;
  }

  private change(share: MemoryShare, bytes: number): void {
    this.used += bytes;
    if (share.closed) this.shares.delete(share);
    while (this.used > this.limit) {
      const [largest] = [...this.shares].sort((a, b) => b.bytes - a.bytes);
      if (!largest || largest.bytes === 0) return;
      largest.close();
      largest.evict();
    }
  }
}

export class MemoryShare {
  bytes = 0;
  closed = false;

  constructor(
    private readonly onChange: (bytes: number) => void,
    readonly evict: () => void,
  ) {}

  /** @param bytes negative to release */
  add(bytes: number): void {
    if (this.closed) return;
    this.bytes += bytes;
    this.onChange(bytes);
  }

  /** Releases everything; later calls of `add` have no effect. */
  close(): void {
    if (this.closed) return;
    const { bytes } = this;
    this.bytes = 0;
    this.closed = true;
    this.onChange(-bytes);
  }
}
