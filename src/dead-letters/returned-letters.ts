/**
 * Finds replayed records that failed again: their sink writes another dead letter, which names as its origin the place
 * where the replay wrote the record.
 */
import type { TopicPartitionOffset } from '@millrace/kafka-client';
import { failureOf, type Failure } from './failure-of';
import type { RecordRange, TopicReaders } from '../records/record-ranges';

export interface ReturnedLettersRequest {
  /** The dead letter topic. */
  readonly topic: string;
  /** Its offsets before the replay. */
  readonly before: readonly RecordRange[];
  /** `placeOf` each replayed record. */
  readonly places: ReadonlySet<string>;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/** Of one replay; the places of more are not kept. */
export const MAX_PLACES = 10_000;
const POLL_MS = 500;

export function placeOf({ topic, partition, offset }: TopicPartitionOffset): string {
  return `${topic}-${partition}@${offset}`;
}

/** Failures by place, until all records have come back or the signal is aborted. Throws KafkaError. */
export async function returnedLetters(
  consumer: TopicReaders['consumer'],
  { topic, before, places, signal }: ReturnedLettersRequest,
): Promise<ReadonlyMap<string, Failure>> {
  const returned = new Map<string, Failure>();
  if (places.size === 0) return returned;
  const wake = (): void => consumer.wakeup();
  signal.addEventListener('abort', wake);
  try {
    consumer.assign(before.map(({ partition }) => ({ topic, partition })));
    for (const { partition, end } of before) consumer.seek({ topic, partition, offset: end });
    while (!signal.aborted && returned.size < places.size)
      for (const { records } of await consumer.poll(POLL_MS))
        for (const { headers } of records) {
          const failure = failureOf(headers);
          const { topic: origin, partition, offset } = failure;
          if (origin === null || partition === null || offset === null) continue;
          const place = placeOf({ topic: origin, partition, offset });
          if (places.has(place)) returned.set(place, failure);
        }
  } finally {
    signal.removeEventListener('abort', wake);
  }
  return returned;
}

/** What a person reads: the message, otherwise the class of the exception. */
export function reasonOf({ message, exception }: Failure): string {
  return message ?? exception ?? 'its dead letter does not say why';
}
