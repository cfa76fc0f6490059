/** Where a previewed source task's records go instead of Kafka. */
import type { SourceRecord } from '@millrace/sdk';
import type { ProducerRecord } from '@millrace/kafka-client';

export interface PreviewFailure {
  readonly stage: string;
  /** Of the transformation or converter. */
  readonly className: string;
  readonly error: unknown;
}

export interface SourcePreview {
  /**
   * @param record as Kafka would receive it; its bytes are valid during the call only
   * @param polled the record before transformations, with its partition and offset
   */
  onRecord(record: ProducerRecord, polled: SourceRecord): void;
  /** A transformation dropped the record, or it failed and the failure is tolerated. */
  onSkipped(polled: SourceRecord): void;
  /** A record cannot be transformed or converted. Followed by `onSkipped` if that is tolerated. */
  onFailure(failure: PreviewFailure): void;
  /** Null: the next record may follow. */
  whenReady(): Promise<void> | null;
}
