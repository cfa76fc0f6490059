/** Collects the records of a previewed task until there are enough. */
import type { SourceRecord } from '@millrace/sdk';
import type { ProducerRecord } from '../../kafka/port';
import type { PreviewFailure, SourcePreview } from '../../tasks/source-preview';
import { shownRecord, type RecordSource, type ShownRecord } from './shown-record';

/** Keys, values and headers of all records together. The record that exceeds it is the last one. */
export const MAX_BYTES = 16 * 1024 * 1024;
const MAX_FAILURES = 5;

export class CollectedRecords implements SourcePreview {
  /** Resolves when no further record is wanted. */
  readonly enough: Promise<void>;
  count = 0;
  /** Polled records that are not shown, with those that failed. */
  skipped = 0;
  failed = 0;
  /** The first ones. */
  readonly failures: PreviewFailure[] = [];
  private bytes = 0;
  private done!: () => void;

  constructor(
    private readonly limit: number,
    private readonly source: RecordSource,
    private readonly onShown: (record: ShownRecord) => void,
    private readonly maxBytes = MAX_BYTES,
  ) {
    this.enough = new Promise((resolve) => (this.done = resolve));
  }

  get isFull(): boolean {
    return this.count >= this.limit || this.isTooLarge;
  }
  get isTooLarge(): boolean {
    return this.bytes > this.maxBytes;
  }

  onRecord(record: ProducerRecord, polled: SourceRecord): void {
    if (this.isFull) return;
    const shown = shownRecord(record, polled, this.source);
    this.count++;
    this.bytes += shown.bytes;
    this.onShown(shown);
    if (this.isFull) this.done();
  }

  onSkipped(): void {
    this.skipped++;
  }

  onFailure(failure: PreviewFailure): void {
    this.failed++;
    if (this.failures.length < MAX_FAILURES) this.failures.push(failure);
  }

  /** The task waits until it is stopped. */
  whenReady(): Promise<void> | null {
    return this.isFull ? new Promise(() => undefined) : null;
  }
}
