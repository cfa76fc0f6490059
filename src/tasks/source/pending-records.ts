/** Records in flight, by a number that serves as delivery token. Numbers are reused. */
import type { SourceRecord } from '@millrace/sdk';

export class PendingRecords {
  private readonly records: (SourceRecord | null)[] = [];
  private readonly slots: number[] = [];
  private readonly free: number[] = [];

  add(record: SourceRecord, slot: number): number {
    const token = this.free.pop() ?? this.records.length;
    this.records[token] = record;
    this.slots[token] = slot;
    return token;
  }

  /** The offset tracker's slot of a record. */
  slot(token: number): number {
    return this.slots[token] as number;
  }

  remove(token: number): SourceRecord | null {
    const record = this.records[token] ?? null;
    this.records[token] = null;
    this.free.push(token);
    return record;
  }
}
