/**
 * Ids of the transactions that the stream has passed last. A commit is in the stream before it is visible to queries:
 * for a moment, or with synchronous replication for as long as a standby takes.
 */
export class RecentTransactions {
  private readonly ids: Uint32Array;
  private next = 0;

  constructor(size = 1024) {
    this.ids = new Uint32Array(size);
  }

  add(xid: number): void {
    this.ids[this.next] = xid;
    this.next = (this.next + 1) % this.ids.length;
  }

  /** Those until now. */
  copy(): ReadonlySet<number> {
    const ids = new Set(this.ids);
    ids.delete(0);
    return ids;
  }
}

/** Which transactions a snapshot contains. Where it is unknown, neither is true. */
export interface Visibility {
  misses(xid: number): boolean;
  contains(xid: number): boolean;
}

/** @param inRecovery of servers in recovery the snapshot does not list the transactions that were in progress */
export function visibility(snapshot: string, inRecovery: boolean): Visibility {
  const isMissed = misses(snapshot);
  if (!inRecovery) return { misses: isMissed, contains: (xid) => !isMissed(xid) };
  const first = Number(BigInt(snapshot.split(':')[0] as string) & 0xffffffffn);
  return { misses: isMissed, contains: (xid) => (xid - first) >>> 0 >= 0x80000000 };
}

/**
 * Whether a snapshot does not contain the transaction, because it was in progress or had not begun. Ids of the stream
 * have no epoch, so they are compared modulo 2^32.
 * @param snapshot `pg_current_snapshot()` as text: `xmin:xmax:id,id,…`
 */
export function misses(snapshot: string): (xid: number) => boolean {
  const [, xmax = '0', list = ''] = snapshot.split(':');
  const withoutEpoch = (id: string): number => Number(BigInt(id) & 0xffffffffn);
  const end = withoutEpoch(xmax);
  const inProgress = new Set(list === '' ? [] : list.split(',').map(withoutEpoch));
  return (xid) => inProgress.has(xid) || (xid - end) >>> 0 < 0x80000000;
}
