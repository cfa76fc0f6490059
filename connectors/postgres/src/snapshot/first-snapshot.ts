/** The snapshot of the first attempt: which row versions a later attempt must leave to the stream. Pure. */

export interface FirstSnapshot {
  /** Every earlier transaction has ended. */
  readonly xmin: bigint;
  /** This transaction and later ones are not in the snapshot. */
  readonly xmax: bigint;
  /** Those between them that are not in it either, with their subtransactions. */
  readonly running: readonly bigint[];
}

/** `XMIN:XMAX:XID,XID…`, as PostgreSQL writes snapshots. Null for any other text. */
export function parseSnapshot(text: string): FirstSnapshot | null {
  const [, xmin, xmax, running] = /^(\d{1,19}):(\d{1,19}):((?:\d{1,19}(?:,\d{1,19})*)?)$/.exec(text) ?? [];
  if (xmin === undefined || xmax === undefined || running === undefined) return null;
  return { xmin: BigInt(xmin), xmax: BigInt(xmax), running: running === '' ? [] : running.split(',').map(BigInt) };
}

export function formatSnapshot({ xmin, xmax, running }: FirstSnapshot): string {
  return `${xmin}:${xmax}:${running.join(',')}`;
}

/** Rows hold 32 bits of the id of their transaction, which therefore names one transaction only up to here. */
const AMBIGUOUS = 1n << 32n;

/**
 * Whether later snapshots tell rows that changed since the first one from all others. Afterwards a frozen row of an
 * earlier epoch may have the id of a recent transaction.
 * @param xmax of the later snapshot
 */
export function tellsChanges(xmax: bigint): boolean {
  return xmax < AMBIGUOUS;
}

/**
 * Of the row versions that a later snapshot contains, those of earlier transactions are in the first one, too. A
 * transaction that runs in both has changed nothing that either contains. The list of a snapshot names no
 * subtransactions, but their ids are higher than those of their transactions.
 */
export function changedFrom({ xmin, xmax, running }: FirstSnapshot, later: FirstSnapshot): bigint {
  // Snapshots of a standby have no list.
  if (running.length === 0) return xmin;
  const runs = new Set(later.running);
  return running.reduce((oldest, xid) => (xid < oldest && !runs.has(xid) ? xid : oldest), xmax);
}

/** Condition for row versions that the first snapshot contains. @param xmax of the snapshot that reads them */
export function unchangedSince({ xmax: since, running }: FirstSnapshot, xmax: bigint): string {
  const xid = 'xmin::text::int8';
  const known = running.length === 0 ? '' : ` AND ${xid} <> ALL ('{${running.join(',')}}'::int8[])`;
  return `(${xid} < ${since} OR ${xid} >= ${xmax})${known}`;
}
