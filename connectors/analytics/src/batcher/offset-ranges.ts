/**
 * How far a partition is delivered, although its files are delivered in any order. Pure. Source: analytics-sink §4.4.
 */
export interface Range {
  readonly first: number;
  /** The offset behind its last record. */
  next: number;
  /** What must still be done for its records: a file to be delivered, a record to be dead-lettered. */
  pending: number;
}

export class OffsetRanges {
  private readonly ranges: Range[] = [];
  private committed: number | null = null;

  /** Begins the range of a file, or of a record that is set aside on its own. */
  begin(offset: number): Range {
    const range = { first: offset, next: offset + 1, pending: 1 };
    this.ranges.push(range);
    return range;
  }

  /** A record that needs nothing more: skipped or dropped. */
  skip(offset: number): void {
    const last = this.ranges.at(-1);
    if (last) last.next = offset + 1;
    else this.committed = offset + 1;
  }

  /**
   * To be called before the worker is asked to go back: it takes the offset that it goes back to for one that is
   * committed, unless it is told of another. From now on there is one.
   */
  hold(): void {
    this.committed ??= this.ranges[0]?.first ?? null;
  }

  /** The records of a range come again. */
  remove(range: Range): void {
    const at = this.ranges.indexOf(range);
    if (at >= 0) this.ranges.splice(at);
  }

  /** The offset to continue at after a crash: everything before it is done. Null: nothing is. */
  committable(): number | null {
    while (this.ranges[0]?.pending === 0) this.committed = (this.ranges.shift() as Range).next;
    return this.committed;
  }
}
