/** What the headers of a dead letter say. Source: connect-runtime §5.8. */
import type { RecordHeader } from '@millrace/kafka-client';

const CONTEXT_PREFIX = '__connect.errors.';

/** Texts of the headers; absent ones are null. */
export interface Failure {
  /** Where the record was consumed. */
  readonly topic: string | null;
  readonly partition: number | null;
  readonly offset: number | null;
  readonly connector: string | null;
  readonly task: string | null;
  /** Part of the runtime that failed, e.g. `VALUE_CONVERTER`. */
  readonly stage: string | null;
  readonly className: string | null;
  readonly exception: string | null;
  readonly message: string | null;
  readonly stacktrace: string | null;
}

/** The last of equal headers counts: a record that failed again has those of both failures. */
export function failureOf(headers: readonly RecordHeader[]): Failure {
  const texts = new Map<string, string | null>();
  for (const { key, value } of headers)
    if (key.startsWith(CONTEXT_PREFIX))
      texts.set(key.slice(CONTEXT_PREFIX.length), value === null ? null : Buffer.from(value).toString());
  const text = (name: string): string | null => texts.get(name) ?? null;
  return {
    topic: text('topic'),
    partition: wholeNumber(text('partition')),
    offset: wholeNumber(text('offset')),
    connector: text('connector.name'),
    task: text('task.id'),
    stage: text('stage'),
    className: text('class.name'),
    exception: text('exception.class.name'),
    message: text('exception.message'),
    stacktrace: text('exception.stacktrace'),
  };
}

/** The headers that the record had before it failed. */
export function originalHeaders(headers: readonly RecordHeader[]): RecordHeader[] {
  return headers.filter(({ key }) => !key.startsWith(CONTEXT_PREFIX));
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
