/** Transactions of an exactly-once task in memory: a record's offset is stored when its transaction ends. */
import type { SourceRecord } from '../record';
import { TransactionRequests } from '../transaction';

export interface MemoryTransaction {
  readonly records: readonly SourceRecord[];
  /** `aborted`: consumers that read committed records do not see them. `open`: the task stopped or crashed before. */
  readonly outcome: 'committed' | 'aborted' | 'open';
}

export class MemoryTransactions {
  readonly ended: MemoryTransaction[] = [];
  /** Null unless the connector defines the transactions. */
  readonly context: TransactionRequests | null;
  private open: SourceRecord[] = [];

  /** @param onEnd stores the offsets of the records, also of aborted ones. */
  constructor(
    boundary: 'poll' | 'connector',
    private readonly onEnd: (records: readonly SourceRecord[]) => Promise<void>,
  ) {
    this.context = boundary === 'connector' ? new TransactionRequests() : null;
  }

  get isOpen(): boolean {
    return this.open.length > 0;
  }

  /** @param limit the task crashes after this many records. @returns false: it has crashed. */
  async add(batch: readonly SourceRecord[], limit: number): Promise<boolean> {
    for (const [at, record] of batch.entries()) {
      if (at >= limit) return false;
      this.open.push(record);
      await this.end(this.context?.takeForRecord(record) ?? null);
    }
    await this.end(this.context === null ? 'commit' : this.context.takeForBatch());
    return true;
  }

  all(): MemoryTransaction[] {
    return this.isOpen ? [...this.ended, { records: this.open, outcome: 'open' }] : this.ended;
  }

  private async end(request: 'commit' | 'abort' | null): Promise<void> {
    if (request === null || !this.isOpen) return;
    const records = this.open;
    this.open = [];
    this.ended.push({ records, outcome: request === 'commit' ? 'committed' : 'aborted' });
    await this.onEnd(records);
  }
}
