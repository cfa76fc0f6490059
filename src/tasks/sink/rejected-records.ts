/**
 * Records that `put` rejects one at a time. They are reported once the task has accepted a later record, or at the end
 * of their batch if it has accepted others of it: otherwise the target system may be unavailable rather than the record
 * invalid. Commits do not pass an unreported record.
 */
import { ConnectError, messageOf, RetriableError, type SinkRecord, type TopicPartition } from '@millrace/sdk';
import type { Hold, OffsetHolds } from '../errors/offset-holds';
import { isWorthRestarting, quotedSentence } from '../trace';
import type { ErrantRecords } from './errant-records';
import { includes } from './sink-offsets';

/** More in a row fail the task. They are redelivered after its restart, as many as are not reported yet. */
export const MAX_REJECTED_IN_A_ROW = 10;

interface Rejected {
  readonly record: SinkRecord;
  readonly error: unknown;
  readonly hold: Hold;
}

export class RejectedRecords {
  private unreported: Rejected[] = [];
  private inARow = 0;
  /** The task has accepted a part of the rejected batch. */
  private acceptsOthers = false;

  constructor(
    private readonly errants: ErrantRecords,
    private readonly holds: OffsetHolds,
    /** False: a reported record is dropped. */
    private readonly hasDeadLetters: boolean,
    private readonly connector: string,
  ) {}

  /** `put` has rejected a batch. */
  onBatchRejected(): void {
    this.acceptsOthers = false;
  }

  add(record: SinkRecord, error: unknown): void {
    const { originalTopic: topic, originalPartition: partition, originalOffset: offset } = record;
    this.inARow++;
    this.unreported.push({ record, error, hold: this.holds.add({ topic, partition, record: { offset } }) });
  }

  /** Why the task must fail; null: it need not. */
  get failure(): ConnectError | null {
    const last = this.unreported.at(-1);
    if (this.inARow <= MAX_REJECTED_IN_A_ROW || last === undefined) return null;
    const { error, record } = last;
    const message =
      `put() has rejected ${this.inARow} records in a row, one at a time, the last one with: ${quotedSentence(messageOf(error), this.connector)} ` +
      'Check whether the target system is available and the settings fit it; if the records are invalid, skip them with an offset change.';
    const place = { topic: record.originalTopic, partition: record.originalPartition, offset: record.originalOffset };
    const options = { code: 'PUT_REJECTS_ALL', cause: error, place };
    return isWorthRestarting(error) ? new RetriableError(message, options) : new ConnectError(message, options);
  }

  /** The task has accepted a record. */
  onAccepted(): void {
    this.acceptsOthers = true;
    if (this.inARow === 0) return;
    this.inARow = 0;
    this.report();
  }

  /** A dead letter can be put again if the record proves valid, so it need not wait for other records. */
  onBatchEnd(): void {
    if (this.hasDeadLetters || this.acceptsOthers) this.report();
  }

  /** They are delivered again, and count again if `put` rejects them again. */
  forget(partitions: readonly TopicPartition[]): void {
    const gone = this.unreported.filter(({ hold }) => includes(partitions, hold));
    for (const { hold } of gone) this.holds.release(hold);
    this.inARow -= gone.length;
    this.unreported = this.unreported.filter((rejected) => !gone.includes(rejected));
  }

  private report(): void {
    for (const { record, error, hold } of this.unreported.splice(0)) {
      // The dead letter has a hold of its own from here on.
      this.errants.reportRejected(record, error);
      this.holds.release(hold);
    }
  }
}
