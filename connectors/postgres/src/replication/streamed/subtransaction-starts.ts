/**
 * Where the changes of each subtransaction begin, so that a rollback to a savepoint can cut them off. Transaction ids
 * are assigned in order, and a rolled back subtransaction is the last one that is running: its changes and those of the
 * subtransactions within it are everything from the first change with its id or a later one on.
 */

/** Entries kept; beyond that, every second one is dropped. */
const MAX_ENTRIES = 16 * 1024;

export class SubtransactionStarts {
  private readonly xids: number[] = [];
  private readonly starts: number[] = [];
  private thinned = false;

  constructor(private readonly maxEntries = MAX_ENTRIES) {}

  /** @param at begin of a change of `xid`, after all changes noted before */
  note(xid: number, at: number): void {
    const { xids, starts } = this;
    const last = xids.length - 1;
    if (last >= 0 && !isLater(xid, xids[last] as number)) return;
    if (xids.length >= this.maxEntries) {
      this.thinned = true;
      halve(xids);
      halve(starts);
    }
    xids.push(xid);
    starts.push(at);
  }

  /**
   * Where to look for the first change with the id `xid` or a later one. `exact`: it begins there. Null: no change has
   * such an id.
   */
  from(xid: number): { readonly at: number; readonly exact: boolean } | null {
    const { xids, starts } = this;
    let first = xids.length;
    while (first > 0 && !isLater(xid, xids[first - 1] as number)) first--;
    if (!this.thinned) return first === xids.length ? null : { at: starts[first] as number, exact: true };
    return { at: first === 0 ? 0 : (starts[first - 1] as number), exact: false };
  }

  /** Forgets what begins at `at` or later. */
  truncate(at: number): void {
    const { xids, starts } = this;
    while (starts.length > 0 && (starts[starts.length - 1] as number) >= at) {
      starts.pop();
      xids.pop();
    }
  }
}

/** Transaction ids are 32 bits wide and wrap around. */
export function isLater(xid: number, than: number): boolean {
  return ((xid - than) | 0) > 0;
}

function halve(list: number[]): void {
  const kept = list.filter((_, i) => i % 2 === 0);
  list.length = 0;
  for (const value of kept) list.push(value);
}
