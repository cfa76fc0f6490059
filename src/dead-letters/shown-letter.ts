/** A dead letter as text, bounded. Control characters stay: whoever displays the text escapes them. Pure. */
import type { ConsumerRecord } from '@millrace/kafka-client';
import { bytesText } from '../records/bytes-text';
import { failureOf, originalHeaders, type Failure } from './failure-of';

export interface ShownLetter {
  readonly partition: number;
  readonly offset: string;
  /** Milliseconds since the epoch; null: the record has no timestamp. */
  readonly at: number | null;
  readonly failure: {
    readonly stage: string | null;
    readonly errorClass: string | null;
    readonly message: string | null;
    readonly task: number | null;
  };
  /** Null: the headers do not say. */
  readonly origin: { readonly topic: string; readonly partition: number; readonly offset: string } | null;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  readonly key: string | null;
  readonly value: string | null;
}

/** Characters. */
const LONGEST_TEXT = 4_096;
const MAX_HEADER_BYTES = 1_024;
const MAX_HEADERS = 50;

export function shownLetter(partition: number, record: ConsumerRecord): ShownLetter {
  const failure = failureOf(record.headers);
  const task = failure.task !== null && /^\d{1,9}$/.test(failure.task) ? Number(failure.task) : null;
  return {
    partition,
    offset: String(record.offset),
    at: record.timestamp < 0 ? null : record.timestamp,
    failure: {
      stage: bounded(failure.stage),
      errorClass: bounded(failure.exception),
      message: bounded(failure.message),
      task,
    },
    origin: originOf(failure),
    headers: originalHeaders(record.headers)
      .slice(0, MAX_HEADERS)
      .map(({ key, value }) => ({
        key: key.slice(0, MAX_HEADER_BYTES),
        value: bytesText(value, MAX_HEADER_BYTES) ?? '',
      })),
    key: bytesText(record.key),
    value: bytesText(record.value),
  };
}

function originOf({ topic, partition, offset }: Failure): ShownLetter['origin'] {
  if (topic === null || partition === null || offset === null) return null;
  return { topic, partition, offset: String(offset) };
}

function bounded(text: string | null): string | null {
  return text === null || text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}
