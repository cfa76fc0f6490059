/** A record as `millrace preview` shows it. Pure. */
import type { SourceRecord } from '@millrace/sdk';
import { quote } from '../../../json/quote';
import type { ProducerRecord, RecordHeader } from '@millrace/kafka-client';
import { isJsonObject, readJson, writeJson } from '../../../storage/connect-json';
import {
  type PartitionOrder,
  readOffsetKey,
  writeOffsetKey,
  writeOffsetValue,
} from '../../../storage/offsets/offset-keys';

/** Bytes in the form that shows them best. */
type ShownBytes =
  | { readonly kind: 'null' }
  /** An object or array: its text, on one line. */
  | { readonly kind: 'json'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'base64'; readonly text: string };

export interface ShownRecord {
  readonly topic: string;
  /** Null: the key determines it when the record is written. */
  readonly partition: number | null;
  /** Milliseconds; null: the time at which it is written. */
  readonly timestamp: number | null;
  readonly key: ShownBytes;
  readonly value: ShownBytes;
  readonly headers: readonly { readonly key: string; readonly value: ShownBytes }[];
  /** JSON texts, as in the offsets topic. */
  readonly sourcePartition: string;
  readonly sourceOffset: string;
  /** Of key, value and headers. */
  readonly bytes: number;
}

export interface RecordSource {
  readonly connector: string;
  readonly partitionOrder: PartitionOrder;
}

/** Copies the bytes. @throws DataError for a source partition or offset that cannot be stored */
export function shownRecord(
  { topic, partition, key, value, headers, timestamp }: ProducerRecord,
  polled: SourceRecord,
  source: RecordSource,
): ShownRecord {
  const list: readonly RecordHeader[] = headers ?? [];
  return {
    topic,
    partition: partition ?? null,
    timestamp: timestamp ?? null,
    key: shownBytes(key),
    value: shownBytes(value),
    headers: list.map((header) => ({ key: header.key, value: shownBytes(header.value) })),
    sourcePartition: partitionText(polled, source),
    sourceOffset: writeOffsetValue(polled.sourceOffset)?.toString() ?? 'null',
    bytes: list.reduce(
      (sum, header) => sum + header.key.length + (header.value?.length ?? 0),
      (key?.length ?? 0) + (value?.length ?? 0),
    ),
  };
}

/** With JSON texts of parts that are in another format. */
export function withTexts(record: ShownRecord, texts: Readonly<Record<'key' | 'value', string | null>>): ShownRecord {
  const shown = (text: string | null, bytes: ShownBytes): ShownBytes =>
    text === null ? bytes : { kind: 'json', text };
  return { ...record, key: shown(texts.key, record.key), value: shown(texts.value, record.value) };
}

function partitionText({ sourcePartition }: SourceRecord, { connector, partitionOrder }: RecordSource): string {
  const partition = readOffsetKey(writeOffsetKey(connector, sourcePartition, partitionOrder))?.partition;
  return writeJson(partition ?? null);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function shownBytes(bytes: Uint8Array | null): ShownBytes {
  if (bytes === null) return { kind: 'null' };
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    return { kind: 'base64', text: Buffer.from(bytes).toString('base64') };
  }
  if (!/^\s*[[{]/.test(text)) return { kind: 'text', text };
  try {
    JSON.parse(text);
    // A line ending cannot be inside a JSON string.
    return { kind: 'json', text: text.replace(/[\r\n]+/g, ' ').trim() };
  } catch {
    return { kind: 'text', text };
  }
}

/** One line. Numbers keep their digits. */
export function jsonLine(record: ShownRecord): string {
  const { topic, partition, timestamp, key, value, headers, sourcePartition, sourceOffset } = record;
  const members = [
    `"topic":${quote(topic)}`,
    `"partition":${partition}`,
    `"timestamp":${timestamp}`,
    ...jsonMember('key', key),
    ...jsonMember('value', value),
    `"headers":[${headers.map((one) => `{${[`"key":${quote(one.key)}`, ...jsonMember('value', one.value)].join()}}`).join()}]`,
    `"sourcePartition":${sourcePartition}`,
    `"sourceOffset":${sourceOffset}`,
  ];
  return `{${members.join()}}\n`;
}

function jsonMember(name: string, bytes: ShownBytes): string[] {
  switch (bytes.kind) {
    case 'null':
      return [`"${name}":null`];
    case 'json':
      return [`"${name}":${bytes.text}`];
    case 'text':
      return [`"${name}":${quote(bytes.text)}`];
    case 'base64':
      return [`"${name}":"${bytes.text}"`, `"${name}Encoding":"base64"`];
  }
}

/** For people, on one line; JSON with its schema shows its payload only. */
export function plainText(bytes: ShownBytes): string {
  if (bytes.kind === 'null') return 'null';
  if (bytes.kind !== 'json') return bytes.text;
  try {
    const value = readJson(Buffer.from(bytes.text));
    if (isJsonObject(value) && Object.keys(value).length === 2 && 'schema' in value && 'payload' in value)
      return writeJson(value.payload ?? null);
  } catch {
    // Shown as it is.
  }
  return bytes.text;
}
