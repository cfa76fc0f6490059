/**
 * The open and aborted transactions of one partition, for its last stable offset and `read_committed` consumers.
 * Rebuilt from the log on startup, so it needs no file of its own.
 */
import type { BatchInfo } from './batch';

interface AbortedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
  /** Offset of the marker. */
  readonly lastOffset: number;
}

export class TransactionIndex {
  /** Producer id → first offset. Offsets only grow, so the oldest transaction comes first. */
  private readonly open = new Map<number, number>();
  /** Ordered by marker offset. */
  private aborted: AbortedTransaction[] = [];

  /** Called for each batch in offset order, when it is appended and when the log is recovered. */
  onAppend({ producerId, baseOffset, lastOffset, transactional, marker }: BatchInfo): void {
    const firstOffset = this.open.get(producerId);
    if (marker !== null) {
      this.open.delete(producerId);
      // A transaction may end in a partition it never wrote to.
      if (marker === 'abort' && firstOffset !== undefined) this.aborted.push({ producerId, firstOffset, lastOffset });
    } else if (transactional && firstOffset === undefined) {
      this.open.set(producerId, baseOffset);
    }
  }

  /** First offset of the oldest transaction without a marker; null if none is open. */
  firstOpenOffset(): number | null {
    return this.open.values().next().value ?? null;
  }

  /** First offset of the producer's open transaction; null if it has none in this partition. */
  openSince(producerId: number): number | null {
    return this.open.get(producerId) ?? null;
  }

  /** Aborted transactions with a record in [from, to), marker included. */
  abortedBetween(from: number, to: number): { producerId: number; firstOffset: number }[] {
    const found = [];
    for (let i = this.firstEndingAtOrAfter(from); i < this.aborted.length; i++) {
      const { producerId, firstOffset } = this.aborted[i] as AbortedTransaction;
      if (firstOffset < to) found.push({ producerId, firstOffset });
    }
    return found.sort((a, b) => a.firstOffset - b.firstOffset);
  }

  /** Drops transactions that ended before the new log start offset. */
  startsAt(offset: number): void {
    this.aborted = this.aborted.slice(this.firstEndingAtOrAfter(offset));
  }

  private firstEndingAtOrAfter(offset: number): number {
    let low = 0;
    let high = this.aborted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.aborted[middle] as AbortedTransaction).lastOffset < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
