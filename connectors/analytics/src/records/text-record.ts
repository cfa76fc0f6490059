/** Records of which only the text of the value is read. */
import type { SinkRecord, TextBatch, TextRecord } from '@millrace/sdk';

/** The text of a record that has one. */
export function textOf({ bytes, valueStart, valueEnd }: TextRecord): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + valueStart, valueEnd - valueStart).toString('utf8');
}

/** The value as `put` gets it. The key and headers are left out. */
export function textSinkRecord({ topic, partition }: TextBatch, record: TextRecord): SinkRecord {
  const { offset, timestamp, valueStart } = record;
  return {
    ...{ topic, partition, offset, originalTopic: topic, originalPartition: partition, originalOffset: offset },
    ...{ keySchema: null, key: null, valueSchema: null, value: valueStart < 0 ? null : textOf(record) },
    timestamp: timestamp < 0 ? null : timestamp,
    timestampType: 'CreateTime',
    headers: [],
  };
}
