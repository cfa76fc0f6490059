/**
 * Prepared transactions whose outcome is open. The server sends their changes at PREPARE TRANSACTION only, and again
 * only to a stream that starts before it. So no position after the first of them may be confirmed.
 */
import type { Lsn } from '../../database/lsn';

export class PreparedTransactions {
  private readonly open = new Map<number, Lsn>();
  /** As `open` was before this stream; applies until the stream has sent those transactions again. */
  private before: Lsn | null;
  private held: Lsn | null;

  /**
   * @param resumedAt end of the last transaction completed before this stream
   * @param heldAt where this stream starts because of transactions prepared before `resumedAt`
   */
  constructor(
    private readonly resumedAt: Lsn | null,
    heldAt: Lsn | null,
    private readonly onHeld: (at: Lsn | null) => void,
  ) {
    this.before = heldAt;
    this.held = heldAt;
  }

  /** The position at which the next stream must start at the latest; null: none is open. */
  get heldAt(): Lsn | null {
    return this.held;
  }

  /** Whether a transaction that was committed at `finalLsn` was completed before this stream. */
  isBefore(finalLsn: Lsn): boolean {
    return this.resumedAt !== null && finalLsn < this.resumedAt;
  }

  /** @param at LSN of PREPARE TRANSACTION */
  add(xid: number, at: Lsn): void {
    this.open.set(xid, at);
    this.update();
  }

  /** The transaction was committed and passed on, or rolled back. */
  ended(xid: number): void {
    if (this.open.delete(xid)) this.update();
  }

  /** The stream, which is in the order of the WAL, has reached `at`. */
  reached(at: Lsn): void {
    if (this.before === null || (this.resumedAt !== null && at < this.resumedAt)) return;
    this.before = null;
    this.update();
  }

  private update(): void {
    let { before: first } = this;
    for (const at of this.open.values()) if (first === null || at < first) first = at;
    if (first === this.held) return;
    this.held = first;
    this.onHeld(first);
  }
}
