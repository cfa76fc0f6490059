/** A record that failed, and Java's text for it. Source: connect-runtime §4.6 "Log line". */
import { plainRecord, type SourceRecord } from '@millrace/sdk';
import type { ConsumerRecord } from '@millrace/kafka-client';

export type Stage =
  'TRANSFORMATION' | 'KEY_CONVERTER' | 'VALUE_CONVERTER' | 'HEADER_CONVERTER' | 'KAFKA_PRODUCE' | 'TASK_PUT';

/** A record as consumed, with its bytes. */
export interface Consumed {
  readonly topic: string;
  readonly partition: number;
  readonly timestampType: 'CreateTime' | 'LogAppendTime' | 'NoTimestampType';
  readonly record: ConsumerRecord;
}

export interface FailedRecord {
  readonly stage: Stage;
  /** Java class of the converter, transform or task. */
  readonly className: string;
  readonly error: unknown;
  readonly source?: SourceRecord;
  readonly consumed?: Consumed;
}

/** Called exactly once per failed record. A rejected promise: the report could not be written. */
export interface FailureReporter {
  report(failure: FailedRecord): Promise<void> | void;
}

export function failureLine(task: string, failure: FailedRecord, withRecord: boolean): string {
  const details = withRecord ? recordDetails(failure) : '';
  return `Error encountered in task ${task}. Executing stage '${failure.stage}' with class '${failure.className}'${details}.`;
}

function recordDetails({ source, consumed }: FailedRecord): string {
  if (source) return `, where source record is = ${sourceText(plainRecord(source))}`;
  if (!consumed) return '';
  const { topic, partition, timestampType, record } = consumed;
  const time =
    timestampType === 'NoTimestampType' ? '' : `, timestamp=${record.timestamp}, timestampType=${timestampType}`;
  return `, where consumed record is {topic='${topic}', partition=${partition}, offset=${record.offset}${time}}`;
}

function sourceText(record: SourceRecord): string {
  return (
    `SourceRecord{sourcePartition=${mapText(record.sourcePartition)}, sourceOffset=${mapText(record.sourceOffset)}} ` +
    `ConnectRecord{topic='${record.topic}', kafkaPartition=${record.partition ?? 'null'}, key=${valueText(record.key)}, ` +
    `keySchema=${schemaText(record.keySchema)}, value=${valueText(record.value)}, valueSchema=${schemaText(record.valueSchema)}, ` +
    `timestamp=${record.timestamp ?? 'null'}, headers=${valueText(record.headers ?? [])}}`
  );
}

function mapText(map: Readonly<Record<string, unknown>> | null): string {
  if (map === null) return 'null';
  return `{${Object.entries(map)
    .map(([key, value]) => `${key}=${valueText(value)}`)
    .join(', ')}}`;
}

function schemaText(schema: SourceRecord['keySchema']): string {
  if (schema === null) return 'null';
  return schema.name === null ? `Schema{${schema.type}}` : `Schema{${schema.name}:${schema.type}}`;
}

function valueText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  // Of a record that its task has converted: they say nothing, and may be many.
  if (value instanceof Uint8Array) return `byte[${value.length}]`;
  try {
    return JSON.stringify(value, (_key, member: unknown) => (typeof member === 'bigint' ? member.toString() : member));
  } catch {
    return 'a value that contains itself, or is nested too deep';
  }
}
