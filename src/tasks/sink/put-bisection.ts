/**
 * Finds the records that make `put` fail: which part of a batch to put next, and what its outcome shows. Parts are put
 * in the order of the batch, and each accepted record once. Pure.
 *
 * One failing record of n costs at most ceil(log2 n) + 1 calls after the one that failed, the call that delivers the
 * rest included. A record counts as failing if each of at least two calls that contained it failed; if a call for the
 * records after it fails as well, it is put alone before that is decided.
 */

/** Records `from` to `to` (excluded) of those that are left. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

/** What is known about the first `records` records that are left. They are then no longer left. */
export interface Finding {
  readonly records: number;
  /** Why the first of them fails; null: all are delivered. */
  readonly rejection: { readonly error: unknown } | null;
}

const NOTHING: Finding = { records: 0, rejection: null };

export class PutBisection {
  /** One of this many records from the first on fails. */
  private failing: number;
  /** The first record has failed alone. */
  private alone: boolean;
  /** The call for all records after the first has failed, too, for this reason. */
  private restFailed: { readonly error: unknown } | null = null;

  /**
   * @param left number of records that are left
   * @param error of the call for all of them
   */
  constructor(
    private left: number,
    private error: unknown,
  ) {
    this.failing = left;
    this.alone = false;
  }

  /** True: nothing is left. */
  get finished(): boolean {
    return this.left === 0;
  }

  /** What to put next. */
  next(): Part {
    if (this.failing > 1) return { from: 0, to: this.failing >> 1 };
    if (this.left === 1 || this.restFailed !== null) return { from: 0, to: 1 };
    return { from: 1, to: this.left };
  }

  /** The task accepted the part. */
  accepted(): Finding {
    const { from, to } = this.next();
    if (from === 1) return this.take(to, { error: this.error });
    if (this.failing === 1) return this.takeFirst(null);
    this.failing -= to;
    return this.take(to, null);
  }

  /** The task rejected the part. */
  rejected(error: unknown): Finding {
    const { from, to } = this.next();
    if (from === 1) {
      this.restFailed = { error };
      return this.alone ? this.takeFirst({ error: this.error }) : NOTHING;
    }
    this.error = error;
    if (this.failing === 1) return this.takeFirst({ error });
    this.failing = to;
    this.alone = to === 1;
    return NOTHING;
  }

  /** The first record is decided. If others are left, the last call for all of them has failed. */
  private takeFirst(rejection: Finding['rejection']): Finding {
    const finding = this.take(1, rejection);
    this.failing = this.left;
    this.alone = false;
    if (this.restFailed !== null) this.error = this.restFailed.error;
    this.restFailed = null;
    return finding;
  }

  private take(records: number, rejection: Finding['rejection']): Finding {
    this.left -= records;
    return { records, rejection };
  }
}
