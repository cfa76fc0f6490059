/** What a source task has made of the records whose first steps it has taken: see `takeProcessing` of the SDK. */
import {
  ConnectError,
  isProcessingFailure,
  type ProcessedSourceRecord,
  type ProcessingFailure,
  type SourceBatchCheck,
  type SourceRecord,
} from '@millrace/sdk';
import type { ErrorPolicy } from '../errors/error-policy';
import { recoverProcessing } from '../errors/processing-recovery';

type Failure = ProcessingFailure<ProcessedSourceRecord>;

export class SourceOutcomes {
  constructor(
    private readonly policy: ErrorPolicy,
    private readonly check: SourceBatchCheck,
    private readonly owner: string,
  ) {}

  /** The record for the rest of the way; null: filtered or skipped. A promise only after a failure. */
  take(polled: SourceRecord): SourceRecord | null | Promise<SourceRecord | null> {
    const { outcome } = polled as ProcessedSourceRecord;
    if (outcome === null) return polled;
    if (outcome === 'filtered') return null;
    return this.recover(this.failureOf(polled as ProcessedSourceRecord) as Failure, polled);
  }

  private async recover(failure: Failure, polled: SourceRecord): Promise<SourceRecord | null> {
    const failureOf = (record: ProcessedSourceRecord): Failure | null => {
      this.check.check([record]);
      return this.failureOf(record);
    };
    const recovered = await recoverProcessing(failure, this.policy, failureOf, { source: polled });
    return recovered === null || recovered.result.outcome === 'filtered' ? null : recovered.result;
  }

  private failureOf({ outcome, topic }: ProcessedSourceRecord): Failure | null {
    if (outcome === null || outcome === 'filtered') return null;
    if (isProcessingFailure(outcome)) return outcome;
    throw new ConnectError(
      `poll() of ${this.owner} returned an invalid record: its "outcome" is neither null, "filtered" nor a ProcessingFailure.`,
      { code: 'SOURCE_RECORD_INVALID', place: { topic: String(topic) } },
    );
  }
}
