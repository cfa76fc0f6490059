/**
 * Tracks the committable offset of a partition whose files are delivered in any order. Pure. Source: analytics-sink
 * §4.4.
 */
export interface Range {
  readonly first: number;
  /** The offset after its last record. */
  next: number;
  /** When its first record came, in milliseconds since the epoch. */
  readonly since: number;
  /** Outstanding work for its records: a file to deliver, records to send to the dead letter queue. */
  pending: number;
}

export class OffsetRanges {
  private readonly ranges: Range[] = [];
  private committed: number | null = null;

  /** Starts the range of a file, or of a record that is in no file. */
  begin(offset: number, since: number): Range {
    const range = { first: offset, next: offset + 1, since, pending: 1 };
    this.ranges.push(range);
    return range;
  }

  /** A record that needs no delivery. */
  skip(offset: number): void {
    const last = this.ranges.at(-1);
    if (last) last.next = offset + 1;
    else this.committed = offset + 1;
  }

  /**
   * Call before the worker rewinds: without an offset from this task, the worker would commit the one that it rewinds
   * to. From now on, `committable` returns one.
   */
  hold(): void {
    this.committed ??= this.ranges[0]?.first ?? null;
  }

  /** Forgets a range and those after it, whose records are delivered again. */
  remove(range: Range): void {
    const at = this.ranges.indexOf(range);
    if (at >= 0) this.ranges.splice(at);
  }

  /** When the oldest record that is not done came; Infinity: there is none. */
  oldest(): number {
    return this.ranges.find(({ pending }) => pending > 0)?.since ?? Infinity;
  }

  /** The offset to resume at after a crash: all records before it are done. Null if none is. */
  committable(): number | null {
    while (this.ranges[0]?.pending === 0) this.committed = (this.ranges.shift() as Range).next;
    return this.committed;
  }
}
