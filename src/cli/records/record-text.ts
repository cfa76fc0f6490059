/** A consumed record as one line for people, or as a JSON object. */
import { type Paint, printable } from '@millrace/cli/terminal';
import type { ConsumerRecord, FetchedBatch } from '@millrace/kafka-client';
import type { RecordReaders } from './readers';

export interface ReadRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** ISO; null if the record has none. */
  readonly timestamp: string | null;
  /** JSON texts. */
  readonly key: string;
  readonly value: string;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
}

/** @throws DataError if a converter cannot read it */
export async function readRecord(
  { topic, partition }: Pick<FetchedBatch, 'topic' | 'partition'>,
  record: ConsumerRecord,
  readers: RecordReaders,
): Promise<ReadRecord> {
  const headers: { readonly key: string; readonly value: string }[] = [];
  for (const { key, value } of record.headers) headers.push({ key, value: await readers.header(topic, key, value) });
  return {
    topic,
    partition,
    offset: record.offset,
    timestamp: isoTime(record.timestamp),
    key: await readers.key(topic, record.key, record.headers),
    value: await readers.value(topic, record.value, record.headers),
    headers,
  };
}

/** A date's range is smaller than that of timestamps. */
function isoTime(timestamp: number): string | null {
  return timestamp >= 0 && timestamp <= 8.64e15 ? new Date(timestamp).toISOString() : null;
}

/** `0:15  2026-01-31T12:00:00.000Z  "key"  {"a":1}`, then the headers, each on a line of its own. */
export function recordLine(record: ReadRecord, paint: Paint, withHeaders: boolean): string {
  const { partition, offset, timestamp, key, value, headers } = record;
  const cells = [
    paint('cyan', `${partition}:${offset}`),
    paint('grey', timestamp ?? '-'),
    printable(key),
    printable(value),
  ];
  const lines = withHeaders
    ? headers.map((header) => `  ${paint('grey', printable(header.key))} ${printable(header.value)}\n`)
    : [];
  return `${cells.join('  ')}\n${lines.join('')}`;
}

/** One line. Keys and values stay as exact as the texts are. */
export function recordJson({ key, value, headers, ...place }: ReadRecord): string {
  const start = JSON.stringify(place).slice(0, -1);
  const list = headers.map((header) => `{"key":${JSON.stringify(header.key)},"value":${header.value}}`);
  return `${start},"key":${key},"value":${value},"headers":[${list.join(',')}]}`;
}
