/** Open and aborted transactions of one partition, for the last stable offset and readers of committed records. */
import type { BatchInfo, TransactionIndex } from '../ports';

interface AbortedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
  /** Of the marker. */
  readonly lastOffset: number;
}

export class PartitionTransactions implements TransactionIndex {
  /** Producer id → first offset; the oldest transaction first, since offsets only grow. */
  private readonly open = new Map<number, number>();
  /** In the order of their markers. */
  private aborted: AbortedTransaction[] = [];

  appended({ producerId, baseOffset, lastOffset, transactional, marker }: BatchInfo): void {
    const firstOffset = this.open.get(producerId);
    if (marker !== null) {
      this.open.delete(producerId);
      // A transaction may end without having written here.
      if (marker === 'abort' && firstOffset !== undefined) this.aborted.push({ producerId, firstOffset, lastOffset });
    } else if (transactional && firstOffset === undefined) {
      this.open.set(producerId, baseOffset);
    }
  }

  firstOpenOffset(): number | null {
    return this.open.values().next().value ?? null;
  }

  openSince(producerId: number): number | null {
    return this.open.get(producerId) ?? null;
  }

  abortedBetween(from: number, to: number): { producerId: number; firstOffset: number }[] {
    const found = [];
    for (let i = this.firstEndingAtOrAfter(from); i < this.aborted.length; i++) {
      const { producerId, firstOffset } = this.aborted[i] as AbortedTransaction;
      if (firstOffset < to) found.push({ producerId, firstOffset });
    }
    return found.sort((a, b) => a.firstOffset - b.firstOffset);
  }

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
