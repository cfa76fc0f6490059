import type { ConsumedBatch } from '@millrace/sdk';
import type { HostSession } from '../connection/host-session';
import { SinkPartWriter, sizeOf } from './sink-records';

/** What is put in one call: of larger records, a call for each part costs little. Bytes. */
const MOST = 8 * 1024 * 1024;

/** Batches that the host gets before it is told to put them. */
export class AheadRecords {
  private readonly writer = new SinkPartWriter(null);
  private batches: readonly ConsumedBatch[] = [];
  private numbers = { first: 0, end: 0 };

  /** Whether these were sent last. */
  has(batches: readonly ConsumedBatch[]): boolean {
    return isSame(this.batches, batches);
  }

  /**
   * False: there are none, or they are too large.
   * @param first number of the first record
   */
  send(session: HostSession, batches: readonly ConsumedBatch[], first: number): boolean {
    this.batches = [];
    if (batches.length === 0 || sizeOf(batches) > MOST) return false;
    this.batches = batches;
    let end = first;
    for (const batch of batches) end = this.writer.addConsumed(end, batch);
    this.numbers = { first, end };
    session.eventWithBytes('ahead', (out) => {
      out.i64(first);
      this.writer.writeTo(out);
    });
    return true;
  }

  /** Of the records that were sent last: the first one's, and the one after the last. */
  get sent(): { readonly first: number; readonly end: number } {
    return this.numbers;
  }
}

/** The same records, not equal ones. */
function isSame(left: readonly ConsumedBatch[], right: readonly ConsumedBatch[]): boolean {
  if (left.length === 0 || left.length !== right.length) return false;
  return left.every(({ topic, partition, records }, at) => {
    const other = right[at] as ConsumedBatch;
    const isEqual = topic === other.topic && partition === other.partition && records.length === other.records.length;
    return isEqual && records[0] === other.records[0] && records.at(-1) === other.records.at(-1);
  });
}
