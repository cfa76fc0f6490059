/** The record that became a dead letter, as it was consumed. Pure. */
import type { ConsumerRecord, ProducerRecord } from '@millrace/kafka-client';
import { originalHeaders } from './failure-of';

export interface ReplayTarget {
  readonly topic: string;
  /** Null: by the key. */
  readonly partition: number | null;
}

/** With key, value, timestamp and headers as they were, for the target. */
export function originalRecord(letter: ConsumerRecord, { topic, partition }: ReplayTarget): ProducerRecord {
  return {
    ...{ topic, partition },
    key: letter.key,
    value: letter.value,
    headers: originalHeaders(letter.headers),
    timestamp: letter.timestamp < 0 ? null : letter.timestamp,
  };
}
