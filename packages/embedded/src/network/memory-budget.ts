/**
 * What all connections together may hold: requests that have not arrived whole and responses that have not been taken.
 * Whoever holds most of it goes first, so that those who ask for too much do not keep out those who ask for little.
 */

export class MemoryBudget {
  private used = 0;
  private readonly shares = new Set<MemoryShare>();

  /** @param limit bytes. */
  constructor(readonly limit: number) {}

  /** @param giveUp must let go of what is held. */
  share(giveUp: () => void): MemoryShare {
    const share: MemoryShare = new MemoryShare((bytes) => this.change(share, bytes), giveUp);
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
      largest.giveUp();
    }
  }
}

export class MemoryShare {
  bytes = 0;
  closed = false;

  constructor(
    private readonly changed: (bytes: number) => void,
    readonly giveUp: () => void,
  ) {}

  /** @param bytes more; fewer when negative. */
  hold(bytes: number): void {
    if (this.closed) return;
    this.bytes += bytes;
    this.changed(bytes);
  }

  /** Nothing is held any more, nor will be. */
  close(): void {
    if (this.closed) return;
    const { bytes } = this;
    this.bytes = 0;
    this.closed = true;
    this.changed(-bytes);
  }
}
